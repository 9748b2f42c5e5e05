#!/bin/sh
# Builds the package, installs it into a fresh virtual environment, and tests it there.
#
#   scripts/ci/python-tests.sh                                    what `make test` runs: the package, its types, Optuna, scikit-learn, figures
#   scripts/ci/python-tests.sh --all                              also Ray, Hydra, MLflow, Weights & Biases, Dask, COCO, the benchmarks, and
#                                                              the end-to-end tests of the command line against the package's command
#   scripts/ci/with-postgres.sh scripts/ci/python-tests.sh --all     the same with a PostgreSQL server
#
# Needs Rust, Python 3.9 or newer and PyPI. Further arguments go to pytest. The package is built with the profile and features of the
# Rust tests, so that it shares what they compiled, unless `--all` asks for the optimized one. Tests run in two processes, a file in one.
set -eu
cd "$(dirname "$0")/../.."

ALL=
if [ "${1:-}" = --all ]; then
    ALL=yes
    shift
fi
FOLDER=target/python-tests
EXTRAS=optuna,sklearn,plot
PACKAGES='pytest pytest-xdist mypy pandas ConfigSpace loky'
RELEASE=
if [ -n "$ALL" ]; then
    # All extras, as pyproject.toml lists them.
    EXTRAS=$(sed -n '/^\[project.optional-dependencies\]/,/^$/s/^\([a-z]*\) = .*/\1/p' pyproject.toml | paste -sd, -)
    PACKAGES="$PACKAGES pyright[nodejs] pymoo wandb optunahub cma scipy"
    RELEASE=--release
fi

rm -rf "$FOLDER"
python3 -m venv "$FOLDER/venv"
PYTHON=$PWD/$FOLDER/venv/bin/python
"$PYTHON" -m pip install --quiet --upgrade pip
"$PYTHON" -m pip install --quiet 'maturin>=1.9,<2'
# shellcheck disable=SC2086
"$PYTHON" -m maturin build $RELEASE --locked --interpreter "$PYTHON" --out "$FOLDER/wheels"

WHEEL=$(ls "$FOLDER"/wheels/*.whl)

# shellcheck disable=SC2086
"$PYTHON" -m pip install --quiet "$WHEEL[$EXTRAS]" $PACKAGES
"$PYTHON" -m pip check

# Away from the sources, so that the installed package is what is tested.
ROOT=$PWD
TESTS=$PWD/crates/neuralbo-py/tests
CONFIG=$PWD/pyproject.toml
export NEURALBO_CLI="$PWD/$FOLDER/venv/bin/neuralbo"
cd "$FOLDER"
"$PYTHON" -m mypy.stubtest neuralbo._engine
if [ -n "$ALL" ]; then
    # The bridges are checked against the packages that they are for.
    "$PYTHON" -m mypy --config-file "$CONFIG" -p neuralbo -p hydra_plugins.hydra_neuralbo_sweeper
    "$PYTHON" -m mypy --config-file "$CONFIG" "$ROOT"/examples/python/*.py
    (cd "$ROOT" && "$PYTHON" -m pyright --pythonpath "$PYTHON")
else
    # shellcheck disable=SC2046
    "$PYTHON" -m mypy --config-file "$CONFIG" $(cd "$TESTS/../python" && ls neuralbo/*.py neuralbo/plot/*.py | sed 's/\.py$//; s|/__init__$||; s|/|.|g; s/^/-m /')
fi
"$PYTHON" -m pytest -q -rs -p no:cacheprovider -n 2 --dist loadfile "$TESTS" "$@"

if [ -n "$ALL" ]; then
    cd "$ROOT"
    # The benchmarks with the optimizers that are installed here.
    "$PYTHON" -m pytest -q -rs -p no:cacheprovider -n 2 --dist loadfile bench/tests
    cargo test --locked -p neuralbo-cli --test cli --test stored -- --skip lab::
fi
