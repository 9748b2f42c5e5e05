#!/usr/bin/env python3
"""Area under the ECDF and mean log10 of the final gap on BBOB, by dimension.

    python -m bench.tables lab-results results/2026-11-16/default/peers_16_25.csv.gz [--by group|function] [--instances 16 25]

A folder is the output of `neuralbo lab run bbob`; a file has one row per run with the columns method, dim, function, instance, area and
the gaps after so many evaluations per dimension (gap_0.5 … gap_20). Only the problems that the first source has are shown. Standard
errors are those of the mean over instances.
"""

import argparse
import csv
import gzip
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TARGETS = [10 ** (2 - 0.2 * i) for i in range(51)]
BUDGETS = (0.5, 1, 2, 3, 5, 10, 20)
FIRST, LAST = math.log10(0.5), math.log10(20)
# Methods as the pages call them.
LABELS = {
    "neuralbo": "neuralbo",
    "cobyqa-centre": "SciPy COBYQA, radius 0.2 of the box",
    "cobyqa-centre-default": "SciPy COBYQA, its own radius",
    "slsqp-centre": "SciPy SLSQP",
    "cma-lq-centre": "lq-CMA-ES",
}
PARTS = {"all": [(1, 24)], "group": [(1, 5), (6, 9), (10, 14), (15, 19), (20, 24)], "function": [(f, f) for f in range(1, 25)]}


class Score(NamedTuple):
    """A run: the area, and the gaps after each of `BUDGETS`."""

    area: float
    gaps: list[float]

    @property
    def final(self) -> float:
        return math.log10(max(self.gaps[-1], 1e-8))


# (dimension, function, instance)
Problem = tuple[int, int, int]
Scores = dict[str, dict[Problem, Score]]


def score(best: list[float], dim: int) -> Score:
    """Of the best gap after each evaluation: the mean share of targets reached over the logarithm of evaluations per dimension."""
    total = 0.0
    for target in TARGETS:
        reached = next((at for at, gap in enumerate(best, 1) if gap <= target), None)
        if reached is not None:
            total += max(0.0, LAST - max(FIRST, math.log10(reached / dim))) / (LAST - FIRST)
    return Score(total / len(TARGETS), [best[min(math.ceil(at * dim), len(best)) - 1] for at in BUDGETS])


def rows(source: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file, which may be packed by gzip."""
    with gzip.open(source, "rt") if source.suffix == ".gz" else source.open() as lines:
        yield from csv.DictReader(lines)


def load(source: Path) -> Scores:
    """The runs of a folder of the lab or of a file, by method."""
    found: Scores = defaultdict(dict)
    if source.is_dir():
        for trace in sorted(source.glob("**/traces/bbob-*/*/run-*.csv.gz")):
            with gzip.open(trace, "rt") as lines:
                header = json.loads(lines.readline()[2:])
                best = [float(row["best"]) for row in csv.DictReader(lines) if row["evaluation"] != "0"]
            function, dim = (int(part[1:]) for part in header["problem"].split("-")[1:])
            found[header["method"]][dim, function, header["run"]] = score(best, dim)
        return found
    for row in rows(source):
        key = int(row["dim"]), int(row["function"]), int(row["instance"])
        found[row["method"]][key] = Score(float(row["area"]), [float(row[f"gap_{at:g}"]) for at in BUDGETS])
    return found


def pack(runs: Scores, file: Path) -> None:
    """Writes the runs as such a file, sorted."""
    with gzip.open(file, "wt", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["method", "dim", "function", "instance", "area", *(f"gap_{at:g}" for at in BUDGETS)])
        for method in sorted(runs):
            for key in sorted(runs[method]):
                area, gaps = runs[method][key]
                writer.writerow([method, *key, f"{area:.5f}", *(f"{gap:.3e}" for gap in gaps)])


def mean(scores: dict[Problem, Score], keys: list[Problem], figure: str) -> str:
    """The mean over all problems, and its standard error from the means of the instances."""
    by_instance = defaultdict(list)
    for key in keys:
        by_instance[key[2]].append(getattr(scores[key], figure))
    means = [statistics.mean(values) for values in by_instance.values()]
    error = statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else 0.0
    return f"{statistics.mean(getattr(scores[key], figure) for key in keys):.4f} ± {error:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tables", description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--by", choices=PARTS, default="all")
    parser.add_argument("--instances", nargs=2, type=int, default=(1, 10**9), metavar=("FIRST", "LAST"))
    parser.add_argument("--pack", type=Path, metavar="FILE.csv.gz", help="write the runs of all sources as one file, and nothing else")
    options = parser.parse_args()
    tables = [load(source) for source in options.sources]
    if options.pack:
        methods = {method for table in tables for method in table}
        pack({method: {key: run for table in tables for key, run in table.get(method, {}).items()} for method in methods}, options.pack)
        return
    keys = sorted({key for of in tables[0].values() for key in of if options.instances[0] <= key[2] <= options.instances[1]})
    dims = sorted({key[0] for key in keys})
    print("| | | " + " | ".join(f"D = {dim}" for dim in dims) + " |\n| --- | --- |" + " --- |" * len(dims))
    for low, high in PARTS[options.by]:
        for method, scores in (item for table in tables for item in table.items()):
            of = {dim: [key for key in keys if key[0] == dim and low <= key[1] <= high] for dim in dims}
            whole = {dim: some and all(key in scores for key in some) for dim, some in of.items()}
            cells = [f"{mean(scores, of[dim], 'area')} / {mean(scores, of[dim], 'final')}" if whole[dim] else "–" for dim in dims]
            if any(whole.values()):
                print(f"| f{low}–f{high} | {method} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
