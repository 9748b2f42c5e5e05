#!/bin/sh
# Builds the documentation strictly into target/docs/site, checks every link and anchor in it, and runs the code of its pages.
#
#   scripts/docs/docs.sh            (everything)
#   scripts/docs/docs.sh build      (the site and its links)
#   scripts/docs/docs.sh blocks     (the code; further arguments are pages)
#
# Needs Rust and Python 3.11 with PyPI. The page of commands is made from the program ($NEURALBO, or built here), the pages of the crates are
# rustdoc's ($NEURALBO_RUSTDOC, or made here). The code runs with the wheel ($NEURALBO_WHEEL, or built here), or in an environment that has
# it ($NEURALBO_PYTHON). Packages that a page imports and the environment lacks are named, and their blocks are not run.
set -eu
cd "$(dirname "$0")/../.."

TARGET=${CARGO_TARGET_DIR:-target}
FOLDER=target/docs
WHAT=${1:-all}
[ $# -eq 0 ] || shift
PYTHON=$PWD/$FOLDER/venv/bin/python

if [ ! -x "$PYTHON" ]; then
    python3 -m venv "$FOLDER/venv"
fi
"$PYTHON" -m pip install --quiet --disable-pip-version-check -r scripts/docs/requirements.txt

build() {
    if [ -z "${NEURALBO_RUSTDOC:-}" ]; then
        cargo doc --no-deps --locked -p neuralbo -p neuralbo-store
        NEURALBO_RUSTDOC=$TARGET/doc
    fi
    if [ -z "${NEURALBO:-}" ]; then
        cargo build --locked -p neuralbo-cli
        NEURALBO=$TARGET/debug/neuralbo
    fi
    export NEURALBO NEURALBO_RUSTDOC NO_MKDOCS_2_WARNING=1
    # Not --quiet: it would keep the warnings from the strict mode, which fails on them. They name every broken link and anchor.
    "$PYTHON" -m mkdocs build --strict
    "$PYTHON" scripts/docs/agree.py
    "$PYTHON" scripts/docs/agree.py --self-test
}

blocks() {
    if [ -n "${NEURALBO_PYTHON:-}" ]; then
        "$NEURALBO_PYTHON" scripts/docs/blocks.py "$@"
        return
    fi
    if [ -z "${NEURALBO_WHEEL:-}" ]; then
        "$PYTHON" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
        rm -rf "$FOLDER/wheels"
        "$PYTHON" -m maturin build --release --locked --interpreter "$PYTHON" --out "$FOLDER/wheels"
        NEURALBO_WHEEL=$(ls "$FOLDER"/wheels/*.whl)
    fi
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$NEURALBO_WHEEL"
    "$PYTHON" -m pip install --quiet --disable-pip-version-check -r scripts/docs/packages.txt
    "$PYTHON" scripts/docs/blocks.py "$@"
}

case $WHAT in
all)
    build
    blocks "$@"
    ;;
build) build ;;
blocks) blocks "$@" ;;
*)
    echo "docs.sh: '$WHAT' is not one of build, blocks" >&2
    exit 2
    ;;
esac
