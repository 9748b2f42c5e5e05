#!/bin/sh
# Compiles the workspace with the oldest Rust it supports and for other systems. Nothing is run: this finds what does not compile there.
#
#   scripts/ci/cross-check.sh                            all of the list below
#   scripts/ci/cross-check.sh msrv                       the oldest Rust (rust-version of Cargo.toml)
#   scripts/ci/cross-check.sh x86_64-pc-windows-gnu      another system
#
# Needs rustup, which downloads toolchains and standard libraries, and Python: the C compiler for other systems is zig, from PyPI.
set -eu
cd "$(dirname "$0")/../.."

folder=${CARGO_TARGET_DIR:-$PWD/target}/cross-check
export CARGO_TARGET_DIR=$folder
msrv=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
# The Python package is built by maturin for the systems it is released for.
checked="--workspace --exclude neuralbo-py --locked"
# Nothing is run but build scripts and macros, for which optimization does not pay.
plain='profile.dev.package."*".opt-level=0'

# A C compiler for a target as one file, which is what build scripts take.
compiler() {
    python=$folder/venv/bin/python
    [ -x "$python" ] || { python3 -m venv "$folder/venv" && "$python" -m pip install --quiet ziglang==0.13.0.post1; }
    # Build scripts add the target in rustc's words, which zig does not know.
    cat >"$folder/cc-$1" <<END
#!/bin/sh
for word; do shift; case \$word in --target=*) ;; *) set -- "\$@" "\$word" ;; esac; done
exec $python -m ziglang cc -target $2 "\$@"
END
    chmod +x "$folder/cc-$1"
}

check() {
    case $1 in
    msrv)
        rustup toolchain install "$msrv" --profile minimal
        cargo "+$msrv" check --workspace --all-targets --locked --config "$plain"
        ;;
    x86_64-pc-windows-gnu | aarch64-apple-darwin | x86_64-unknown-linux-musl)
        case $1 in
        *windows*) zig=x86_64-windows-gnu ;;
        *apple*) zig=aarch64-macos ;;
        *) zig=x86_64-linux-musl ;;
        esac
        mkdir -p "$folder"
        compiler "$1" $zig
        rustup target add "$1"
        # shellcheck disable=SC2086
        env "CC_$(echo "$1" | tr - _)=$folder/cc-$1" cargo check $checked --target "$1" --config "$plain"
        ;;
    *) echo "cross-check.sh: unknown target $1" >&2 && exit 2 ;;
    esac
    echo "$1: compiles"
}

[ $# -gt 0 ] || set -- msrv x86_64-unknown-linux-musl aarch64-apple-darwin x86_64-pc-windows-gnu
for what in "$@"; do
    check "$what"
done
