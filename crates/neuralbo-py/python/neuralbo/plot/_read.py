"""One view of optimizers, results and studies: their trials as records, their parameters as scales."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Record:
    """One finished or running trial."""

    number: int
    params: dict[str, Any]
    state: str
    value: Optional[float]
    mean: Optional[float]
    sd: Optional[float]
    #: Everything that was measured, by name.
    values: Mapping[str, float]
    #: Whether the outcome constraints hold.
    is_feasible: bool

    @property
    def is_complete(self) -> bool:
        """Whether it ended with a value."""
        return self.state == "complete" and self.value is not None

    @property
    def told(self) -> float:
        """The value of a complete trial, NaN of any other."""
        return math.nan if self.value is None else self.value

    @property
    def is_finished(self) -> bool:
        """Whether it ended, with or without a value."""
        return self.state not in ("running", "waiting")


def records(source: Any) -> list[Record]:
    """The trials of an optimizer, a result or a study, by number."""
    trials = getattr(source, "trials", None)
    if trials is None:
        trials = getattr(source, "history", None)
    if trials is None:
        raise TypeError(f"expected an Optimizer, a Result or a Study, found {type(source).__name__}")
    return sorted(map(record, trials), key=lambda found: found.number)


def record(trial: Any) -> Record:
    """One trial as a record."""
    is_feasible = trial.feasible is not False
    return Record(trial.number, trial.params, str(trial.state), trial.value, trial.mean, trial.sd, trial.measured, is_feasible)


def objective_names(source: Any) -> list[tuple[str, str]]:
    """Names and directions of the objectives."""
    return [(one.name, one.direction) for one in source.objectives]


def front_records(source: Any) -> list[Record]:
    """The trials of the Pareto front, starting with the best value of the first objective."""
    trials = getattr(source, "front", None)
    found = map(record, source.best_trials if trials is None else trials)
    name, way = objective_names(source)[0]
    return sorted(found, key=lambda one: one.values[name], reverse=way == "maximize")


def named(point: Any, names: Optional[Sequence[str]]) -> dict[str, Any]:
    """A point as parameters by name; coordinates are x0, x1, … and a row of a pool is `index`."""
    if isinstance(point, Mapping):
        return dict(point)
    if not isinstance(point, Iterable):
        return {"index": point}
    values = list(point)
    if names is None or len(names) != len(values):
        names = [f"x{i}" for i in range(len(values))]
    return dict(zip(names, values))


def space_names(source: Any) -> Optional[list[str]]:
    """The names of the parameters, where the source has a space."""
    return None if source.space is None else source.space.names


def direction(source: Any) -> str:
    """`minimize` or `maximize`."""
    return "minimize" if len(source.objectives) > 1 else str(source.direction)


def ended_badly(found: Sequence[Record]) -> str:
    """The states of finished but incomplete trials, for legends: `failed`, `pruned` or both."""
    states = sorted({one.state for one in found if one.is_finished and not one.is_complete})
    return " or ".join(states)


def best_so_far(found: Sequence[Record], way: str) -> list[tuple[int, float]]:
    """(evaluations, best value) after every finished evaluation, starting with the first complete one."""
    better = max if way == "maximize" else min
    curve: list[tuple[int, float]] = []
    best: Optional[float] = None
    finished = [one for one in found if one.is_finished]
    for count, one in enumerate(finished, start=1):
        if one.is_complete and one.is_feasible:
            best = one.told if best is None else better(best, one.told)
        if best is not None:
            curve.append((count, best))
    return curve


def best_record(found: Sequence[Record], way: str) -> Optional[Record]:
    """The complete record with the best value, the first of ties."""
    better = max if way == "maximize" else min
    return better((one for one in found if one.is_complete and one.is_feasible), key=lambda one: one.told, default=None)
