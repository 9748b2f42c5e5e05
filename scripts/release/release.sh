#!/bin/sh
# Builds the program for others: optimized, stripped, in one archive with its licences, manual pages and completions.
#
#   scripts/release/release.sh                               for this machine
#   scripts/release/release.sh x86_64-unknown-linux-musl     one static file for any Linux; needs that target's standard library and musl-gcc
#
# The archive and its SHA-256 go to target/dist. `NEURALBO_COMMIT` says which commit it is where there is no repository.
set -eu
cd "$(dirname "$0")/../.."

host=$(rustc -vV | sed -n 's/^host: //p')
target=${1:-$host}
cargo build --release --locked -p neuralbo-cli --target "$target"

folder=${CARGO_TARGET_DIR:-target}
binary=$folder/$target/release/neuralbo
version=$("$binary" -V | cut -d ' ' -f 2)
name=neuralbo-$version-$target
dist=$folder/dist
rm -rf "$dist/$name"
mkdir -p "$dist/$name/man" "$dist/$name/completions"
cp "$binary" LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md "$dist/$name/"
"$binary" man "$dist/$name/man" >/dev/null
for shell in bash zsh fish; do
    "$binary" completions "$shell" >"$dist/$name/completions/neuralbo.$shell"
done
# The same files give the same archive: no names, no times.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime='2000-01-01 00:00Z' -C "$dist" -cf - "$name" | gzip -n9 >"$dist/$name.tar.gz"
(cd "$dist" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
"$binary" --version
