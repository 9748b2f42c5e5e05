#!/bin/sh
# Runs the fuzz targets under libFuzzer, guided by coverage, with the stable compiler; needs a C++ compiler.
#
#   scripts/ci/libfuzzer.sh SECONDS [TARGET…]
#
# Inputs that reach new code are kept in target/libfuzzer/TARGET, inputs that break a promise in target/libfuzzer/found.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?seconds per target}
shift
folder=$PWD/target/libfuzzer
mkdir -p "$folder/found"
targets=$(cargo run --locked --quiet -p neuralbo-fuzz --bin neuralbo-fuzz -- --corpus "$folder" "$@")

# What cargo-fuzz passes to the nightly compiler, less the sanitizers, is also known to the stable one. Naming the system keeps these flags
# away from build scripts and macros.
system=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks"
RUSTFLAGS=$coverage cargo build --locked --quiet -p neuralbo-fuzz --features libfuzzer --bin libfuzzer --release \
    --target "$system" --target-dir "$folder/build"

for target in $targets; do
    echo "== $target"
    words=$folder/$target.dict
    dictionary=
    [ ! -s "$words" ] || dictionary=-dict=$words
    # shellcheck disable=SC2086
    NEURALBO_FUZZ_TARGET=$target "$folder/build/$system/release/libfuzzer" "$folder/$target" $dictionary \
        -max_total_time="$seconds" -max_len=65536 -timeout=60 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/found/$target-"
done
