"""Trials: passed to objectives, listed by studies and optimizers."""

from __future__ import annotations

import datetime
import warnings
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from neuralbo import _check, _engine
from neuralbo._domains import Spec, frozen, from_spec, under
from neuralbo.space import Categorical, Domain, Fixed, Float, Int, as_dict, spec_of


class TrialState(str, Enum):
    """The state of a trial; each equals its text.

    >>> TrialState.COMPLETE == "complete", TrialState("pruned"), TrialState.RUNNING.is_finished()
    (True, 'pruned', False)
    """

    RUNNING = "running"
    #: Without a worker: enqueued, or given back.
    WAITING = "waiting"
    COMPLETE = "complete"
    PRUNED = "pruned"
    FAIL = "failed"

    def is_finished(self) -> bool:
        """Whether the trial has ended.

        >>> TrialState.PRUNED.is_finished()
        True
        """
        return self not in (TrialState.RUNNING, TrialState.WAITING)

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(str(self.value), spec)


class Suggests:
    """The suggest methods of a trial; `_suggest` provides the values."""

    def suggest_float(
        self, name: str, low: float, high: float, *, step: Optional[float] = None, log: bool = False
    ) -> float:
        """Suggest a real number from `low` to `high`.

        >>> import neuralbo
        >>> neuralbo.create_study(seed=1).ask().suggest_float("x", 2.0, 2.0)
        2.0
        """
        return float(self._value(name, lambda: _float_or_fixed(low, high, step, log)))

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1, log: bool = False) -> int:
        """Suggest an integer from `low` to `high`.

        >>> import neuralbo
        >>> neuralbo.create_study(seed=1).ask().suggest_int("n", 1, 9, step=4) in (1, 5, 9)
        True
        """
        return int(self._value(name, lambda: Int(low, high, log=log, step=step)))

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        """Suggest one of the values, the object in `choices` itself.

        >>> import neuralbo
        >>> neuralbo.create_study(seed=1).ask().suggest_categorical("kernel", ["linear", "rbf"]) in ("linear", "rbf")
        True
        """
        given = choices if isinstance(choices, (list, tuple)) or not hasattr(choices, "__iter__") else list(choices)
        found = self._value(name, lambda: Categorical(given))
        return next((choice for choice in given if type(frozen(choice)) is type(found) and frozen(choice) == found), found)

    def _value(self, name: str, domain: Callable[[], Domain]) -> Any:
        try:
            made = domain()
        except (TypeError, ValueError) as error:
            raise type(error)(f"parameter `{_check.text(name, 'name')}`: {error}") from None
        return self._suggest(spec_of(_check.text(name, "name"), made))

    def _suggest(self, spec: Spec) -> Any:
        raise NotImplementedError


class Trial(Suggests, _engine.Trial):
    """One evaluation: the suggestion, its origin and its result.

    An objective requests its parameters from a running trial; they are stored with the result. A finished trial gives
    the values that it had.

    >>> import neuralbo
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=3)
    >>> [sorted(trial.params) for trial in study.trials]
    [['x'], ['x'], ['x']]
    """

    def __init__(self, record: _engine.Trial, x: Any = None) -> None:  # pyright: ignore[reportInconsistentConstructor]
        self._x = x

    @property
    def state(self) -> TrialState:
        """``running``, ``waiting`` (for a worker), ``complete``, ``failed`` or ``pruned``."""
        return TrialState(super().state)

    @property
    def distributions(self) -> Dict[str, Domain]:
        """The domains of its parameters, as the study has them now.

        >>> import neuralbo
        >>> neuralbo.create_study(seed=1).ask({"n": neuralbo.Int(1, 9)}).distributions
        {'n': Int(low=1, high=9, log=False, step=1)}
        """
        return {spec[0]: under(from_spec(spec), None) for spec in self._specs()}

    @property
    def x(self) -> Any:
        """The point in the optimizer's form: a vector, a dict or a pool index."""
        return self.params if self._x is None else self._x

    def _suggest(self, spec: Spec) -> Any:
        return _kept(spec, self.params) if self.state.is_finished() else _engine.Trial._suggest(self, spec)

    def should_prune(self) -> bool:
        """Whether the trial should stop: the study's pruner says so, or without one the median rule. False for a finished
        trial, with which an objective can be called again.

        >>> import neuralbo
        >>> trial = neuralbo.create_study(pruner="threshold:5", seed=1).ask({"x": (0.0, 1.0)})
        >>> trial.report(9.0, step=1)
        >>> trial.should_prune()
        True
        """
        return not self.state.is_finished() and super().should_prune()

    def report(self, value: float, step: int) -> None:
        """Report an intermediate value; the last one per step counts. A finished trial ignores it.

        Steps must not decrease: a smaller one raises ValueError. A non-finite value is not stored, but
        :meth:`should_prune` then returns ``True``.

        >>> import neuralbo
        >>> trial = neuralbo.create_study(seed=1).ask({"x": (0.0, 1.0)})
        >>> trial.report(0.5, step=1)
        >>> trial.intermediate_values
        {1: 0.5}
        """
        number, place = _check.number(value, "value"), _check.count(step, "step", 0)
        if not self.state.is_finished():
            self._report(number, place)

    @property
    def datetime_start(self) -> Optional[datetime.datetime]:
        """Start of the evaluation."""
        asked, started, _ = self.times_ms
        return _moment(started or asked)

    @property
    def datetime_complete(self) -> Optional[datetime.datetime]:
        """End of the evaluation."""
        return _moment(self.times_ms[2])

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """Duration of the evaluation."""
        start, end = self.datetime_start, self.datetime_complete
        return None if start is None or end is None else end - start

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_from_json, (type(self), self.to_json(), self._x))

    def __repr__(self) -> str:
        return f"Trial(number={self.number}, state={self.state!r}, value={self.value}, params={self.params})"


class FixedTrial(Suggests):
    """A trial with given parameters and without a study, to call an objective by hand.

    Reports are kept in `intermediate_values`, and `should_prune` is always false. A value outside of the requested
    range is used with a warning.

    >>> import neuralbo
    >>> def objective(trial):
    ...     return trial.suggest_float("x", -5, 5) ** 2
    >>> objective(neuralbo.FixedTrial({"x": 3.0}))
    9.0
    """

    def __init__(self, params: Mapping[str, Any], number: int = 0) -> None:
        self.number = number
        self.user_attrs: Dict[str, Any] = {}
        self.intermediate_values: Dict[int, float] = {}
        self._params = as_dict(params)
        self._used: Dict[str, Domain] = {}

    @property
    def params(self) -> Dict[str, Any]:
        """The given parameters."""
        return dict(self._params)

    @property
    def distributions(self) -> Dict[str, Domain]:
        """The domains of the parameters requested so far."""
        return dict(self._used)

    def report(self, value: float, step: int) -> None:
        """Keep an intermediate value.

        >>> trial = FixedTrial({"x": 3.0})
        >>> trial.report(0.5, step=1)
        >>> trial.intermediate_values
        {1: 0.5}
        """
        self.intermediate_values[_check.count(step, "step", 0)] = _check.number(value, "value")

    def should_prune(self) -> bool:
        """Always false: there are no other trials.

        >>> FixedTrial({"x": 3.0}).should_prune()
        False
        """
        return False

    def set_user_attr(self, key: str, value: Any) -> None:
        """Keep an attribute.

        >>> trial = FixedTrial({"x": 3.0})
        >>> trial.set_user_attr("machine", "a")
        >>> trial.user_attrs
        {'machine': 'a'}
        """
        self.user_attrs[key] = value

    def _suggest(self, spec: Spec) -> Any:
        self._used[spec[0]] = under(from_spec(spec), None)
        return _kept(spec, self._params)


def _kept(spec: Spec, params: Mapping[str, Any]) -> Any:
    """The value of a parameter among given ones; one outside of the requested range is used with a warning."""
    name = spec[0]
    if name not in params:
        raise ValueError(f"parameter `{name}` is missing; the trial has {', '.join(params) or 'none'}")
    try:
        return _engine.Space([spec]).check({name: params[name]})[name]
    except ValueError as error:
        warnings.warn(str(error), stacklevel=5)
        return frozen(params[name])


def _from_json(cls: Any, text: str, x: Any) -> Trial:
    return cls(_engine.Trial.from_json(text), x)  # type: ignore[no-any-return]


def _float_or_fixed(low: Any, high: Any, step: Any, log: bool) -> Domain:
    lowest = _check.number(low, "low")
    same = lowest == _check.number(high, "high") and abs(lowest) < float("inf")
    return Fixed(lowest) if same else Float(low, high, log=log, step=step)


def _moment(ms: Optional[int]) -> Optional[datetime.datetime]:
    return None if not ms else datetime.datetime.fromtimestamp(ms / 1000.0)


@dataclass(frozen=True)
class Best:
    """A point, its value and the number of its trial.

    >>> import neuralbo
    >>> optimizer = neuralbo.Optimizer([(0, 1)], seed=1)
    >>> optimizer.tell(optimizer.ask(), 3.0)
    >>> optimizer.best.fun, optimizer.best.number
    (3.0, 0)
    """

    x: Any
    fun: float
    number: Optional[int] = None
    sd: Optional[float] = None
