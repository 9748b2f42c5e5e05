#!/bin/sh
# Branin's function of two parameters, x in [-5, 10] and y in [0, 15]; its minimum is 0.397887.
#
#     neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 -- sh examples/branin.sh {x} {y}
exec awk -v x="$1" -v y="$2" 'BEGIN {
    pi = atan2(0, -1)
    valley = y - 5.1 * x * x / (4 * pi * pi) + 5 * x / pi - 6
    printf "%.12g\n", valley * valley + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10
}'
