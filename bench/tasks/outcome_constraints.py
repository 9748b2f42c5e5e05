"""Outcome constraints: the lab's problems, evaluated by `neuralbo lab eval` (NEURALBO_CLI names the program).

The loss of a run is the value of its best feasible trial, infinite before there is one. Slacks are in units of their median size
over the space. Local methods end on the border up to rounding, so a run is judged with a tolerance of 1e-6; methods are told slacks
without it, or they would end on the border of what is tolerated, up to rounding.
"""

import json
import math
import os
import random
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..peers import Outcome
from ..space import Params, Space
from .base import History, Task

NAMES = ("g04", "g06", "g07", "g09", "gardner1", "gardner2", "gramacy", "pressure-vessel", "speed-reducer", "spring", "welded-beam")
TOLERANCE = 1e-6
POINTS = 1001


def program() -> str:
    """The program whose problems these are."""
    found = os.environ.get("NEURALBO_CLI") or shutil.which("neuralbo")
    if not found:
        raise ValueError("outcome constraints need the program `neuralbo` on the path or in NEURALBO_CLI")
    return found


@dataclass(frozen=True)
class Constrained(Task):
    """A problem of the lab with outcome constraints; `units` are those of the slacks."""

    units: tuple[float, ...]
    centred = True

    @property
    def outcome_constraints(self) -> int:  # type: ignore[override]
        return len(self.units)

    def evaluate(self, params: Params, seed: int) -> Outcome:
        (value, *slacks), *_ = evaluated(self.name, [[params[param.name] for param in self.space.params]])
        return Outcome((value,), tuple(slack / unit for slack, unit in zip(slacks, self.units, strict=True)))

    def loss(self, history: History) -> float:
        return min((outcome.values[0] for _, outcome in history if min(outcome.slacks) >= -TOLERANCE), default=math.inf)


def evaluated(name: str, points: list[list[float]]) -> list[list[float]]:
    """Value and slacks at each point."""
    lines = "".join(",".join(map(repr, point)) + "\n" for point in points)
    done = subprocess.run([program(), "lab", "eval", name], input=lines, capture_output=True, text=True, check=True)
    return [[float(cell) for cell in line.split(",")] for line in done.stdout.splitlines()]


def _space(name: str) -> Space:
    """The space of the study that the program creates for the problem."""
    with tempfile.TemporaryDirectory() as folder:
        storage = ["--storage", str(Path(folder) / "s.db")]
        create = [program(), "run", "--study", "s", "--function", name, "--method", "random", "--trials", "1", *storage]
        # Its exit code says that the only trial is not feasible, which is of no interest here.
        subprocess.run(create, capture_output=True)
        head = subprocess.run([program(), "export", "s", *storage], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    return Space.of_protocol(json.loads(head)["definitions"][0]["space"])


@cache
def get(name: str) -> Constrained:
    space, draw = _space(name), random.Random(0)
    rows = evaluated(name, [list(space.at([draw.random() for _ in space.params]).values()) for _ in range(POINTS)])
    units = tuple(statistics.median(abs(row[j]) for row in rows) or 1.0 for j in range(1, len(rows[0])))
    if not units:
        raise ValueError(f"{program()} prints no slacks of {name}; it is older than these benchmarks")
    return Constrained(name, "outcome constraints", space, units)
