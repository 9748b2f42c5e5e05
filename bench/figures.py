#!/usr/bin/env python3
"""The figures of README.md and docs, as SVG: BBOB's targets reached, and the cost of a suggestion.

    python -m bench.figures bbob ours.csv.gz peers.csv.gz --instances 16 25 > docs/bbob.svg
    python -m bench.figures overhead results/2026-11-15/overhead/*.json > docs/overhead.svg

Sources of `bbob` are those of `bench.tables`, those of `overhead` outputs of `neuralbo lab overhead --json`. Needs matplotlib.
"""

import argparse
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

from .tables import BUDGETS, LABELS, TARGETS, load  # noqa: E402


def bbob(sources: list[Path], instances: tuple[int, int]) -> None:
    """Share of targets reached against evaluations per dimension, one panel per dimension."""
    scores = {method: of for source in sources for method, of in load(source).items()}
    dims = sorted({key[0] for of in scores.values() for key in of})
    figure, panels = plt.subplots(1, len(dims), figsize=(2.6 * len(dims), 3), sharey=True, squeeze=False)
    for dim, panel in zip(dims, panels[0]):
        for number, (method, of) in enumerate(scores.items()):
            gaps = np.array([one.gaps for key, one in of.items() if key[0] == dim and instances[0] <= key[2] <= instances[1]])
            if len(gaps):
                shares = (gaps[:, :, None] <= np.array(TARGETS)).mean(axis=(0, 2))
                panel.plot(BUDGETS, shares, label=LABELS.get(method, method), linewidth=1.3 if number else 2.2)
        panel.set(title=f"D = {dim}", xscale="log", xticks=BUDGETS[::2], xticklabels=[f"{at:g}" for at in BUDGETS[::2]])
        panel.minorticks_off()
        panel.set_xlabel("evaluations / D")
    panels[0][0].set_ylabel("share of targets reached")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)


def overhead(sources: list[Path]) -> None:
    """CPU time and resident set of a suggestion against the number of observations."""
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.4))
    for run in (json.loads(source.read_text()) for source in sources):
        rows = run["measurements"]
        seen = [row["observations"] for row in rows]
        panels[0].loglog(seen, [row["cpu_ms"] for row in rows], "o-", label=f"{run['method']}, d = {run['dim']}")
        panels[1].loglog(seen, [row["resident_kib"] / 1024 for row in rows], "o-")
    for panel, title in zip(panels, ("CPU ms per suggestion", "resident set, MiB")):
        panel.set(title=title, xlabel="observations")
        panel.grid(color="#ddd")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.figures", description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=("bbob", "overhead"))
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--instances", nargs=2, type=int, default=(1, 10**9), metavar=("FIRST", "LAST"))
    options = parser.parse_args()
    # The same runs give the same file.
    plt.rcParams.update({"svg.hashsalt": "neuralbo", "figure.constrained_layout.use": True})
    bbob(options.sources, tuple(options.instances)) if options.figure == "bbob" else overhead(options.sources)
    plt.savefig(sys.stdout, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
