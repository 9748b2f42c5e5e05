#!/bin/sh
# Builds what PyPI gets: a wheel for every Linux since 2014 (manylinux2014: glibc 2.17) and Python from 3.9 on, and the sources.
#
#   scripts/release/wheel.sh [FOLDER]      (default: target/dist-python)
#
# Needs Rust, Python 3.9 or newer and PyPI; the C compiler and linker for the old glibc are Zig's, from PyPI. The wheel is refused where
# auditwheel finds anything that manylinux2014 does not have, or where it is 10 MB or larger.
set -eu
cd "$(dirname "$0")/../.."

OUT=${1:-target/dist-python}
LIMIT=10000000
VENV=${CARGO_TARGET_DIR:-target}/wheel-venv
TARGET=$(rustc -vV | sed -n 's/^host: //p')

[ -x "$VENV/bin/maturin" ] || {
    python3 -m venv "$VENV"
    "$VENV/bin/python" -m pip install --quiet 'maturin[zig]>=1.9,<2' auditwheel
}
PATH=$(cd "$VENV/bin" && pwd):$PATH
export PATH

rm -rf "$OUT"
maturin build --release --locked --zig --compatibility manylinux2014 --target "$TARGET" --interpreter python --out "$OUT"
maturin sdist --out "$OUT"

WHEEL=$(ls "$OUT"/*.whl)
auditwheel show "$WHEEL" | tee "$OUT/audit.txt"
grep -q 'manylinux_2_17_' "$OUT/audit.txt" || {
    echo "wheel.sh: the wheel does not run on every manylinux2014 system" >&2
    exit 1
}
rm "$OUT/audit.txt"
SIZE=$(wc -c <"$WHEEL")
if [ "$SIZE" -ge "$LIMIT" ]; then
    echo "wheel.sh: $WHEEL has $SIZE bytes; it must be under $LIMIT" >&2
    exit 1
fi
ls -l "$OUT"
