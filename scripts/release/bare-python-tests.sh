#!/bin/sh
# Installs a wheel where there is nothing but Python, and uses it there: Debian bullseye (Python 3.9) and trixie (Python 3.13), each in a
# folder of its own below target/bare-python.
#
#   scripts/release/bare-python-tests.sh WHEEL [SUITE…]
#
# Needs root (debootstrap, chroot) and Debian's packages. The folders are kept for the next time; inside of them there is no network.
set -eu
cd "$(dirname "$0")/../.."

[ $# -ge 1 ] || {
    echo "usage: scripts/release/bare-python-tests.sh WHEEL [SUITE…]" >&2
    exit 2
}
WHEEL=$1
shift
[ $# -gt 0 ] || set -- bullseye trixie
FOLDER=${CARGO_TARGET_DIR:-target}/bare-python
mkdir -p "$FOLDER"

if ! command -v debootstrap >/dev/null; then
    apt-get update -qq
    apt-get install -qq --yes --no-install-recommends debootstrap >/dev/null
fi

for suite in "$@"; do
    root=$FOLDER/$suite
    [ -x "$root/usr/bin/python3" ] ||
        debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" http://deb.debian.org/debian >"$root.log"
    rm -rf "$root/trial"
    mkdir "$root/trial"
    cp "$WHEEL" scripts/release/bare_python.sh "$root/trial/"
    cp -r examples "$root/trial/"
    # What the processes of a trial are is read from there.
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    code=0
    chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 sh /trial/bare_python.sh || code=$?
    umount "$root/proc"
    [ "$code" = 0 ] || {
        echo "bare-python-tests.sh: failed on $suite" >&2
        exit "$code"
    }
done
