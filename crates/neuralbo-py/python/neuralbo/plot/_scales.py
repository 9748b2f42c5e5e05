"""Parameters as axes: positions between 0 and 1, grid values, ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ._read import Record

# Maximum ticks on an axis of choices, and maximum length of a label.
MOST_CHOICES, MOST_LETTERS = 12, 14
# Ticks closer than this to an end of the axis would overlap the end's label.
CLEAR = 0.06


@dataclass(frozen=True)
class Scale:
    """The axis of a parameter: its choices, or `low` to `high`, linear or logarithmic."""

    name: str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    whole: bool = False
    step: Optional[float] = None
    choices: Optional[tuple[Any, ...]] = None
    ordered: bool = False

    def position(self, value: Any) -> float:
        """Where the value lies between 0 and 1."""
        if self.choices is not None:
            last = max(1, len(self.choices) - 1)
            return self.index(value) / last if len(self.choices) > 1 else 0.5
        low, high, at = (math.log(one) if self.log else one for one in (self.low, self.high, float(value)))
        return (at - low) / (high - low) if high > low else 0.5

    def value(self, position: float) -> Any:
        """The value at a position between 0 and 1, without regard to steps."""
        if self.log:
            return math.exp(math.log(self.low) + position * (math.log(self.high) - math.log(self.low)))
        return self.low + position * (self.high - self.low)

    def index(self, value: Any) -> int:
        """The index of a choice; True differs from 1."""
        choices = self.choices or ()
        for index, choice in enumerate(choices):
            if choice == value and isinstance(choice, bool) == isinstance(value, bool):
                return index
        raise ValueError(f"{self.name}: {value!r} is not one of {list(choices)}")

    def place(self, value: Any) -> Any:
        """Where a value is drawn: choices by their place among all."""
        return self.index(value) if self.choices is not None else value

    def distance(self, a: Any, b: Any) -> float:
        """Distance of two values on the scale from 0 to 1; unordered choices have distance 0 or 1."""
        if self.choices is not None and not self.ordered:
            return 0.0 if self.index(a) == self.index(b) else 1.0
        return abs(self.position(a) - self.position(b))

    def grid(self, points: int) -> list[Any]:
        """At most `points` values that cover the scale, and all choices."""
        if self.choices is not None:
            return list(self.choices)
        if self.step is not None and self.last_step(self.step) < points:
            return [self.stepped(k, self.step) for k in range(self.last_step(self.step) + 1)]
        positions = [i / (points - 1) for i in range(points)]
        inner = [self.value(position) for position in positions[1:-1]]
        return list(dict.fromkeys(self.allowed(one) for one in [self.low, *inner, self.high]))

    def last_step(self, step: float) -> int:
        """The number of steps between the ends, robust to rounding."""
        return math.floor((self.high - self.low) / step + 1e-9)

    def stepped(self, k: int, step: float) -> Any:
        """The value k steps above the lowest."""
        at = self.low + k * step
        return round(at) if self.whole else at

    def allowed(self, value: float) -> Any:
        """The nearest value of the parameter."""
        if self.step is None:
            return round(value) if self.whole else min(max(value, self.low), self.high)
        return self.stepped(min(round((value - self.low) / self.step), self.last_step(self.step)), self.step)

    def ticks(self) -> list[tuple[float, str]]:
        """Positions and words of a few ticks."""
        if self.choices is not None:
            every = math.ceil(len(self.choices) / MOST_CHOICES)
            return [(self.position(choice), word(choice)) for choice in self.choices[::every]]
        if self.high == self.low:
            return [(0.5, short(self.low))]
        if self.whole and not self.log and self.high - self.low < 6:
            shown = [float(one) for one in range(round(self.low), round(self.high) + 1)]
        else:
            shown = [self.low, *self.between(), self.high]
        return [(self.position(one), short(one)) for one in dict.fromkeys(shown)]

    def between(self) -> list[float]:
        """Round values for the ticks between the ends."""
        from matplotlib.ticker import LogLocator, MaxNLocator

        locator = LogLocator(numticks=6) if self.log else MaxNLocator(6, steps=[1, 2, 5, 10])
        found = [float(one) for one in locator.tick_values(self.low, self.high)]
        return [one for one in found if one > (0.0 if self.log else -math.inf) and CLEAR < self.position(one) < 1.0 - CLEAR]


def word(choice: Any) -> str:
    """A choice, abbreviated to fit on an axis."""
    text = short(choice) if isinstance(choice, float) else str(choice)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def short(value: float) -> str:
    """A number for a tick: at most four digits."""
    return f"{value:.4g}"


def scales(source: Any, found: Sequence[Record]) -> list[Scale]:
    """The scales of all varying parameters: from the space if the source has one, otherwise from the observed
    values."""
    space = getattr(source, "space", None)
    if space is not None:
        return [scale_of(str(name), domain) for name, domain in space.items() if not hasattr(domain, "value")]
    names = list(dict.fromkeys(name for one in found for name in one.params))
    return [scale_from_values(name, [one.params[name] for one in found if name in one.params]) for name in names]


def scale_of(name: str, domain: Any) -> Scale:
    """The scale of a parameter's domain."""
    choices = getattr(domain, "choices", None)
    if choices is not None:
        return Scale(name, choices=tuple(choices))
    if hasattr(domain, "values"):
        return Scale(name, choices=tuple(domain.values), ordered=True)
    if not hasattr(domain, "low"):
        return Scale(name, choices=(False, True))
    whole = type(domain).__name__ == "Int"
    step = getattr(domain, "step", None)
    return Scale(name, float(domain.low), float(domain.high), bool(domain.log), whole, None if domain.log else step)


def scale_from_values(name: str, values: Sequence[Any]) -> Scale:
    """A scale that contains the values: linear for numbers, otherwise choices in order of first use."""
    if all(is_number(value) for value in values):
        whole = all(float(value).is_integer() for value in values)
        return Scale(name, float(min(values)), float(max(values)), whole=whole)
    return Scale(name, choices=tuple(dict.fromkeys(values)))


def is_number(value: Any) -> bool:
    """Whether the value is a number (including numpy's) and not a bool."""
    return not isinstance(value, (bool, str)) and hasattr(value, "__float__")
