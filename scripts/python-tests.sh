#!/bin/sh
# Builds the wheel, installs it with everything it can work with into a fresh virtual environment, and tests it there.
#
#   scripts/python-tests.sh                              (PostgreSQL is skipped)
#   scripts/with-postgres.sh scripts/python-tests.sh     (everything)
#
# Needs Rust, Python 3.9 or newer and PyPI. Further arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."

FOLDER=target/python-tests
LIMIT=10000000

cargo build --locked -p neuralbo-cli
rm -rf "$FOLDER"
python3 -m venv "$FOLDER/venv"
PYTHON=$PWD/$FOLDER/venv/bin/python
"$PYTHON" -m pip install --quiet --upgrade pip
"$PYTHON" -m pip install --quiet 'maturin>=1.9,<2'
"$PYTHON" -m maturin build --release --locked --interpreter "$PYTHON" --out "$FOLDER/wheels"

WHEEL=$(ls "$FOLDER"/wheels/*.whl)
SIZE=$(wc -c <"$WHEEL")
echo "$WHEEL: $SIZE bytes"
if [ "$SIZE" -ge "$LIMIT" ]; then
    echo "python-tests.sh: the wheel must be under $LIMIT bytes" >&2
    exit 1
fi

"$PYTHON" -m pip install --quiet "$WHEEL[optuna,ray,sklearn,plot,coco]" pytest mypy pandas ConfigSpace pymoo

# Away from the sources, so that the installed package is what is tested.
ROOT=$PWD
TESTS=$PWD/crates/neuralbo-py/tests
CONFIG=$PWD/pyproject.toml
export NEURALBO_CLI="$PWD/target/debug/neuralbo"
cd "$FOLDER"
"$PYTHON" -m mypy.stubtest neuralbo._engine
"$PYTHON" -m mypy --strict --config-file "$CONFIG" -p neuralbo
"$PYTHON" -m pytest -q -rs -p no:cacheprovider "$TESTS" "$@"

# The benchmarks in their quick profiles, with the optimizers that are installed here.
cd "$ROOT"
"$PYTHON" -m pytest -q -rs -p no:cacheprovider bench/hpo/tests bench/objectives/tests
