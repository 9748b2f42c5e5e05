# Uses the static program in a folder ($root) that holds nothing else: no shell, no libraries, no configuration. Sourced by bare-tests.sh.
# shellcheck shell=sh disable=SC2154

neuralbo() {
    in_root "$root" /neuralbo "$@"
}

neuralbo --version
neuralbo run --function branin --trials 20 --seed 1
neuralbo run --study s --storage /tmp/s.db --function ackley --method random --trials 6 --quiet
[ "$(neuralbo export s --storage /tmp/s.db --format csv | wc -l)" = 7 ]
neuralbo report s --storage /tmp/s.db -o /tmp/s.html
grep -q '</html>' "$root/tmp/s.html"
neuralbo check --storage /tmp/s.db

# Programs are started with /dev/null as their input. This one prints its first argument: the value of every trial is its parameter, the
# last column.
mkdir "$root/dev"
printf '#include <stdio.h>\nint main(int count, char **words) { return count < 2 || puts(words[1]) < 0; }\n' |
    cc -static -x c - -o "$root/first"
neuralbo run --study p --storage /tmp/s.db --method random --param 'x=int(0,1000000)' --trials 3 --quiet -- /first '{x}'
neuralbo export p --storage /tmp/s.db --format csv | awk -F, 'NR > 1 && $2 == "complete" && $3 == $NF { count++ } END { exit count != 3 }'
