#!/bin/sh
# The commands of README.md in a Debian that has only Rust, Python and a C compiler, from a fresh copy of what is committed:
#
#   scripts/ci/fresh.sh            the run command, then `make test`
#   scripts/ci/fresh.sh run        the run command alone
#   scripts/ci/fresh.sh test       `make test` alone
#
# Needs root, debootstrap, Debian's packages, PyPI and crates.io. The system is in target/bare/fresh; Rust is this machine's. The time of
# each command is printed, as seen by the clock and as spent by the processor.
set -eu
cd "$(dirname "$0")/../.."
. scripts/release/chroot.sh

FOLDER=${CARGO_TARGET_DIR:-target}/bare
ROOT=$FOLDER/fresh
[ $# -gt 0 ] || set -- run test
mkdir -p "$FOLDER"
# A C compiler, make and git are what a clone needs; PostgreSQL is installed by the tests themselves.
make_root "$ROOT" bookworm python3,python3-venv,gcc,libc6-dev,make,git,ca-certificates,time
with_rust "$ROOT"

rm -rf "$ROOT/root/neuralbo" "$ROOT/root/.cargo"
git clone --quiet --no-hardlinks . "$ROOT/root/neuralbo"
# The first command below the heading, as a reader copies it.
README=$(sed -n '/^cargo run --release/{p;q}' README.md)
[ -n "$README" ]
for what in "$@"; do
    case $what in
    run) command=$README ;;
    test) command='make test' ;;
    *) echo "fresh.sh: '$what' is not one of run, test" >&2 && exit 2 ;;
    esac
    echo "== $command"
    # shellcheck disable=SC2016
    in_root "$ROOT" sh -c 'cd /root/neuralbo && /usr/bin/time -f "$0: %E by the clock, %U s + %S s of processor time" sh -c "$1"' "$what" "$command"
done
