.PHONY: test test-all test-bare build docs pdf

# Everything main must pass: format, lints, tests (with a PostgreSQL of their own on loopback), documentation, the Python package.
test:
	scripts/ci/test.sh

# The same and everything that takes long: tests marked `#[ignore]`, the dashboard in a headless browser, the optimized wheel with all
# integrations, all code of the documentation, the crates as they would be published, and their public interface against its list.
test-all: test
	scripts/ci/with-postgres.sh cargo test --workspace --locked -- --ignored
	scripts/ci/browser-tests.sh
	scripts/ci/with-postgres.sh scripts/ci/python-tests.sh --all
	NEURALBO_WHEEL=$$(ls target/python-tests/wheels/*.whl) scripts/docs/docs.sh blocks
	scripts/release/package.sh
	python3 scripts/ci/public_api.py

# The manylinux2014 wheel in systems that have nothing but Python 3.9 and 3.13; needs root and debootstrap.
test-bare:
	scripts/release/wheel.sh
	scripts/release/bare-python-tests.sh target/dist-python/*.whl

build:
	cargo build --release

# The documentation as a site in target/docs/site: built strictly, every link checked, every block of code run.
docs:
	scripts/docs/docs.sh

# docs/reproduction.md as a paper to print: target/reproduction.pdf.
pdf:
	scripts/docs/reproduction_pdf.sh
