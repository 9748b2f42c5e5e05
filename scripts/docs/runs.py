"""The committed runs and reports in results/, read by those who put them into the pages."""

import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import tables  # noqa: E402

RESULTS = ROOT / "results"
REPRODUCTION = RESULTS / "2026-11-16/reproduction"
# What `@offset` subtracts.
OFFSETS = {
    **{"ackley-20": 42.0, "ackley-50": 43.0, "ackley-100": 43.0, "levy-20": 500.0, "levy-50": 1300.0, "levy-100": 2600.0},
    **{"michalewicz-20": -4.4, "michalewicz-50": -11.0, "michalewicz-100": -22.0},
}
# Rows of a table; None: what no result has.
Rows = list[list[str | None]]


class Quote(NamedTuple):
    """A figure in sentences: wherever `pattern` matches, its groups must read `value`; on `pages` it must match."""

    value: str
    pattern: str
    pages: tuple[str, ...]


def values(path: Path, column: str) -> dict[tuple[str, str], list[float]]:
    """A column of a file of runs by problem and method."""
    found = defaultdict(list)
    for line in tables.rows(path):
        found[line["problem"], line["method"]].append(float(line[column]))
    return found


def table(path: Path, after: str) -> dict[str, list[str]]:
    """The rows of the first table after a text, without emphasis, by their first cell."""
    text, found = path.read_text(), {}
    for line in text[text.index(after) :].replace("**", "").splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[cells[0]] = cells[1:]
        elif found:
            break
    return found
