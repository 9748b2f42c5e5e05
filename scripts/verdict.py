#!/usr/bin/env python3
"""Wins, ties and losses of a method against every other one, from the traces of `neuralbo lab run`.

    python3 scripts/verdict.py DIR [--method neuralbo] [--method neuralbo-paper]

Prints one Markdown table a method: in how many problems of each experiment its mean final value is significantly better
(Welch's t-test, two-sided, p < 0.05), significantly worse, or neither. BBOB compares the logarithms of the final gaps on the
same functions and instances, pair by pair, for each group of functions and dimension. Of neuralbo-paper the ν with the best
mean on a problem counts.
Needs SciPy.
"""

import argparse
import collections
import gzip
import json
import math
import pathlib
import re
import statistics

from scipy.stats import ttest_ind, ttest_rel

EXPERIMENTS = ["synthetic", "bbob", "sensitive", "retrieval", "push"]
# The groups of COCO: separable, moderate, ill-conditioned, multi-modal, weakly structured.
GROUPS = [(1, 5), (6, 9), (10, 14), (15, 19), (20, 24)]


def losses(folder):
    """Final losses (smaller is better): experiment -> problem -> method -> run -> value."""
    found = {}
    for path in sorted(folder.glob("*/traces/*/*/*.csv.gz")):
        with gzip.open(path, "rt") as file:
            header = json.loads(file.readline().lstrip("# "))
            columns = file.readline().strip().split(",")
            rows = file.read().split()
        if header.get("error") or not rows:
            continue
        best = float(rows[-1].split(",")[columns.index("best")])
        value = -best if header["direction"] == "maximize" else best
        problem, run = header["problem"], header["run"]
        if header["experiment"] == "bbob":
            problem, run, value = group(problem), (problem, run), math.log10(max(value, 1e-8))
        of_problem = found.setdefault(header["experiment"], {}).setdefault(problem, collections.defaultdict(dict))
        of_problem[header["method"]][run] = value
    return found


def group(problem):
    """The group of functions and the dimension of a BBOB problem."""
    function, dim = map(int, re.fullmatch(r"bbob-f(\d+)-d(\d+)", problem).groups())
    number = next(i for i, (low, high) in enumerate(GROUPS, 1) if low <= function <= high)
    return f"group {number}, D = {dim}"


def with_best_nu(methods):
    """The exploration grid replaced by its best member."""
    grid = [name for name in methods if name.startswith("neuralbo-paper:nu=")]
    rest = {name: values for name, values in methods.items() if name not in grid}
    if grid:
        rest["neuralbo-paper"] = methods[min(grid, key=lambda name: statistics.mean(methods[name].values()))]
    return rest


def outcome(ours, theirs, paired):
    """`win`, `loss` or `tie`."""
    if paired:
        common = sorted(ours.keys() & theirs.keys())
        ours, theirs = {run: ours[run] for run in common}, {run: theirs[run] for run in common}
    ours, theirs = list(ours.values()), list(theirs.values())
    if min(len(ours), len(theirs)) < 2 or len({*ours, *theirs}) == 1:
        return "tie"
    p = (ttest_rel(ours, theirs) if paired else ttest_ind(ours, theirs, equal_var=False)).pvalue
    if not p < 0.05:
        return "tie"
    return "win" if statistics.mean(ours) < statistics.mean(theirs) else "loss"


def table(found, method):
    """The Markdown table of one method."""
    counts = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for experiment, problems in found.items():
        for methods in problems.values():
            methods = with_best_nu(methods)
            for other in methods.keys() - {method}:
                if method in methods:
                    counts[other][experiment][outcome(methods[method], methods[other], experiment == "bbob")] += 1
    ran = [experiment for experiment in EXPERIMENTS if experiment in found]
    lines = [f"| {method} against | " + " | ".join(ran) + " |", "| --- |" + " ---: |" * len(ran)]
    for other in sorted(counts):
        cells = [f"{c['win']} / {c['tie']} / {c['loss']}" for c in (counts[other][e] for e in ran)]
        lines.append(f"| {other} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--method", action="append")
    arguments = parser.parse_args()
    found = losses(arguments.folder)
    for method in arguments.method or ["neuralbo", "neuralbo-paper"]:
        print(table(found, method), end="\n\n")


if __name__ == "__main__":
    main()
