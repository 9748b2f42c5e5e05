.PHONY: test test-all build docs

# Everything main must pass: format, lints, tests (with a PostgreSQL of their own on loopback), documentation, the Python package.
test:
	scripts/test.sh

# The same, and every page of the dashboard in a headless browser.
test-all: test
	scripts/browser-tests.sh

build:
	cargo build --release

# The documentation as a site in target/docs/site: built strictly, every link checked, every block of code run.
docs:
	scripts/docs.sh
