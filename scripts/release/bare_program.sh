#!/bin/sh
# Uses the static program in a folder that holds nothing else: no shell, no libraries, no configuration.
#
#   scripts/release/bare_program.sh FOLDER
set -eu
ROOT=$1

neuralbo() {
    env -i HOME=/tmp chroot "$ROOT" /neuralbo "$@"
}

neuralbo --version
neuralbo run --function branin --trials 20 --seed 1
neuralbo run --study s --storage /tmp/s.db --function ackley --method random --trials 6 --quiet
[ "$(neuralbo export s --storage /tmp/s.db --format csv | wc -l)" = 7 ]
neuralbo report s --storage /tmp/s.db -o /tmp/s.html
grep -q '</html>' "$ROOT/tmp/s.html"
neuralbo check --storage /tmp/s.db

# Programs are started by a second process of the same file, which Linux names in /proc. This one prints its first argument.
printf '#include <stdio.h>\nint main(int count, char **words) { return count < 2 || puts(words[1]) < 0; }\n' |
    cc -static -x c - -o "$ROOT/first"
mkdir -p "$ROOT/proc"
mount -t proc proc "$ROOT/proc"
code=0
neuralbo run --study p --storage /tmp/s.db --method random --param 'x=int(0,1000000)' --trials 3 --quiet -- /first '{x}' || code=$?
umount "$ROOT/proc"
[ "$code" = 0 ]
# The value of every trial is its parameter, the last column.
neuralbo export p --storage /tmp/s.db --format csv |
    awk -F, 'NR > 1 && $2 == "complete" && $3 == $NF { count++ } END { exit count != 3 }'
