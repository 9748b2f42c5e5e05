#!/bin/sh
# Checks everything main must pass. Needs Rust, a C compiler and Python 3; PostgreSQL is installed from Debian's packages if absent.
set -eu
cd "$(dirname "$0")/.."

cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings
scripts/with-postgres.sh cargo test --workspace --locked
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
