#!/usr/bin/env python3
"""Area under the ECDF and mean log10 of the final gap on BBOB, of our runs and of recorded peers, on the same problems.

    python3 scripts/bbob_table.py runs.csv [more.csv …] [--peers bbob_20d.csv.gz] [--by group|function] [--instances 16 25]

`runs.csv` comes from the example `bbob_bench`, or has the same columns. Peers are CSV with the columns
optimizer, dim, function, instance, evaluation, gap, improvements only. A peer counts where it has all problems of the first file.
Standard errors are those of the mean over instances.
"""

import argparse
import collections
import csv
import gzip
import math
import pathlib
import statistics

TARGETS = [10 ** (2 - 0.2 * i) for i in range(51)]
FIRST, LAST = math.log10(0.5), math.log10(20)
GROUPS = [(1, 5), (6, 9), (10, 14), (15, 19), (20, 24)]


def area(improvements, dim):
    """Share of targets reached, over the logarithm of evaluations per dimension."""
    total, k = 0.0, 0
    for target in TARGETS:
        while k < len(improvements) and improvements[k][1] > target:
            k += 1
        if k == len(improvements):
            break
        at = max(FIRST, math.log10(improvements[k][0] / dim))
        total += max(0.0, LAST - at) / (LAST - FIRST)
    return total / len(TARGETS)


def runs(path):
    """method -> (dim, function, instance) -> (area, log10 of the final gap)."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        rows = list(csv.DictReader(file))
    last = [name for name in rows[0] if name.startswith("gap_") and rows[0][name]][-1]
    found = collections.defaultdict(dict)
    for row in rows:
        key = tuple(int(row[name]) for name in ("dim", "function", "instance"))
        found[row["method"]][key] = float(row["area"]), math.log10(max(float(row[last]), 1e-8))
    return {f"{path.stem} {method}": of for method, of in found.items()}


def peers(path):
    """optimizer -> (dim, function, instance) -> (area, log10 of the final gap)."""
    runs = collections.defaultdict(lambda: collections.defaultdict(list))
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            key = tuple(int(row[name]) for name in ("dim", "function", "instance"))
            runs[row["optimizer"]][key].append((int(row["evaluation"]), float(row["gap"])))
    score = lambda key, found: (area(sorted(found), key[0]), math.log10(max(min(gap for _, gap in found), 1e-8)))
    return {name: {key: score(key, found) for key, found in of.items()} for name, of in runs.items()}


def mean_and_error(scores, keys, part):
    """Mean over all problems, and its standard error from the means of the instances."""
    of_instance = collections.defaultdict(list)
    for key in keys:
        of_instance[key[2]].append(scores[key][part])
    means = [statistics.mean(values) for values in of_instance.values()]
    error = statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else 0.0
    return statistics.mean(scores[key][part] for key in keys), error


def cell(scores, keys, errors):
    if not keys or any(key not in scores for key in keys):
        return "–"
    (a, ae), (g, ge) = mean_and_error(scores, keys, 0), mean_and_error(scores, keys, 1)
    return f"{a:.4f} ± {ae:.4f} / {g:.3f} ± {ge:.2f}" if errors else f"{a:.4f} / {g:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--peers", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", help="of the peers these alone")
    parser.add_argument("--by", choices=["all", "group", "function"], default="all")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--instances", nargs=2, type=int, help="first and last")
    arguments = parser.parse_args()
    table = {name: of for path in arguments.runs for name, of in runs(path).items()}
    low, high = arguments.instances or (1, 10**9)
    first = [key for key in next(iter(table.values())) if low <= key[2] <= high]
    if arguments.peers:
        found = peers(arguments.peers)
        table.update({name: of for name, of in found.items() if not arguments.only or name in arguments.only})
    dims = sorted({key[0] for key in first})
    parts = {"all": [(1, 24)], "group": GROUPS, "function": [(f, f) for f in range(1, 25)]}[arguments.by]
    print("| | | " + " | ".join(f"D = {dim}" for dim in dims) + " |\n| --- | --- |" + " --- |" * len(dims))
    for low, high in parts:
        for name, scores in table.items():
            keys = lambda dim: [key for key in first if key[0] == dim and low <= key[1] <= high]
            cells = [cell(scores, keys(dim), arguments.errors) for dim in dims]
            if any(c != "–" for c in cells):
                print(f"| f{low}–f{high} | {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
