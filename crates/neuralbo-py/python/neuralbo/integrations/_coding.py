"""Parameters of other tools in the engine's terms.

Other tools allow names and choices of any kind, which the engine does not: names become ``p0, p1, …``, choices their index.
Parameters with a single value do not reach the engine, and whole numbers beyond what it tells apart are searched as real ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple

from neuralbo import Categorical, Exhausted, Float, Int, Optimizer, Space
from neuralbo.space import Domain

#: A point as the engine takes and gives it.
EnginePoint = Dict[str, Any]

#: The engine tells at most this many whole numbers apart; wider ranges are searched as floats and rounded.
MOST_LEVELS = 2**50
#: The same limit for whole numbers on a log scale.
LARGEST_LOG_INT = 2**40


@dataclass(frozen=True)
class Code:
    """How the values of one parameter are written for the engine; without a `domain` there is nothing to search."""

    domain: Optional[Domain]
    #: The values by index, where the engine sees indices; of a parameter without a domain the only one.
    choices: Optional[Tuple[Any, ...]] = None
    #: The distance of whole numbers that are searched as real ones.
    rounded: Optional[int] = None

    def encode(self, value: Any) -> Any:
        """The engine's value for a value of the parameter; ValueError when it is not one."""
        if self.choices is not None:
            found = [index for index, choice in enumerate(self.choices) if same_choice(choice, value)]
            if not found:
                raise ValueError(f"{value!r} is not allowed; it must be one of {list(self.choices)!r}")
            return found[0]
        if isinstance(self.domain, (Float, Int)):
            return _within(value, self.domain)
        return value

    def decode(self, level: Any) -> Any:
        """The parameter's value for a value of the engine."""
        if self.choices is not None:
            return self.choices[0 if self.domain is None else int(level)]
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

    >>> choice_code(["relu", None]).decode(1) is None
    True
    """
    values = tuple(choices)
    if not values:
        raise ValueError("choices must not be empty")
    return Code(Categorical(range(len(values))) if len(values) > 1 else None, values)


class Coding:
    """The codes of all parameters of a point.

    >>> coding = Coding({"model/act": choice_code(["relu", "tanh"]), "seed": fixed_code(7)})
    >>> coding.encode({"model/act": "tanh", "seed": 7})
    {'p0': 1}
    >>> coding.decode({"p0": 1})
    {'model/act': 'tanh', 'seed': 7}
    """

    def __init__(self, codes: Mapping[str, Code]) -> None:
        self.codes: Dict[str, Code] = dict(codes)
        searched = [(name, code.domain) for name, code in self.codes.items() if code.domain is not None]
        self._engine_names: Dict[str, str] = {name: f"p{i}" for i, (name, _) in enumerate(searched)}
        domains = {f"p{i}": domain for i, (_, domain) in enumerate(searched)}
        #: What is searched; ``None`` when every parameter has a single value.
        self.space: Optional[Space] = Space(domains) if domains else None

    @property
    def names(self) -> Sequence[str]:
        """The parameters, searched and fixed ones, in order."""
        return list(self.codes)

    def optimizer(self, direction: str, method: str, seed: Optional[int], options: Mapping[str, Any]) -> Optimizer:
        """An optimizer of the engine's points."""
        return Optimizer(self.space, method=method, direction=direction, seed=seed, **options)

    def encode(self, values: Mapping[str, Any]) -> EnginePoint:
        """The engine's point for the parameters' values; ValueError names what is missing or not allowed."""
        point: EnginePoint = {}
        for name, engine_name in self._engine_names.items():
            if name not in values:
                raise ValueError(f"parameter `{name}` is missing; the point must have {', '.join(self.codes)}")
            try:
                point[engine_name] = self.codes[name].encode(values[name])
            except (TypeError, ValueError) as error:
                raise ValueError(f"parameter `{name}`: {error}") from error
        return point if self.space is None else self.space.check(point)

    def decode(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """The parameters' values for the engine's point."""
        levels = {name: point[engine_name] for name, engine_name in self._engine_names.items()}
        return {name: code.decode(levels.get(name)) for name, code in self.codes.items()}


def ask_or_none(optimizer: Optimizer) -> Optional[EnginePoint]:
    """The next point, or ``None`` when every point of a finite space has been evaluated or is running."""
    try:
        point: EnginePoint = optimizer.ask()
    except Exhausted:
        return None
    return point
