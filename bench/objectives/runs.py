"""What is kept of a run: one line of the CSV of its optimizer."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..tables import name_of, rows

COLUMNS = ("problem", "seed", "trials", "milliseconds", "late_milliseconds", "area20", "area100", "hypervolumes")
# Runs are judged after this many trials per dimension.
FACTORS = (5, 10, 20, 50, 100)
AREAS = (20, 100)


@dataclass(frozen=True)
class Run:
    """A finished run.

    `hypervolumes` are shares of the best known one by trials per dimension, `areas` their means over all trials up to that many.
    Milliseconds are those of one core for one suggestion: of all trials, and of the last tenth.
    """

    problem: str
    optimizer: str
    seed: int
    trials: int
    milliseconds: float
    late_milliseconds: float
    areas: dict[int, float]
    hypervolumes: dict[int, float]

    @property
    def key(self) -> tuple[str, str, int]:
        return self.problem, self.optimizer, self.seed

    @property
    def place(self) -> tuple[str, int]:
        """What is compared between optimizers: a problem and a seed."""
        return self.problem, self.seed


def file_of(folder: Path, optimizer: str) -> Path:
    return folder / f"{optimizer}.csv"


def append(folder: Path, run: Run) -> None:
    """Adds the run to its optimizer's file."""
    file = file_of(folder, run.optimizer)
    new = not file.exists()
    with file.open("a", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        times = [f"{run.milliseconds:.3g}", f"{run.late_milliseconds:.3g}"]
        areas = [f"{run.areas[factor]:.5g}" if factor in run.areas else "" for factor in AREAS]
        volumes = " ".join(f"{factor}:{value:.5g}" for factor, value in run.hypervolumes.items())
        writer.writerow([run.problem, run.seed, run.trials, *times, *areas, volumes])


def _read(file: Path) -> Iterable[Run]:
    for line in rows(file):
        volumes = dict(pair.split(":") for pair in line["hypervolumes"].split())
        yield Run(
            line["problem"],
            name_of(file),
            int(line["seed"]),
            int(line["trials"]),
            float(line["milliseconds"]),
            float(line["late_milliseconds"]),
            {factor: float(line[f"area{factor}"]) for factor in AREAS if line[f"area{factor}"]},
            {int(factor): float(value) for factor, value in volumes.items()},
        )


def load(paths: Iterable[Path]) -> list[Run]:
    """The runs of files and of all such files in folders; of the same run the longest one counts, of equally long ones the last."""
    runs: dict[tuple[str, str, int], Run] = {}
    for path in paths:
        if not path.exists():
            raise ValueError(f"{path} does not exist; expected a folder or a file of runs")
        for file in [path] if path.is_file() else sorted(path.glob("*.csv*")):
            for run in _read(file):
                known = runs.get(run.key)
                if known is None or run.trials >= known.trials:
                    runs[run.key] = run
    return sorted(runs.values(), key=lambda run: run.key)
