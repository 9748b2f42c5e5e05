"""What is kept of a run: a CSV of its trials while it is worked with, one line of a packed file in the results."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..tables import opened, rows

COLUMNS = ("trial", "value", "best", "true", "seconds")
PACKED = ("task", "optimizer", "seed", "trials", "milliseconds", "losses")


def budgets(trials: int) -> list[int]:
    """The numbers of trials after which a run is judged: a quarter, half and all of them."""
    return sorted({max(1, trials // 4), max(1, trials // 2), trials})


@dataclass(frozen=True)
class Row:
    """One trial: what the optimizer was told, the best told so far, its true loss at a budget, CPU seconds of ask and tell."""

    trial: int
    value: float
    best: float
    true: float | None
    seconds: float


@dataclass(frozen=True)
class Run:
    """A finished run: true losses of the incumbent by budget."""

    task: str
    optimizer: str
    seed: int
    trials: int
    milliseconds: float
    losses: dict[int, float]

    @property
    def key(self) -> tuple[str, str, int]:
        return self.task, self.optimizer, self.seed


def file_of(folder: Path, task: str, optimizer: str, seed: int) -> Path:
    return folder / "runs" / task / optimizer / f"{seed}.csv"


def write_rows(file: Path, rows: Iterable[Row]) -> None:
    """Appears whole or not at all, so that an interrupted benchmark can go on."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    with part.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for row in rows:
            true = "" if row.true is None else f"{row.true:.9g}"
            writer.writerow([row.trial, f"{row.value:.9g}", f"{row.best:.9g}", true, f"{row.seconds:.5f}"])
    part.replace(file)


def read_rows(file: Path) -> list[Row]:
    with file.open(newline="") as lines:
        return [
            Row(
                int(line["trial"]),
                float(line["value"]),
                float(line["best"]),
                float(line["true"]) if line["true"] else None,
                float(line["seconds"]),
            )
            for line in csv.DictReader(lines)
        ]


def run_of(task: str, optimizer: str, seed: int, rows: list[Row]) -> Run:
    losses = {row.trial: row.true for row in rows if row.true is not None}
    milliseconds = 1e3 * sum(row.seconds for row in rows) / len(rows)
    return Run(task, optimizer, seed, len(rows), milliseconds, losses)


def load(paths: Iterable[Path]) -> list[Run]:
    """The runs of packed files and folders of runs; of the same run the last one counts."""
    runs: dict[tuple[str, str, int], Run] = {}
    for path in paths:
        if not path.exists():
            raise ValueError(f"{path} does not exist; expected a folder of runs or a packed file")
        for packed in [path] if path.is_file() else sorted(path.glob("*runs*.csv*")):
            runs.update((run.key, run) for run in _read_packed(packed))
        for file in sorted(path.glob("runs/*/*/*.csv")):
            run = run_of(file.parts[-3], file.parts[-2], int(file.stem), read_rows(file))
            runs[run.key] = run
    return sorted(runs.values(), key=lambda run: run.key)


def pack(file: Path, runs: Iterable[Run]) -> None:
    with opened(file, "w") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(PACKED)
        for run in runs:
            writer.writerow([run.task, run.optimizer, run.seed, run.trials, f"{run.milliseconds:.3f}", _pairs(run.losses)])


def _pairs(values: dict[int, float]) -> str:
    return " ".join(f"{trial}:{value:.9g}" for trial, value in values.items())


def _read_packed(file: Path) -> list[Run]:
    def pairs(text: str) -> dict[int, float]:
        return {int(trial): float(value) for trial, value in (pair.split(":") for pair in text.split())}

    return [
        Run(
            line["task"],
            line["optimizer"],
            int(line["seed"]),
            int(line["trials"]),
            float(line["milliseconds"]),
            pairs(line["losses"]),
        )
        for line in rows(file)
    ]
