#!/bin/sh
# Checks everything about the dependencies and writes the bill of materials: scripts/ci/supply-chain.sh [SBOM.json]
# Needs the network: for the database of advisories, and for cargo-deny where it is not installed.
set -eu
cd "$(dirname "$0")/../.."

python3 scripts/ci/supply_chain.py --sbom "${1:-target/neuralbo.cdx.json}"
cargo deny --version >/dev/null 2>&1 || cargo install --locked cargo-deny
cargo deny check
