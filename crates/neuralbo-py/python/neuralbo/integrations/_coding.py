"""Parameters of other tools in the engine's terms.

Other tools allow arbitrary names and choices. If a name is invalid for the engine, all become ``p0, p1, …``; choices
that are not plain values become their index. Parameters with a single value do not reach the engine, and integers
beyond its precision are searched as real numbers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple

from neuralbo import Categorical, Exhausted, Float, Int, Optimizer, Space, _engine
from neuralbo._domains import Domain, spec_of, under
from neuralbo.space import Constraint

#: A point as the engine takes and gives it.
EnginePoint = Dict[str, Any]

#: Valid parameter names of the engine.
ENGINE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")

#: The engine distinguishes at most this many integers; wider ranges are searched as floats and rounded.
MOST_LEVELS = 2**50
#: The same limit for integers on a log scale.
LARGEST_LOG_INT = 2**40


@dataclass(frozen=True)
class Code:
    """The engine's encoding of one parameter; without a `domain` there is nothing to search."""

    domain: Optional[Domain]
    #: The values of a choice; of a parameter without a domain the only one.
    choices: Optional[Tuple[Any, ...]] = None
    #: Whether the engine sees the index of a choice instead of the choice.
    indexed: bool = True
    #: The step of integers that are searched as floats.
    rounded: Optional[int] = None

    def encode(self, value: Any) -> Any:
        """The engine's value for a value of the parameter; ValueError when it is not one."""
        if self.choices is not None:
            found = [index for index, choice in enumerate(self.choices) if same_choice(choice, value)]
            if not found:
                raise ValueError(f"{value!r} is not allowed; it must be one of {list(self.choices)!r}")
            return found[0] if self.indexed else self.choices[found[0]]
        if isinstance(self.domain, (Float, Int)):
            return _within(value, self.domain)
        return value

    def decode(self, level: Any) -> Any:
        """The parameter's value for a value of the engine."""
        if self.choices is not None:
            if self.domain is None:
                return self.choices[0]
            return self.choices[int(level)] if self.indexed else next(one for one in self.choices if same_choice(one, level))
        if self.rounded is not None and isinstance(self.domain, Float):
            steps = round((level - self.domain.low) / self.rounded)
            return int(self.domain.low) + min(steps, int(self.domain.high - self.domain.low) // self.rounded) * self.rounded
        return level


def fixed_code(value: Any) -> Code:
    """A parameter with a single value."""
    return Code(None, (value,))


def _within(value: Any, domain: Any) -> Any:
    """A number that is outside of the bounds by no more than rounding, brought inside; ValueError for any other."""
    low, high = domain.low, domain.high
    slack = 1e-9 * max(abs(low), abs(high), high - low)
    if isinstance(value, str) or not (math.isfinite(value) and low - slack <= value <= high + slack):
        raise ValueError(f"{value!r} is not allowed; it must be a number from {low!r} to {high!r}")
    value = min(max(value, low), high)
    return float(value) if isinstance(domain, Float) else int(round(value))


def same_choice(choice: Any, value: Any) -> bool:
    """Whether two values are the same choice: ``True`` is not ``1``, and NaN is itself."""
    if choice is value:
        return True
    if isinstance(choice, bool) is not isinstance(value, bool):
        return False
    if isinstance(choice, float) and isinstance(value, float) and math.isnan(choice) and math.isnan(value):
        return True
    try:
        return bool(choice == value)
    except ValueError:  # arrays have no single truth value
        return False


def float_code(low: float, high: float, *, log: bool = False, step: Optional[float] = None) -> Code:
    """The code of a real parameter, both bounds included.

    >>> float_code(0.0, 1.0, step=0.25).encode(0.75)
    0.75
    """
    if low == high or (step is not None and step > high - low):
        return fixed_code(float(low))
    if step is not None and max(abs(low), abs(high)) / step > 2**36:
        step = None  # more values than the engine tells apart
    return Code(Float(low, high, log=log, step=step))


def int_code(low: int, high: int, *, log: bool = False, step: int = 1) -> Code:
    """The code of a whole-number parameter, both bounds included.

    >>> int_code(3, 9, step=2).domain
    Int(low=3, high=9, log=False, step=2)
    """
    if high - low < step:
        return fixed_code(int(low))
    if (high - low) // step >= MOST_LEVELS or (log and high > LARGEST_LOG_INT):
        return Code(Float(float(low), float(high), log=log), rounded=step)
    return Code(Int(low, high, log=log, step=step))


def choice_code(choices: Iterable[Any]) -> Code:
    """The code of a categorical parameter.

    >>> choice_code(["relu", None]).decode(None) is None
    True
    >>> choice_code([print, None]).encode(None)
    1
    """
    values = tuple(choices)
    if not values:
        raise ValueError("choices must not be empty")
    if len(values) == 1:
        return fixed_code(values[0])
    return Code(Categorical(values), values, indexed=False) if _are_plain(values) else Code(Categorical(range(len(values))), values)


def _are_plain(values: Tuple[Any, ...]) -> bool:
    """Whether the engine has these values and tells them apart."""
    plain = all(type(value) in (str, bool, float, type(None)) or (type(value) is int and abs(value) < 2**53) for value in values)
    if not plain or any(isinstance(value, float) and not math.isfinite(value) for value in values):
        return False
    return len({(isinstance(value, bool), value) for value in values}) == len(values)


class Coding:
    """The codes of all parameters of a point.

    >>> coding = Coding({"model/act": choice_code(["relu", "tanh"]), "seed": fixed_code(7)})
    >>> coding.encode({"model/act": "tanh", "seed": 7})
    {'p0': 'tanh'}
    >>> coding.decode({"p0": "tanh"})
    {'model/act': 'tanh', 'seed': 7}

    `conditions`, by parameter, and `constraints` are over the engine's names and values.
    """

    def __init__(
        self, codes: Mapping[str, Code], conditions: Optional[Mapping[str, str]] = None, constraints: Iterable[Constraint] = ()
    ) -> None:
        self.codes: Dict[str, Code] = dict(codes)
        searched = {name: code.domain for name, code in self.codes.items() if code.domain is not None}
        own = all(ENGINE_NAME.fullmatch(name) for name in searched)
        self._engine_names: Dict[str, str] = {name: name if own else f"p{i}" for i, name in enumerate(searched)}
        conditioned = {name: under(domain, (conditions or {}).get(name, domain.when)) for name, domain in searched.items()}
        #: The searched space; ``None`` if every parameter has a single value.
        self.space: Optional[Space] = None
        if searched:
            self.space = Space({self._engine_names[name]: domain for name, domain in conditioned.items()}, constraints)

    def conditions(self, trials: Iterable[Tuple[Mapping[str, Any], bool]]) -> Dict[str, Optional[str]]:
        """When each searched parameter occurred in trials, given their parameters and whether they are complete: under
        a condition (a text) or unexplained (``None``); parameters that always occurred are omitted."""
        if self.space is None:
            return {}
        specs = [spec_of(name, domain) for name, domain in self.space.items()]
        names = self._engine_names.items()
        encoded = [({own: self.codes[name].encode(values[name]) for name, own in names if name in values}, done) for values, done in trials]
        found = _engine.derived_conditions(specs, encoded)
        return {name: text or None for name, text in zip(self._engine_names, found) if text is not None}

    def optimizer(
        self,
        objectives: Sequence[str],
        method: str,
        seed: Optional[int],
        options: Mapping[str, Any],
        outcome_constraints: Sequence[str] = (),
    ) -> Optimizer:
        """An optimizer of the engine's points; `objectives` are written ``NAME:DIRECTION``, `outcome_constraints` ``NAME <= BOUND``."""
        return Optimizer(self.space, method=method, objectives=objectives, outcome_constraints=outcome_constraints, seed=seed, **options)

    def encode(self, values: Mapping[str, Any]) -> EnginePoint:
        """The engine's point for the parameters' values; ValueError names what is missing or not allowed."""
        if self.space is None:
            return {}
        point: EnginePoint = {}
        for name, engine_name in self._engine_names.items():
            if name not in values:
                continue
            try:
                point[engine_name] = self.codes[name].encode(values[name])
            except (TypeError, ValueError) as error:
                raise ValueError(f"parameter `{name}`: {error}") from error
        active = self.space.active(point)
        missing = [name for name, engine_name in self._engine_names.items() if engine_name in active and engine_name not in point]
        if missing:
            raise ValueError(f"parameter `{missing[0]}` is missing; the point must have {', '.join(self.codes)}")
        return self.space._core.check_domains({name: point[name] for name in active})

    def decode(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """The parameters' values for the engine's point; inactive ones are absent."""
        levels = {name: point[engine_name] for name, engine_name in self._engine_names.items() if engine_name in point}
        present = {name: code for name, code in self.codes.items() if code.domain is None or name in levels}
        return {name: code.decode(levels.get(name)) for name, code in present.items()}


def ask_or_none(optimizer: Optimizer) -> Optional[EnginePoint]:
    """The next point, or ``None`` if every point of a finite space has been evaluated or is running."""
    try:
        point: EnginePoint = optimizer.ask()
    except Exhausted:
        return None
    return point
