#!/bin/sh
# Makes everything that a release is, into one folder, and publishes nothing:
#
#   neuralbo-*-static.tar.gz      the program as one static file, with manual pages, completions and licences
#   neuralbo_*.deb                the same for Debian and its kin
#   neuralbo-*.whl, *.tar.gz      the manylinux wheel and its sources
#   *.crate                       the packages of the crates, each built as a user would get it
#   neuralbo-docs-*.tar.gz        the documentation as a site
#   neuralbo-*.cdx.json           the bill of materials (CycloneDX)
#   THIRD-PARTY-LICENCES.txt      the licences of all dependencies
#   SHA256SUMS
#
#   scripts/release/release.sh [--allow-dirty]      the working tree must be clean without it
#
# Needs Rust, a C compiler, Python 3.11, dpkg-deb, PyPI and crates.io. `make test-bare` then installs and uses each file where there is
# nothing else; CONTRIBUTING.md says how they are published.
set -eu
cd "$(dirname "$0")/../.."

TARGET=${CARGO_TARGET_DIR:-target}
OUT=$TARGET/release-artifacts
rm -rf "$OUT"
mkdir -p "$OUT"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

# What fails early first: packages need a clean tree.
scripts/release/package.sh "$@"
cp "$TARGET"/package/neuralbo*-"$version".crate "$OUT/"
python3 scripts/ci/supply_chain.py --sbom "$OUT/neuralbo-$version.cdx.json" --licences "$OUT/THIRD-PARTY-LICENCES.txt"
scripts/release/program.sh "$OUT"
scripts/release/wheel.sh "$OUT"
"$TARGET/wheel-venv/bin/python" -m pip install --quiet 'cyclonedx-python-lib[json-validation]'
"$TARGET/wheel-venv/bin/python" scripts/release/check_sbom.py "$OUT/neuralbo-$version.cdx.json"
host=$(rustc -vV | sed -n 's/^host: //p')
NEURALBO=$TARGET/static/$host/dist/neuralbo scripts/docs/docs.sh build
tar --sort=name --owner=0 --group=0 --numeric-owner --transform "s|^site|neuralbo-docs-$version|" -C target/docs -czf "$OUT/neuralbo-docs-$version.tar.gz" site

cd "$OUT"
sha256sum -- * >SHA256SUMS
sha256sum --check --quiet SHA256SUMS
echo
printf '%12s  %s\n' bytes "file in $OUT"
for file in *; do
    printf '%12d  %s\n' "$(wc -c <"$file")" "$file"
done
