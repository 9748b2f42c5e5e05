"""One view of optimizers, results and studies: their trials as records, their parameters as scales."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass(frozen=True)
class Record:
    """One finished or running trial."""

    number: int
    params: dict[str, Any]
    state: str
    value: Optional[float]
    origin: str
    mean: Optional[float]
    sd: Optional[float]
    #: Everything that was measured, by name.
    values: Mapping[str, float] = field(default_factory=dict)
    #: Whether the outcome constraints hold.
    is_feasible: bool = True

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
    names = space_names(source)
    return sorted((record(trial, names) for trial in trials), key=lambda found: found.number)


def record(trial: Any, names: Optional[Sequence[str]]) -> Record:
    """One trial as a record."""
    point = getattr(trial, "params", None)
    if point is None:
        point = trial.x
    value = getattr(trial, "value", None)
    finite = None if value is None or not math.isfinite(value) else float(value)
    return Record(
        number=int(trial.number),
        params=named(point, names),
        state=state_name(trial.state),
        value=finite,
        origin=str(getattr(trial, "origin", "") or ""),
        mean=getattr(trial, "mean", None),
        sd=getattr(trial, "sd", None),
        values=measured(trial),
        is_feasible=getattr(trial, "feasible", None) is not False,
    )


def measured(trial: Any) -> dict[str, float]:
    """The values of a trial by name."""
    values = getattr(trial, "measured", None)
    return dict(values) if isinstance(values, Mapping) else {}


def objective_names(source: Any) -> list[tuple[str, str]]:
    """Names and directions of the objectives."""
    return [(one.name, one.direction) for one in getattr(source, "objectives", None) or ()]


def front_records(source: Any) -> list[Record]:
    """The trials of the Pareto front, starting with the best value of the first objective."""
    trials = getattr(source, "front", None)
    found = [record(trial, space_names(source)) for trial in (source.best_trials if trials is None else trials)]
    name, way = objective_names(source)[0]
    return sorted(found, key=lambda one: one.values[name], reverse=way == "maximize")


def state_name(state: Any) -> str:
    """The state in lower case, from a string or an enumeration member."""
    return str(getattr(state, "name", state)).lower()


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
    names = getattr(getattr(source, "space", None), "names", None)
    return None if names is None else list(names)


def direction(source: Any) -> str:
    """`minimize` or `maximize`."""
    told = None if len(objective_names(source)) > 1 else getattr(source, "direction", None)
    return "minimize" if told is None else state_name(told)


def ended_badly(found: Sequence[Record]) -> str:
    """The states of finished but incomplete trials, for legends: `failed`, `pruned` or both."""
    states = sorted({one.state for one in found if one.is_finished and not one.is_complete})
    return " or ".join(states)


def is_better(way: str, a: float, b: float) -> bool:
    """Whether value `a` is strictly better than `b`."""
    return a > b if way == "maximize" else a < b


def best_so_far(found: Sequence[Record], way: str) -> list[tuple[int, float]]:
    """(evaluations, best value) after every finished evaluation, starting with the first complete one."""
    curve: list[tuple[int, float]] = []
    best: Optional[float] = None
    finished = [one for one in found if one.is_finished]
    for count, one in enumerate(finished, start=1):
        if one.is_complete and one.is_feasible and (best is None or is_better(way, one.told, best)):
            best = one.told
        if best is not None:
            curve.append((count, best))
    return curve


def best_record(found: Sequence[Record], way: str) -> Optional[Record]:
    """The complete record with the best value, the first of ties."""
    best: Optional[Record] = None
    for one in found:
        if one.is_complete and one.is_feasible and (best is None or is_better(way, one.told, best.told)):
            best = one
    return best
