"""Means with standard errors, and paired comparisons."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path

#: What the others are compared with.
BASE = ("neuralbo+asha+promotion", "neuralbo+asha", "neuralbo+hyperband")


def _mean(values: list[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, float("nan")
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def _logs(losses: dict[str, float]) -> dict[str, float]:
    return {seed: math.log(loss) if loss > 0 else float("nan") for seed, loss in losses.items()}


def table(file: Path) -> str:
    """A table a task: loss after half and all of the cost, and by how much each of `BASE` is better in pairs of one seed."""
    with file.open() as opened:
        rows = list(csv.DictReader(opened))
    losses: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    extra: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        losses[row["task"]][row["method"]][row["seed"]] = float(row["loss"])
        extra[row["task"], row["method"]].append(row)
    lines = []
    for task, methods in losses.items():
        bases = [base for base in BASE if base in methods]
        lines += ["", f"### {task}", "", "| method | seeds | trials | complete | loss at half | loss | " + " | ".join(f"against {base}" for base in bases) + " |"]
        lines += ["| --- " * (6 + len(bases)) + "|"]
        for method, by_seed in sorted(methods.items(), key=lambda item: _mean(list(item[1].values()))[0]):
            own = extra[task, method]
            mean, error = _mean(list(by_seed.values()))
            half = _mean([float(row["half"]) for row in own])[0]
            trials, complete = (_mean([float(row[key]) for row in own])[0] for key in ("trials", "complete"))
            against = []
            for base in bases:
                one, other = _logs(by_seed), _logs(methods[base])
                pairs = [one[seed] - other[seed] for seed in one if seed in other]
                difference, doubt = _mean(pairs) if pairs and method != base else (float("nan"), float("nan"))
                against.append("" if math.isnan(difference) else f"{100 * difference:+.1f} ± {100 * doubt:.1f} %")
            lines.append(f"| {method} | {len(own)} | {trials:.0f} | {complete:.0f} | {half:.4f} | {mean:.4f} ± {error:.4f} | " + " | ".join(against) + " |")
    return "\n".join(lines).strip() + "\n"
