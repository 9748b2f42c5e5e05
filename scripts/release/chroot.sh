# Functions for tests in a bare Debian; to be sourced by scripts that need root. A system is made once by debootstrap and kept.

# Makes a system: its folder, its suite, its packages separated by commas.
make_root() {
    if ! command -v debootstrap >/dev/null; then
        apt-get update -qq
        apt-get install -qq --yes --no-install-recommends debootstrap >/dev/null
    fi
    [ -e "$1/made" ] && return
    rm -rf "$1"
    mkdir -p "$1"
    # shellcheck disable=SC2086
    debootstrap --variant=minbase ${3:+--include=$3} "$2" "$1" http://deb.debian.org/debian >"$1.log"
    touch "$1/made"
}

# Runs a command in a system with nothing of this one's environment, and with /proc, from which the processes of a trial are read.
in_root() {
    root=$1
    shift
    mkdir -p "$root/proc"
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    code=0
    chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 "$@" || code=$?
    umount "$root/proc"
    return "$code"
}

# Gives a system this one's Rust, to read, and its way to the network; crates are downloaded anew.
with_rust() {
    toolchain=$(rustc --print sysroot)
    mkdir -p "$1/opt/rust"
    mountpoint -q "$1/opt/rust" || mount --bind "$toolchain" "$1/opt/rust"
    mount -o remount,bind,ro "$1/opt/rust"
    for tool in cargo rustc rustdoc rustfmt cargo-fmt cargo-clippy clippy-driver; do
        ln -sf "/opt/rust/bin/$tool" "$1/usr/local/bin/$tool"
    done
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    mkdir -p "$1/etc/ssl/certs"
    cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$1/etc/ssl/certs/ca-certificates.crt"
    printf '[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n' >"$1/etc/pip.conf"
}

without_rust() {
    ! mountpoint -q "$1/opt/rust" || umount "$1/opt/rust"
}
