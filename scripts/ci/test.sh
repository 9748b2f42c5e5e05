#!/bin/sh
# Checks everything main must pass. Needs Rust, a C compiler and Python 3; PostgreSQL is installed from Debian's packages if absent.
set -eu
cd "$(dirname "$0")/../.."

# All output below is kept, and must not contain the password of a test.
if [ -z "${NEURALBO_TEST_OUTPUT:-}" ]; then
    NEURALBO_TEST_OUTPUT=$(mktemp)
    export NEURALBO_TEST_OUTPUT
    { scripts/ci/test.sh "$@" 2>&1 && echo passed >"$NEURALBO_TEST_OUTPUT.status"; } | tee "$NEURALBO_TEST_OUTPUT"
    [ -e "$NEURALBO_TEST_OUTPUT.status" ] || exit 1
    if grep -nE 'hunter2|horse.?battery|horse%3Fbattery' "$NEURALBO_TEST_OUTPUT"; then
        echo "test.sh: the lines above show a password" >&2
        exit 1
    fi
    rm -f "$NEURALBO_TEST_OUTPUT" "$NEURALBO_TEST_OUTPUT.status"
    exit 0
fi

# One build for all steps: what incremental compilation would save, nothing here uses again.
export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}"

# Runs a step and says how long it took.
step() {
    began=$(date +%s)
    "$@"
    echo "test.sh: $(($(date +%s) - began)) s: $*"
}

TARGET=${CARGO_TARGET_DIR:-target}
step cargo fmt --all --check
# The sources of what this system builds; the checks after it read them offline.
step cargo fetch --quiet --locked --target "$(rustc -vV | sed -n 's/^host: //p')"
step python3 scripts/ci/supply_chain.py
step python3 scripts/ci/portability.py
step cargo clippy --workspace --all-targets --locked -- -D warnings
step cargo test --workspace --locked --no-run --quiet
step scripts/ci/with-postgres.sh cargo test --workspace --locked -- --show-output
# This test restarts its server, so it gets one of its own.
NEURALBO_TEST_RESTARTS=1 step scripts/ci/with-postgres.sh cargo test --workspace --locked --test stored -- workers_outlive_restarts
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --locked
NEURALBO=$TARGET/debug/neuralbo NEURALBO_RUSTDOC=$TARGET/doc step scripts/docs/docs.sh build
step scripts/ci/with-postgres.sh scripts/ci/python-tests.sh
