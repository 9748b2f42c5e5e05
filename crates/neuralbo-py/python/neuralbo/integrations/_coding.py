"""Parameters of other tools in the engine's terms.

A *code* maps the values of one parameter to a domain of the engine and back; a :class:`Coding` does so for a whole point.
Other tools allow parameter names, steps and choices of any type, which the engine does not know: names become ``p0, p1, …``,
grids become whole numbers, choices their index. Parameters with a single value do not reach the engine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from neuralbo import Categorical, Float, Int
from neuralbo.space import Domain

#: A point as the engine takes and gives it.
EnginePoint = Dict[str, Any]

#: The engine tells at most this many whole numbers apart; wider ranges are searched as floats and rounded.
MOST_LEVELS = 2**50
#: The same limit for whole numbers on a log scale.
LARGEST_LOG_INT = 2**40


class Code:
    """How the values of one parameter are written for the engine."""

    def domain(self) -> Optional[Domain]:
        """The engine's domain; ``None`` when there is nothing to search."""
        raise NotImplementedError

    def encode(self, value: Any) -> Any:
        """The engine's value for a value of the parameter; ValueError when it is not one."""
        raise NotImplementedError

    def decode(self, level: Any) -> Any:
        """The parameter's value for a value of the engine."""
        raise NotImplementedError


@dataclass(frozen=True)
class FixedCode(Code):
    """A parameter with a single value."""

    value: Any

    def domain(self) -> None:
        return None

    def encode(self, value: Any) -> Any:
        if not same_choice(self.value, value):
            raise ValueError(f"{value!r} is not allowed; it must be {self.value!r}")
        return None

    def decode(self, level: Any) -> Any:
        return self.value


@dataclass(frozen=True)
class DomainCode(Code):
    """A domain of the engine as it is."""

    given: Domain

    def domain(self) -> Domain:
        return self.given

    def encode(self, value: Any) -> Any:
        return value

    def decode(self, level: Any) -> Any:
        return level


@dataclass(frozen=True)
class FloatCode(Code):
    """Real numbers, rounded to multiples of `quantum` where there is one."""

    low: float
    high: float
    log: bool = False
    quantum: Optional[float] = None
    whole: bool = False

    def domain(self) -> Float:
        return Float(self.low, self.high, log=self.log)

    def encode(self, value: Any) -> float:
        check_range(value, self.low, self.high)
        return min(max(float(value), self.low), self.high)

    def decode(self, level: Any) -> Union[float, int]:
        value = float(level)
        if self.quantum is not None:
            value = min(max(round(value / self.quantum) * self.quantum, self.low), self.high)
        return int(round(value)) if self.whole else value


@dataclass(frozen=True)
class IntCode(Code):
    """Whole numbers, each of them possible."""

    low: int
    high: int
    log: bool = False

    def domain(self) -> Int:
        return Int(self.low, self.high, log=self.log)

    def encode(self, value: Any) -> int:
        check_range(value, self.low, self.high)
        return int(round(value))

    def decode(self, level: Any) -> int:
        return int(level)


@dataclass(frozen=True)
class GridCode(Code):
    """Equally spaced numbers, searched by their index."""

    low: float
    high: float
    step: float
    count: int
    whole: bool

    def domain(self) -> Int:
        return Int(0, self.count - 1)

    def encode(self, value: Any) -> int:
        check_range(value, self.low, self.high)
        return min(max(int(round((value - self.low) / self.step)), 0), self.count - 1)

    def decode(self, level: Any) -> Union[float, int]:
        value = min(self.low + int(level) * self.step, self.high)
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class ChoiceCode(Code):
    """One of a few values of any type, searched by their index."""

    choices: Tuple[Any, ...]

    def domain(self) -> Categorical:
        return Categorical(list(range(len(self.choices))))

    def encode(self, value: Any) -> int:
        for index, choice in enumerate(self.choices):
            if same_choice(choice, value):
                return index
        raise ValueError(f"{value!r} is not allowed; it must be one of {list(self.choices)!r}")

    def decode(self, level: Any) -> Any:
        return self.choices[int(level)]


def check_range(value: Any, low: float, high: float) -> None:
    """Refuses what is outside the bounds by more than rounding."""
    if isinstance(value, str) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not allowed; it must be a number from {low!r} to {high!r}")
    slack = 1e-9 * max(abs(low), abs(high), high - low)
    if not low - slack <= value <= high + slack:
        raise ValueError(f"{value!r} is not allowed; it must be a number from {low!r} to {high!r}")


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

    >>> float_code(0.0, 1.0, step=0.25).decode(3)
    0.75
    """
    if low == high:
        return FixedCode(float(low))
    if step is None:
        return FloatCode(float(low), float(high), log)
    if log:
        return FloatCode(float(low), float(high), True, float(step))
    count = int(math.floor((high - low) / step + 1e-9)) + 1
    if count > MOST_LEVELS:
        return FloatCode(float(low), float(high))
    return FixedCode(float(low)) if count == 1 else GridCode(float(low), float(high), float(step), count, whole=False)


def int_code(low: int, high: int, *, log: bool = False, step: int = 1) -> Code:
    """The code of a whole-number parameter, both bounds included.

    >>> int_code(3, 9, step=2).decode(1)
    5
    """
    count = (high - low) // step + 1
    if count == 1:
        return FixedCode(int(low))
    if log:
        too_wide = step != 1 or high > LARGEST_LOG_INT
        return FloatCode(float(low), float(high), True, float(step), whole=True) if too_wide else IntCode(low, high, True)
    if count > MOST_LEVELS:
        return FloatCode(float(low), float(high), quantum=float(step), whole=True)
    return IntCode(low, high) if step == 1 else GridCode(low, high, step, count, whole=True)


def choice_code(choices: Iterable[Any]) -> Code:
    """The code of a categorical parameter.

    >>> choice_code(["relu", None]).decode(1) is None
    True
    """
    values = tuple(choices)
    if not values:
        raise ValueError("choices must not be empty")
    return FixedCode(values[0]) if len(values) == 1 else ChoiceCode(values)


class Coding:
    """The codes of all parameters of a point.

    >>> coding = Coding({"model/act": choice_code(["relu", "tanh"]), "seed": FixedCode(7)})
    >>> coding.encode({"model/act": "tanh", "seed": 7})
    {'p0': 1}
    >>> coding.decode({"p0": 1})
    {'model/act': 'tanh', 'seed': 7}
    """

    def __init__(self, codes: Mapping[str, Code]) -> None:
        self.codes: Dict[str, Code] = dict(codes)
        domains = [(name, code.domain()) for name, code in self.codes.items()]
        searched = [(name, domain) for name, domain in domains if domain is not None]
        self._engine_names: Dict[str, str] = {name: f"p{i}" for i, (name, _) in enumerate(searched)}
        self.space: Dict[str, Domain] = {f"p{i}": domain for i, (_, domain) in enumerate(searched)}

    @property
    def names(self) -> Sequence[str]:
        """The parameters, searched and fixed ones, in order."""
        return list(self.codes)

    def encode(self, values: Mapping[str, Any]) -> EnginePoint:
        """The engine's point for the parameters' values; ValueError names what is missing or not allowed."""
        point: EnginePoint = {}
        for name, code in self.codes.items():
            engine_name = self._engine_names.get(name)
            if engine_name is None:
                continue
            if name not in values:
                raise ValueError(f"parameter `{name}` is missing; the point must have {', '.join(self.codes)}")
            try:
                point[engine_name] = code.encode(values[name])
            except (TypeError, ValueError) as error:
                raise ValueError(f"parameter `{name}`: {error}") from error
        return point

    def decode(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """The parameters' values for the engine's point."""
        levels = {name: point[engine_name] for name, engine_name in self._engine_names.items()}
        return {name: code.decode(levels.get(name)) for name, code in self.codes.items()}
