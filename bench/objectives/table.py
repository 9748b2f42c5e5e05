"""Runs as numbers to compare: what all optimizers have run, by group of problems."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from ..hpo import stats
from .runs import AREAS, FACTORS, Run

COCO = re.compile(r"bbob-biobj-f(\d\d)-i\d\d-d(\d\d)")


def group_of(problem: str) -> str:
    """The group in whose table a problem is reported."""
    coco = COCO.fullmatch(problem)
    if coco:
        return f"bbob-biobj, D = {int(coco[2])}"
    return problem.split("-d")[0] if problem[:3] in ("zdt", "dtl") else problem


def unit_of(run: Run) -> str:
    """What counts as one observation of a test: a function of COCO (the mean of its instances), otherwise a seed."""
    coco = COCO.fullmatch(run.problem)
    return f"f{coco[1]}" if coco else f"seed {run.seed}"


@dataclass
class Table:
    """values[group][optimizer][unit]: one of the measures of all runs that every optimizer has."""

    runs: list[Run]
    optimizers: list[str] = field(init=False)
    factors: list[int] = field(init=False)

    def __post_init__(self) -> None:
        if not self.runs:
            raise ValueError("there are no runs to report")
        self.optimizers = sorted({run.optimizer for run in self.runs})
        places = [{run.place for run in self.runs if run.optimizer == name} for name in self.optimizers]
        common = set.intersection(*places)
        if not common:
            raise ValueError(f"no problem has runs of all of {', '.join(self.optimizers)}")
        self.runs = [run for run in self.runs if run.place in common]
        self.factors = [at for at in FACTORS if all(at in run.hypervolumes for run in self.runs)]

    @property
    def areas(self) -> list[int]:
        return [at for at in AREAS if at in self.factors]

    @property
    def groups(self) -> list[str]:
        """COCO by dimension, then the others by name."""
        names = {group_of(run.problem) for run in self.runs}
        return sorted(names, key=lambda name: (not name.startswith("bbob"), len(name) if name.startswith("bbob") else 0, name))

    def units(self, group: str, measure: tuple[str, int]) -> dict[str, dict[str, float]]:
        """The measure of every optimizer by unit; `measure` is ("hypervolumes" or "areas", trials per dimension)."""
        collected: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        kind, factor = measure
        for run in self.runs:
            if group_of(run.problem) == group:
                collected[run.optimizer][unit_of(run)].append(getattr(run, kind)[factor])
        return {name: {unit: float(np.mean(values)) for unit, values in sorted(by.items())} for name, by in collected.items()}

    def milliseconds(self, group: str) -> dict[str, float]:
        collected: dict[str, list[float]] = defaultdict(list)
        for run in self.runs:
            if group_of(run.problem) == group:
                collected[run.optimizer].append(run.milliseconds)
        return {name: float(np.mean(values)) for name, values in collected.items()}


Units = dict[str, dict[str, float]]


def standard_error(values: dict[str, float]) -> float:
    return float(np.std(list(values.values()), ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def ranks(units: Units) -> dict[str, float]:
    """Mean ranks over units, 1 is the largest value."""
    names = list(next(iter(units.values())))
    each = [stats.mean_ranks({name: [-values[unit]] for name, values in units.items()}) for unit in names]
    return {name: float(np.mean([rank[name] for rank in each])) for name in units}


@dataclass(frozen=True)
class Versus:
    """Ours against a rival over units: won, tied, lost; mean difference; p-value of Wilcoxon's signed-rank test on pairs."""

    wins: int
    ties: int
    losses: int
    difference: float
    p: float


def versus(units: Units, ours: str, rival: str) -> Versus:
    mine, other = (np.array(list(units[name].values())) for name in (ours, rival))
    signs = np.sign(np.round(mine - other, stats.DIGITS))
    counts = [int(np.sum(signs == sign)) for sign in (1.0, 0.0, -1.0)]
    return Versus(*counts, float(np.mean(mine - other)), stats.wilcoxon(mine, other))
