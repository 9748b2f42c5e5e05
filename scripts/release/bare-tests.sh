#!/bin/sh
# Installs what `make release` made where there is nothing else, and uses it there, each in a folder of its own below target/bare:
#
#   program   the static program in a folder that is otherwise empty
#   deb       the package in Debian bookworm, installed and removed by dpkg
#   wheel     Debian bullseye (Python 3.9) and trixie (Python 3.13), with nothing but Python; no network
#   sdist     Debian bookworm with Rust, Python and a C compiler, compiled by pip
#
#   scripts/release/bare-tests.sh [TEST…]       all of them without arguments
#
# Needs root (debootstrap, chroot) and Debian's packages; `sdist` also Rust, PyPI and crates.io. The systems are kept for the next time.
set -eu
cd "$(dirname "$0")/../.."
. scripts/release/chroot.sh

TARGET=${CARGO_TARGET_DIR:-target}
ARTIFACTS=$TARGET/release-artifacts
FOLDER=$TARGET/bare
mkdir -p "$FOLDER"

# One file of the release by its pattern.
artifact() {
    # shellcheck disable=SC2086
    set -- $ARTIFACTS/$1
    if [ $# != 1 ] || [ ! -e "$1" ]; then
        echo "bare-tests.sh: $ARTIFACTS has not exactly one ${1##*/}: run make release" >&2
        exit 2
    fi
    echo "$1"
}

# A fresh /trial in a system: its folder and the files to copy there.
fresh_trial() {
    root=$1
    shift
    rm -rf "$root/trial"
    mkdir -p "$root/trial"
    cp -r "$@" examples "$root/trial/"
}

test_program() {
    archive=$(artifact 'neuralbo-*-linux-gnu-static.tar.gz')
    root=$FOLDER/empty
    rm -rf "$root"
    mkdir -p "$root/root" "$root/tmp"
    tar xzf "$archive" -C "$root" --strip-components=1 --wildcards '*/neuralbo'
    [ "$(find "$root" -type f | wc -l)" = 1 ]
    . scripts/release/bare_program.sh
}

test_deb() {
    package=$(artifact 'neuralbo_*.deb')
    make_root "$FOLDER/bookworm" bookworm ''
    fresh_trial "$FOLDER/bookworm" "$package" scripts/release/bare_deb.sh
    in_root "$FOLDER/bookworm" sh /trial/bare_deb.sh
}

test_wheel() {
    wheel=$(artifact 'neuralbo-*.whl')
    for suite in bullseye trixie; do
        root=$FOLDER/$suite-python
        make_root "$root" "$suite" python3,python3-venv
        fresh_trial "$root" "$wheel" scripts/release/bare_python.sh
        in_root "$root" sh /trial/bare_python.sh
    done
}

test_sdist() {
    sources=$(artifact 'neuralbo-[0-9].[0-9].[0-9].tar.gz')
    root=$FOLDER/bookworm-rust
    make_root "$root" bookworm python3,python3-venv,gcc,libc6-dev
    fresh_trial "$root" "$sources" scripts/release/bare_python.sh
    with_rust "$root"
    in_root "$root" sh /trial/bare_python.sh
}

[ $# -gt 0 ] || set -- program deb wheel sdist
for name in "$@"; do
    case $name in
    program | deb | wheel | sdist) ;;
    *) echo "bare-tests.sh: '$name' is not one of program, deb, wheel, sdist" >&2 && exit 2 ;;
    esac
    echo "== $name"
    "test_$name"
    echo "== $name: passed"
done
