#!/bin/sh
# Builds the program for others as one static file that needs nothing of the system (glibc is linked in), and packs it.
#
#   scripts/release/program.sh [FOLDER]      (default: target/release-artifacts)
#
# FOLDER gets an archive with licences, manual pages and completions, and a Debian package with the same. `NEURALBO_COMMIT` names the
# commit where there is no repository. Needs Rust, a C compiler with its static library (Debian: libc6-dev) and dpkg-deb.
set -eu
cd "$(dirname "$0")/../.."

OUT=${1:-target/release-artifacts}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-target}

# With a target named, flags are for the program alone; build scripts and macros stay dynamic.
RUSTFLAGS='-C target-feature=+crt-static' cargo build --profile dist --locked -p neuralbo-cli --target "$host" --target-dir "$target/static"
binary=$target/static/$host/dist/neuralbo
if readelf --program-headers "$binary" | grep -q INTERP; then
    echo "program.sh: $binary needs a dynamic linker" >&2
    exit 1
fi
version=$("$binary" -V | cut -d ' ' -f 2)
dist=$target/static/packed
rm -rf "$dist"

# The same files give the same packages: no names, and the time of the last commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 946684800)}
export SOURCE_DATE_EPOCH

name=neuralbo-$version-$host-static
folder=$dist/$name
mkdir -p "$folder/man" "$folder/completions"
cp "$binary" LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md "$folder/"
python3 scripts/ci/supply_chain.py --licences "$folder/THIRD-PARTY-LICENCES.txt"
"$binary" man "$folder/man" >/dev/null
for shell in bash zsh fish; do
    "$binary" completions "$shell" >"$folder/completions/neuralbo.$shell"
done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$dist" -cf - "$name" | gzip -n9 >"$OUT/$name.tar.gz"

root=$dist/deb
share=$root/usr/share
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/man/man1" "$share/doc/neuralbo" "$share/bash-completion/completions" \
    "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
install -m 755 "$binary" "$root/usr/bin/neuralbo"
install -m 644 "$folder"/man/*.1 "$share/man/man1/"
gzip -n9 "$share"/man/man1/*.1
install -m 644 "$folder/completions/neuralbo.bash" "$share/bash-completion/completions/neuralbo"
install -m 644 "$folder/completions/neuralbo.zsh" "$share/zsh/vendor-completions/_neuralbo"
install -m 644 "$folder/completions/neuralbo.fish" "$share/fish/vendor_completions.d/neuralbo.fish"
gzip -n9c CHANGELOG.md >"$share/doc/neuralbo/changelog.gz"
{
    echo 'neuralbo is licensed under the MIT licence or the Apache licence 2.0, at your option.'
    echo 'The licences of the libraries linked into it follow theirs.'
    cat LICENSE-MIT LICENSE-APACHE "$folder/THIRD-PARTY-LICENCES.txt"
} >"$share/doc/neuralbo/copyright"
(cd "$root" && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
cat >"$root/DEBIAN/control" <<CONTROL
Package: neuralbo
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The neuralbo developers <$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Section: science
Priority: optional
Homepage: $(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
Description: Black-box optimization of programs, models and simulators
 Bayesian optimization with a neural network's tangent features and Thompson
 sampling: the neuralbo command with its dashboard, and studies in SQLite or
 PostgreSQL. The program is static and depends on no other package.
CONTROL
chmod -R u=rwX,go=rX "$root"
dpkg-deb --root-owner-group -Zxz --build "$root" "$OUT/neuralbo_${version}_$(dpkg --print-architecture).deb"
"$binary" --version
