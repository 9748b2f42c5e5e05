#!/bin/sh
# Builds what PyPI gets: a wheel for every Linux since 2014 (manylinux2014: glibc 2.17) and Python from 3.9 on, and the sources.
#
#   scripts/release/wheel.sh [FOLDER]      (default: target/release-artifacts)
#
# Needs Rust, Python 3.9 or newer and PyPI; the C compiler and linker for the old glibc are Zig's, from PyPI. The wheel is refused where
# auditwheel finds anything that manylinux2014 does not have, or where it is 10 MB or larger.
set -eu
cd "$(dirname "$0")/../.."

OUT=${1:-target/release-artifacts}
LIMIT=10000000
VENV=${CARGO_TARGET_DIR:-target}/wheel-venv
TARGET=$(rustc -vV | sed -n 's/^host: //p')

[ -x "$VENV/bin/maturin" ] || {
    python3 -m venv "$VENV"
    "$VENV/bin/python" -m pip install --quiet 'maturin[zig]>=1.9,<2' auditwheel
}
PATH=$(cd "$VENV/bin" && pwd):$PATH
export PATH

mkdir -p "$OUT"
rm -f "$OUT"/neuralbo-*.whl "$OUT"/neuralbo-[0-9].[0-9].[0-9].tar.gz
maturin build --profile dist --locked --zig --compatibility manylinux2014 --target "$TARGET" --interpreter python --out "$OUT"
maturin sdist --out "$OUT"

WHEEL=$(ls "$OUT"/*.whl)
AUDIT=$(auditwheel show "$WHEEL")
echo "$AUDIT"
echo "$AUDIT" | grep -q 'manylinux_2_17_' || {
    echo "wheel.sh: the wheel does not run on every manylinux2014 system" >&2
    exit 1
}
SIZE=$(wc -c <"$WHEEL")
if [ "$SIZE" -ge "$LIMIT" ]; then
    echo "wheel.sh: $WHEEL has $SIZE bytes; it must be under $LIMIT" >&2
    exit 1
fi
ls -l "$OUT"/neuralbo-*.whl "$OUT"/neuralbo-[0-9].[0-9].[0-9].tar.gz
