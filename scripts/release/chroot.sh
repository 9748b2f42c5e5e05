# Functions for tests in a bare Debian; to be sourced by scripts that run as root. A system is made once by debootstrap and kept.

# Makes a system: its folder, its suite, its packages separated by commas.
make_root() {
    if ! command -v debootstrap >/dev/null; then
        apt-get update -qq
        apt-get install -qq --yes --no-install-recommends debootstrap >/dev/null
    fi
    [ ! -e "$1/made" ] || return 0
    rm -rf "$1"
    mkdir -p "$1"
    debootstrap --variant=minbase ${3:+--include="$3"} "$2" "$1" http://deb.debian.org/debian >"$1.log"
    touch "$1/made"
}

# Runs a command in a system, with nothing of this one's environment. Mounts are the command's own and end with it: /proc, from which the
# processes of a trial are read, /dev, and this machine's Rust where there is a folder for it.
in_root() {
    root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --propagation slave sh -euc '
        root=$0
        rust=$1
        shift
        mkdir -p "$root/proc"
        mount -t proc proc "$root/proc"
        [ ! -d "$root/dev" ] || mount --rbind /dev "$root/dev"
        [ ! -d "$root/opt/rust" ] || mount --bind --options ro "$rust" "$root/opt/rust"
        exec env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 chroot "$root" "$@"
    ' "$root" "$(rustc --print sysroot)" "$@"
}

# Gives a system this machine's Rust, to read, and its way to the network.
with_rust() {
    mkdir -p "$1/opt/rust" "$1/etc/ssl/certs"
    for tool in cargo rustc rustdoc rustfmt cargo-fmt cargo-clippy clippy-driver; do
        ln -sf "/opt/rust/bin/$tool" "$1/usr/local/bin/$tool"
    done
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$1/etc/ssl/certs/ca-certificates.crt"
    printf '[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n' >"$1/etc/pip.conf"
}
