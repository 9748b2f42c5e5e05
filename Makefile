.PHONY: test build

# Everything main must pass: format, lints, tests (with a PostgreSQL of their own on loopback), documentation.
test:
	scripts/test.sh

build:
	cargo build --release
