#!/bin/sh
# The published run of the reference code, ten seeds: noisy Ackley-2D, 5 initial points and 100 evaluations after them.
# Usage: bench/reference_anchor.sh [FOLDER]   (default: reference-anchor under the system's folder for temporary files)
# Prints a table of the best noiseless value after t evaluations, the initial ones not counted, and writes it to FOLDER/anchor.csv.
set -eu
folder=${1:-${TMPDIR:-/tmp}/reference-anchor}
neuralbo=${NEURALBO:-target/release/neuralbo}
mkdir -p "$folder"
for seed in 1 2 3 4 5 6 7 8 9 10; do
    "$neuralbo" run --function ackley --dim 2 --noise 0.23845 --method neuralbo-reference --option initial=5 \
        --trials 105 --seed "$seed" --trace "$folder/seed-$seed.csv" --quiet > /dev/null
done
for seed in 1 2 3 4 5 6 7 8 9 10; do
    awk -F, -v seed="$seed" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "true_value") column = i; next }
        { if (best == "" || $column < best) best = $column; t = NR - 1 - 5
          if (t == 10 || t == 25 || t == 50 || t == 75 || t == 100) row = row "," best }
        END { print seed row }' "$folder/seed-$seed.csv"
done | awk -F, '
    BEGIN { print "seed,t10,t25,t50,t75,t100" }
    { print; for (i = 2; i <= 6; i++) { sum[i] += $i; square[i] += $i * $i }; n++ }
    END { mean = "mean"; sd = "sd"
          for (i = 2; i <= 6; i++) { m = sum[i] / n; mean = mean "," m; sd = sd "," sqrt((square[i] - n * m * m) / (n - 1)) }
          print mean; print sd }' | tee "$folder/anchor.csv"
