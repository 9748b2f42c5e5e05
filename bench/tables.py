"""Tables of runs: CSV, or CSV packed by gzip."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TextIO, cast


def opened(file: Path, mode: Literal["r", "w"]) -> TextIO:
    """The file as text, unpacked or packed on the way if its name ends in `.gz`."""
    if file.suffix == ".gz":
        return cast(TextIO, gzip.open(file, f"{mode}t", newline=""))
    return file.open(mode, newline="")


def rows(file: Path) -> Iterator[dict[str, str]]:
    """The lines of a table by the names of its columns."""
    with opened(file, "r") as lines:
        yield from csv.DictReader(lines)


def name_of(file: Path) -> str:
    """The file's name without `.csv` or `.csv.gz`."""
    return file.name.removesuffix(".gz").removesuffix(".csv")
