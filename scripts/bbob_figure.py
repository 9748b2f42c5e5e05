#!/usr/bin/env python3
"""The figure of docs/results.md: share of BBOB's targets reached against evaluations, ours and the peers' on the same problems.

    python3 scripts/bbob_figure.py ours.csv peers.csv --instances 16 25 > docs/bbob.svg

Both files have the columns of the example `bbob_bench`; the share is known at its checkpoints.
"""

import argparse
import collections
import csv
import gzip
import math
import pathlib

TARGETS = [10 ** (2 - 0.2 * i) for i in range(51)]
CHECKPOINTS = ["0.5", "1", "2", "3", "5", "10", "20"]
COLORS = ["#c0392b", "#2c6fbb", "#7fb3e6", "#5b8c3e", "#8e7cc3", "#888888"]
WIDTH, HEIGHT, LEFT, TOP, GAP = 200, 170, 46, 34, 26
# As the tables of README.md and docs/results.md call them.
LABELS = {
    "cma-lq-centre": "lq-CMA-ES",
    "cobyqa-centre": "SciPy COBYQA, radius 0.2 of the box",
    "cobyqa-centre-default": "SciPy COBYQA, its own radius",
    "slsqp-centre": "SciPy SLSQP",
}


def shares(paths, instances):
    """(method, dim) -> share of targets at each checkpoint."""
    found = collections.defaultdict(list)
    for path in paths:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
            for row in csv.DictReader(file):
                if instances[0] <= int(row["instance"]) <= instances[1]:
                    gaps = [float(row[f"gap_{at}"]) for at in CHECKPOINTS]
                    reached = [sum(gap <= target for target in TARGETS) / len(TARGETS) for gap in gaps]
                    found[row["method"], int(row["dim"])].append(reached)
    return {key: [sum(column) / len(runs) for column in zip(*runs)] for key, runs in found.items()}


def panel(index, dim, curves, methods):
    x = lambda at: LEFT + index * (WIDTH + GAP) + WIDTH * math.log10(float(at) / 0.5) / math.log10(40)
    y = lambda share: TOP + HEIGHT * (1 - share / 0.4)
    left, right = x(0.5), x(20)
    lines = [f'<rect x="{left:.1f}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>']
    lines.append(f'<text x="{(left + right) / 2:.1f}" y="{TOP - 8}" text-anchor="middle">D = {dim}</text>')
    for at in ["0.5", "1", "2", "5", "10", "20"]:
        lines.append(f'<text x="{x(at):.1f}" y="{TOP + HEIGHT + 14}" text-anchor="middle" font-size="9">{at}</text>')
    for share in [0, 0.1, 0.2, 0.3, 0.4]:
        lines.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="#eee"/>')
        if index == 0:
            lines.append(f'<text x="{left - 5:.1f}" y="{y(share) + 3:.1f}" text-anchor="end" font-size="9">{share:g}</text>')
    for color, method in zip(COLORS, methods):
        points = " ".join(f"{x(at):.1f},{y(share):.1f}" for at, share in zip(CHECKPOINTS, curves[method, dim]))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{2.2 if color == COLORS[0] else 1.3}"/>')
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--instances", nargs=2, type=int, default=(16, 25))
    arguments = parser.parse_args()
    curves = shares(arguments.runs, arguments.instances)
    methods = list(dict.fromkeys(method for method, _ in curves))
    dims = sorted({dim for _, dim in curves})
    width, height = LEFT + len(dims) * (WIDTH + GAP), TOP + HEIGHT + 62
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">')
    print(f'<rect width="{width}" height="{height}" fill="white"/>')
    for index, dim in enumerate(dims):
        print("\n".join(panel(index, dim, curves, methods)))
    print(f'<text x="{width / 2}" y="{TOP + HEIGHT + 31}" text-anchor="middle">evaluations / D</text>')
    left = LEFT
    for color, method in zip(COLORS, methods):
        label = LABELS.get(method, method)
        print(f'<line x1="{left}" x2="{left + 20}" y1="{height - 12}" y2="{height - 12}" stroke="{color}" stroke-width="2"/>')
        print(f'<text x="{left + 26}" y="{height - 8}">{label}</text>')
        left += 50 + 7 * len(label)
    print("</svg>")


if __name__ == "__main__":
    main()
