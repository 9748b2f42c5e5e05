"""Trials of a study: those under way, and those of the past."""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from neuralbo import _check, _suggest
from neuralbo.space import Domain

if TYPE_CHECKING:
    from neuralbo import _engine


class TrialPruned(Exception):
    """Raised by an objective to end a trial early: ``if trial.should_prune(): raise neuralbo.TrialPruned``."""


@dataclass(frozen=True)
class FrozenTrial:
    """A trial as the storage has it.

    `state` is ``running``, ``waiting``, ``complete``, ``failed`` or ``pruned``; `mean` and `sd` are what a model predicted for the
    value when it chose the point, its noise included where the model estimates it.
    """

    number: int
    params: Dict[str, Any]
    state: str
    value: Optional[float]
    message: Optional[str] = None
    origin: Optional[str] = None
    mean: Optional[float] = None
    sd: Optional[float] = None
    worker: str = ""
    datetime_start: Optional[datetime.datetime] = None
    datetime_complete: Optional[datetime.datetime] = None
    _reports: Callable[[], List[Tuple[int, float]]] = field(default=list, repr=False, compare=False)

    @property
    def intermediate_values(self) -> Dict[int, float]:
        """The reported values by step, read from the storage."""
        return dict(self._reports())

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """How long it took."""
        if self.datetime_start is None or self.datetime_complete is None:
            return None
        return self.datetime_complete - self.datetime_start


class Trial:
    """A trial under way: what the objective gets.

    >>> import neuralbo
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=3)
    >>> len(study.trials)
    3
    """

    def __init__(self, number: int, values: Mapping[str, Any], rng: random.Random) -> None:
        self.number = number
        self._values = values
        self._rng = rng
        #: The values that the objective has asked for.
        self.params: Dict[str, Any] = {}
        #: The domains of the calls so far.
        self.distributions: Dict[str, Domain] = {}
        #: The last value reported.
        self.last_report: Optional[float] = None

    def suggest_float(
        self, name: str, low: float, high: float, *, step: Optional[float] = None, log: bool = False
    ) -> float:
        """A real number from `low` to `high`."""
        return float(self._suggest(name, _suggest.float_domain(name, low, high, step, log)))

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1, log: bool = False) -> int:
        """A whole number from `low` to `high`."""
        return int(self._suggest(name, _suggest.int_domain(name, low, high, step, log)))

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        """One of some values."""
        return self._suggest(name, _suggest.choice_domain(name, choices))

    def _suggest(self, name: str, domain: Domain) -> Any:
        if name not in self.params:
            self.params[name] = self._choose(name, domain)
            self.distributions[name] = domain
        elif self.distributions[name] != domain:
            raise ValueError(f"parameter `{name}` was asked for as {self.distributions[name]!r}, now as {domain!r}")
        return self.params[name]

    def _choose(self, name: str, domain: Domain) -> Any:
        """The engine's value, or for a parameter that the study does not have a random one."""
        if name in self._values:
            return _suggest.fitted(name, domain, self._values[name])
        return _suggest.drawn(domain, self._rng)

    def report(self, value: float, step: int) -> None:
        """An intermediate value; the last one told for a step counts."""
        raise NotImplementedError

    def should_prune(self) -> bool:
        """Whether the median rule would stop the trial: its best intermediate value so far is worse than the median of the
        complete trials at the same step, of which there must be at least four."""
        raise NotImplementedError


class StoredTrial(Trial):
    """A trial that this process has claimed."""

    def __init__(
        self, core: _engine.Study, number: int, attempt: Optional[int], values: Mapping[str, Any], rng: random.Random
    ) -> None:
        super().__init__(number, values, rng)
        self._core = core
        self.attempt = attempt

    def report(self, value: float, step: int) -> None:
        number, at = checked_report(value, step)
        self._core.report(self.number, self.attempt, at, number)
        self.last_report = number

    def should_prune(self) -> bool:
        return self._core.should_prune(self.number)


class ProbeTrial(Trial):
    """A trial before the study has a space: its calls tell the space. The first one gets the middle of every domain."""

    def __init__(self, number: int, rng: random.Random) -> None:
        super().__init__(number, {}, rng)
        self.reports: Dict[int, float] = {}

    def _choose(self, name: str, domain: Domain) -> Any:
        return _suggest.middle(domain) if self.number == 0 else _suggest.drawn(domain, self._rng)

    def report(self, value: float, step: int) -> None:
        number, at = checked_report(value, step)
        self.reports[at] = number
        self.last_report = number

    def should_prune(self) -> bool:
        return False


class EnqueuedProbe(ProbeTrial):
    """A probe with values from :meth:`Study.enqueue_trial`."""

    def __init__(self, number: int, params: Mapping[str, Any], rng: random.Random) -> None:
        super().__init__(number, rng)
        self._given = params

    def _choose(self, name: str, domain: Any) -> Any:
        return _suggest.fitted(name, domain, self._given[name]) if name in self._given else super()._choose(name, domain)


def checked_report(value: Any, step: Any) -> Tuple[float, int]:
    """The arguments of :meth:`Trial.report`."""
    return _check.number(value, "value"), _check.count(step, "step", 0)


def moment(ms: Optional[int]) -> Optional[datetime.datetime]:
    """A time of the storage, in milliseconds since 1970."""
    return None if not ms else datetime.datetime.fromtimestamp(ms / 1000.0)


def outcome_of(value: Any, state: Optional[str]) -> Any:
    """(state, value, message) as the storage takes them."""
    if isinstance(value, BaseException):
        return "failed", None, f"{type(value).__name__}: {value}"
    if state == "failed" or value is None:
        return "failed", None, "no value" if state is None else f"told as {state}"
    return state or "complete", checked_value(value, "value"), ""


def checked_value(value: Any, field: str) -> Any:
    """A number as a float, or what stands for a failure."""
    if value is None or isinstance(value, BaseException):
        return value
    return _check.number(value, field, allowed="a number, or None, NaN or an exception for a failure")
