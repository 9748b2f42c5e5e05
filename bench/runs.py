"""What is kept of a run: one line of JSON. Files may be packed by gzip."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

# Runs are judged after these shares of their trials.
FRACTIONS = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Run:
    """A finished run: losses by the share of trials, and milliseconds of one core per suggestion."""

    task: str
    method: str
    seed: int
    trials: int
    milliseconds: float
    losses: dict[float, float]

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.task, self.method, self.seed, self.trials


def append(file: Path, run: Run) -> None:
    fields = asdict(run) | {"milliseconds": float(f"{run.milliseconds:.3g}"), "losses": {at: float(f"{x:.9g}") for at, x in run.losses.items()}}
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab+") as out:
        # A process that ended while it wrote left half a line.
        if out.tell() and (out.seek(-1, 2), out.read())[1] != b"\n":
            out.write(b"\n")
        out.write(json.dumps(fields).encode() + b"\n")


def _read(file: Path) -> Iterable[Run]:
    with gzip.open(file, "rt") if file.suffix == ".gz" else file.open() as lines:
        for line in lines:
            try:
                fields = json.loads(line)
            except json.JSONDecodeError:
                continue  # half a line: its run is made again
            yield Run(**fields | {"losses": {float(at): loss for at, loss in fields["losses"].items()}})


def load(files: Iterable[Path]) -> list[Run]:
    """The runs of all files; the last one counts where a run is there twice."""
    runs: dict[tuple[str, str, int, int], Run] = {}
    for file in files:
        if not file.is_file():
            raise ValueError(f"{file} does not exist; expected a file of runs")
        runs.update((run.key, run) for run in _read(file))
    return sorted(runs.values(), key=lambda run: run.key)
