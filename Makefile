.PHONY: test test-all test-fresh test-bare build release docs paper pdf

# Everything main must pass: format, lints, tests (with a PostgreSQL of their own on loopback), documentation, the Python package.
test:
	scripts/ci/test.sh

# The same and everything that takes long: tests marked `#[ignore]`, the dashboard in a headless browser, the optimized wheel with all
# integrations, all code of the documentation, every crate by itself and as it would be published, its public interface against its list,
# and the workflows.
test-all: test
	scripts/ci/with-postgres.sh cargo test --workspace --locked -- --ignored
	scripts/ci/browser-tests.sh
	scripts/ci/with-postgres.sh scripts/ci/python-tests.sh --all
	NEURALBO_WHEEL=$$(ls target/python-tests/wheels/*.whl) scripts/docs/docs.sh blocks
	scripts/ci/features.sh
	scripts/release/package.sh
	python3 scripts/ci/public_api.py
	scripts/ci/workflows.sh

# README's run command and `make test` in a Debian with only Rust, Python and a C compiler; needs root and debootstrap.
test-fresh:
	scripts/ci/fresh.sh

# Every file of the release, installed and used in a system that has nothing else; after `make release`, needs root and debootstrap.
test-bare:
	scripts/release/bare-tests.sh

build:
	cargo build --release

# Every file of a release, with its SHA-256, in target/release-artifacts; nothing is published.
release:
	scripts/release/release.sh

# The documentation as a site in target/docs/site: built strictly, every link checked, every block of code run.
docs:
	scripts/docs/docs.sh

# The tables of docs/reproduction.md and its first picture from results/, and the check of everything else that it quotes.
paper:
	python3 scripts/docs/reproduction.py
	python3 scripts/docs/shuffled_picture.py
	python3 scripts/docs/agree.py

# docs/reproduction.md as a paper to print: target/reproduction.pdf.
pdf:
	scripts/docs/reproduction_pdf.sh
