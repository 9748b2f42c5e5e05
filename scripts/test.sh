#!/bin/sh
# Checks everything main must pass. Needs Rust, a C compiler and Python 3; PostgreSQL is installed from Debian's packages if absent.
set -eu
cd "$(dirname "$0")/.."

cargo fmt --all --check
python3 scripts/supply_chain.py
cargo clippy --workspace --all-targets --locked -- -D warnings
scripts/with-postgres.sh cargo test --workspace --locked
# This one restarts its server, so it gets one of its own.
NEURALBO_TEST_RESTARTS=1 scripts/with-postgres.sh cargo test --workspace --locked --test stored -- workers_outlive_restarts
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
scripts/with-postgres.sh scripts/python-tests.sh
