#!/bin/sh
# The reproduction paper as a PDF: scripts/docs/reproduction_pdf.sh [FILE]
# Needs Python with PyPI; pandoc and Typst come from there into target/pdf, nothing else is installed.
set -eu
cd "$(dirname "$0")/../.."
out=${1:-target/reproduction.pdf}
[ -x target/pdf/bin/python ] || python3 -m venv target/pdf
target/pdf/bin/python -m pip install --quiet --disable-pip-version-check pypandoc_binary==1.17 typst==0.15.0
target/pdf/bin/python scripts/docs/reproduction_pdf.py docs/reproduction.md "$out"
