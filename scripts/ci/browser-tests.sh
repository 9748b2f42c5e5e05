#!/bin/sh
# Clicks through every page of the dashboard in a headless Chromium; see crates/neuralbo-dashboard/browser.
#
#   scripts/ci/browser-tests.sh                  (everything)
#   scripts/ci/browser-tests.sh -k table         (further arguments go to pytest)
#
# Needs Rust, Python 3.9 or newer and PyPI. Chromium is taken from the system or from Debian's packages. NEURALBO_CLI names another
# program to test, NEURALBO_BROWSER_TRIALS the size of the large study (100000). Screenshots are left in target/browser-tests.
set -eu
cd "$(dirname "$0")/../.."

FOLDER=target/browser-tests

if [ -z "${NEURALBO_CLI:-}" ]; then
    cargo build --release --locked -p neuralbo-cli
    NEURALBO_CLI=${CARGO_TARGET_DIR:-$PWD/target}/release/neuralbo
    export NEURALBO_CLI
fi
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    apt-get update -qq
    apt-get install -qq --yes --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi
if [ ! -x "$FOLDER/venv/bin/pytest" ]; then
    python3 -m venv "$FOLDER/venv"
    "$FOLDER/venv/bin/python" -m pip install --quiet playwright axe-playwright-python pytest
fi
"$FOLDER/venv/bin/python" -m pytest -q -rs -p no:cacheprovider crates/neuralbo-dashboard/browser "$@"
