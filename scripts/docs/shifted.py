"""Rows of the table of docs/results.md about functions with a moved optimum and noise, from the files of FILES.

    python3 scripts/docs/shifted.py                               (prints the rows)
    python3 scripts/docs/shifted.py collect own=DIR shared=DIR    (writes the last of them from the traces of `neuralbo lab run`)

`own`: every method starts by itself, evaluations count from its first point; `shared`: 20 random points come first and count.
"""

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

from runs import RESULTS, tables

# What a method did on a problem from a start is taken from the last file that has it.
FILES = [RESULTS / day / "shifted.csv.gz" for day in ("2026-11-18", "2026-11-19")]
SHARED = 20
MARKS = (50, 200, 500, 1000, 2000)
METHODS = {"neuralbo": "**neuralbo**", "turbo": "TuRBO-1", "cma": "CMA-ES", "cobyqa": "COBYQA", "gp-ts": "`gp-ts`"}
FUNCTIONS, DIMS = ("ackley", "levy", "michalewicz"), (10, 20, 50, 100)


def trace(path: Path, start: str) -> dict[str, object]:
    """The best true values of a run after so many evaluations in all."""
    with gzip.open(path, "rt") as file:
        head = json.loads(file.readline()[2:])
        best = {int(line["evaluation"]): line["best"] for line in csv.DictReader(file)}
    first = SHARED if start == "shared" else 0
    method = head["method"].split("bench.peers ")[-1].split(":")[0]
    return {"start": start, "problem": head["problem"], "method": method, "run": head["run"], **{f"best_{mark}": best.get(mark - first, "") for mark in MARKS}}


def collect(folders: list[str]) -> None:
    lines = []
    for folder in folders:
        start, _, place = folder.partition("=")
        lines += [trace(path, start) for path in sorted(Path(place).rglob("run-*.csv.gz"))]
    with gzip.open(FILES[-1], "wt", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


def runs() -> dict[tuple[str, str, str, int], list[float]]:
    """Best values by start, problem, method and evaluations."""
    found: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    for path in FILES:
        present: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
        for line in tables.rows(path):
            for mark in MARKS:
                if line[f"best_{mark}"]:
                    present[line["start"], line["problem"].split("@")[0], line["method"], mark].append(float(line[f"best_{mark}"]))
        found |= present
    return found


def digits(value: float) -> int:
    return max(0, 2 - len(str(int(abs(value)))))


def cell(values: list[float]) -> str:
    """Mean ± standard error; a dash for fewer than three runs."""
    if len(values) < 3:
        return "–"
    middle, error = mean(values), stdev(values) / len(values) ** 0.5
    return f"{middle:.{digits(middle)}f} ± {error:.{digits(middle)}f}".replace("-", "−")


def means(values: list[list[float]]) -> str:
    """The means after each number of evaluations; the method is missing if it has fewer than five runs."""
    if min(map(len, values)) < 5:
        return ""
    return " / ".join(f"{mean(at):.{digits(mean(at))}f}".replace("-", "−") for at in values)


def every() -> list[tuple[str, str, str]]:
    return [(start, f"{function}-{dim}", f"{function.capitalize()}-{dim}") for start in ("own", "shared") for function in FUNCTIONS for dim in DIMS]


def table() -> list[str]:
    """One line per method, with standard errors."""
    known, found = runs(), []
    for start, problem, name in every():
        for method, label in METHODS.items():
            cells = [cell(known[start, problem, method, mark]) for mark in (200, 500, 2000)]
            if set(cells) != {"–"}:
                found.append(f"| {name} | {start} | {label} | {' | '.join(cells)} |")
    return found


def rows() -> list[str]:
    """One line per problem, methods side by side, as docs/results.md has them."""
    known, found = runs(), []
    for start, problem, name in every():
        cells = [means([known[start, problem, method, mark] for mark in (200, 500, 2000)]) for method in ("neuralbo", "turbo", "cma", "cobyqa")]
        found.append(f"| {name} | {start} | {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |"))
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["collect"]:
        collect(sys.argv[2:])
    else:
        print("\n".join([*rows(), "", *table()]))
