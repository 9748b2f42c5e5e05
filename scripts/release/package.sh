#!/bin/sh
# Packages every crate that is published and builds each package as a user would get it.
#
#   scripts/release/package.sh                  what CI does; the working tree must be clean
#   scripts/release/package.sh --allow-dirty    with changes that are not committed
#   scripts/release/package.sh --publish        uploads them, in the order of their dependencies
set -eu
cd "$(dirname "$0")/../.."

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
command=package
options=
for option in "$@"; do
    case $option in
    --publish) command=publish ;;
    --allow-dirty) options="$options --allow-dirty" ;;
    *) echo "package.sh: unknown option $option" >&2 && exit 2 ;;
    esac
done

published=$(cargo metadata --no-deps --format-version 1 --locked |
    python3 -c 'import json, sys; print(*(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] is None))')
echo "published: $published"
selected=$(printf -- '-p %s ' $published)

# Cargo takes a version for immutable: what an earlier run unpacked and compiled of these packages would be used for the present ones.
version=$(cargo metadata --no-deps --format-version 1 --locked | python3 -c 'import json, sys; print(json.load(sys.stdin)["packages"][0]["version"])')
unpacked=${CARGO_HOME:-$HOME/.cargo}/registry/src/-*
for name in $published; do
    for list in $(grep -ls "/registry/src/-[^/]*/$name-$version/" "$CARGO_TARGET_DIR"/debug/deps/*.d); do
        hash=${list##*-}
        rm -rf "$CARGO_TARGET_DIR"/debug/.fingerprint/*-"${hash%.d}"
    done
    rm -rf $unpacked/"$name-$version"
done

# Packages are only to be compiled, not to be fast; other crates with nearly the profile of the workspace, so that few are compiled once more.
# shellcheck disable=SC2086
cargo $command $selected --locked $options \
    --config 'profile.dev.opt-level=0' --config 'profile.dev.package."*".opt-level=1' --config 'profile.dev.package."*".debug=false'

folder=$CARGO_TARGET_DIR/package
for name in $published; do
    package=$folder/$name-$version.crate
    files=$(tar tzf "$package" | sed 's|^[^/]*/||')
    for file in LICENSE-MIT LICENSE-APACHE README.md Cargo.toml src/lib.rs; do
        echo "$files" | grep -qx "$file" || { echo "package.sh: $package has no $file" >&2 && exit 1; }
    done
    echo "$name $version: $(echo "$files" | wc -l) files, $(($(stat -c %s "$package") / 1024)) KiB"
done
