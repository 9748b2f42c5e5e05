#!/bin/sh
# Compiles every published crate by itself, with its default features and without any, and the tests of each by themselves: what only
# another crate of the workspace turns on is not there.
#
#   scripts/ci/features.sh [CRATE…]
#
# The stores and the command line, which have features, also run their tests without them.
set -eu
cd "$(dirname "$0")/../.."

# With the profile of the tests, so that build scripts, macros and most dependencies are those that `make test` has compiled.
check() {
    echo "== $*"
    cargo check --locked --quiet "$@"
}

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cargo metadata --no-deps --format-version 1 --locked |
    python3 -c 'import json, sys; print(*(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] is None))')
for crate in "$@"; do
    check -p "$crate"
    check -p "$crate" --no-default-features
    check -p "$crate" --all-features
    check -p "$crate" --tests
done
for crate in neuralbo-store neuralbo-cli; do
    case " $* " in *" $crate "*) cargo test --locked --quiet -p "$crate" --lib --no-default-features ;; esac
done
