"""A neutral, declarative search space, from which the space of each optimizer is built."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Params = dict[str, Any]

KINDS = ("float", "int", "choice", "ordinal")
TESTS = {"in": lambda value, allowed: value in allowed, ">=": operator.ge}


@dataclass(frozen=True)
class When:
    """One clause of a condition: `parent` is active and its value passes the test."""

    parent: str
    test: str
    value: Any

    def holds(self, params: Mapping[str, Any]) -> bool:
        return self.parent in params and bool(TESTS[self.test](params[self.parent], self.value))


@dataclass(frozen=True)
class Param:
    """One parameter. `choices` belong to the kinds choice and ordinal, the numbers to float and int; all clauses of `when` must hold."""

    name: str
    kind: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: tuple[Any, ...] = ()
    when: tuple[When, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.name}: kind is {self.kind!r}, allowed are {', '.join(KINDS)}")
        if self.numeric and not self.low < self.high:
            raise ValueError(f"{self.name}: low is {self.low} and high {self.high}; low must be less")
        if self.log and self.low <= 0:
            raise ValueError(f"{self.name}: low is {self.low}; a logarithmic range needs a positive one")
        if not self.numeric and len(self.choices) < 2:
            raise ValueError(f"{self.name}: {len(self.choices)} choices, at least 2 are needed")

    @property
    def numeric(self) -> bool:
        return self.kind in ("float", "int")

    @property
    def steps(self) -> int:
        """How many steps a stepped number has above the lowest."""
        return math.floor((self.high - self.low) / self.step + 1e-9)

    def number(self, value: Any) -> Any:
        """A number of a package in this project's types: the index of a step, or a value up to the last digit."""
        value = self.low + self.step * int(value) if self.step is not None else min(max(value, self.low), self.high)
        return round(value) if self.kind == "int" else float(value)

    def active(self, params: Mapping[str, Any]) -> bool:
        return all(clause.holds(params) for clause in self.when)

    def check(self, value: Any) -> None:
        """Raises a ValueError for a value that this parameter cannot have."""
        if not self.numeric:
            if value not in self.choices:
                raise ValueError(f"{self.name}: {value!r} is not one of {self.choices}")
            return
        if self.kind == "int" and not isinstance(value, int):
            raise ValueError(f"{self.name}: {value!r} is not an int")
        slack = 1e-9 * (self.high - self.low)
        if not self.low - slack <= value <= self.high + slack:
            raise ValueError(f"{self.name}: {value!r} is outside of [{self.low}, {self.high}]")
        if self.step is not None:
            steps = (value - self.low) / self.step
            if abs(steps - round(steps)) > 1e-6:
                raise ValueError(f"{self.name}: {value!r} is not a multiple of {self.step} above {self.low}")

    def value_at(self, u: float) -> Any:
        """The value at a place of [0, 1], on the logarithmic scale where the range is logarithmic."""
        if not self.numeric:
            return self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)]
        if self.step is not None:
            return self.number(min(int(u * (self.steps + 1)), self.steps))
        # Half a unit more on both sides gives the integers at the ends their full share.
        margin = 0.5 if self.kind == "int" else 0.0
        low, high = self.low - margin, self.high + margin
        value = low * (high / low) ** u if self.log else low + u * (high - low)
        value = float(np.clip(value, self.low, self.high))
        return round(value) if self.kind == "int" else value

    def place_of(self, value: float) -> float:
        """The place in [0, 1] of a number."""
        low, high, value = (math.log(x) for x in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return (value - low) / (high - low)


@dataclass(frozen=True)
class Constraint:
    """A known constraint, `left <= right` with sums and products of parameters on both sides."""

    text: str

    def sides(self) -> list[str]:
        sides = [side.strip() for side in self.text.split("<=")]
        if len(sides) != 2:
            raise ValueError(f"{self.text!r} is not of the form left <= right")
        return sides

    def violation(self, params: Mapping[str, Any]) -> float:
        """How far `left` is above `right`; at most 0 where the constraint holds."""
        left, right = (eval(side, {"__builtins__": {}}, dict(params)) for side in self.sides())
        return left - right


@dataclass(frozen=True)
class Space:
    """Parameters in an order in which parents come before their children, and constraints among them."""

    params: tuple[Param, ...]
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for param in self.params:
            for clause in param.when:
                if clause.parent not in seen:
                    raise ValueError(f"{param.name}: its parent {clause.parent!r} is not defined before it")
            if param.name in seen:
                raise ValueError(f"{param.name} is defined twice")
            seen.add(param.name)

    @property
    def conditional(self) -> bool:
        return any(param.when for param in self.params)

    @property
    def plain(self) -> bool:
        """Whether it is a box of numbers."""
        return all(param.numeric for param in self.params) and not self.conditional and not self.constraints

    @classmethod
    def of_protocol(cls, domains: Mapping[str, Mapping[str, Any]]) -> Space:
        """The space of the lab's `start` message. Conditions, constraints and tables of rows are refused by name."""
        return cls(tuple(_param(name, domain) for name, domain in domains.items()))

    def at(self, point: Sequence[float]) -> Params:
        """The active parameters at a point of the unit cube."""
        return self.restrict({param.name: param.value_at(float(u)) for param, u in zip(self.params, point, strict=True)})

    def centre(self) -> Params:
        return self.at([0.5] * len(self.params))

    def places(self, params: Mapping[str, Any]) -> list[float]:
        """The point of the unit cube of numeric parameters."""
        return [param.place_of(params[param.name]) for param in self.params]

    def restrict(self, flat: Mapping[str, Any]) -> Params:
        """The values of the active parameters, given those of all."""
        active: Params = {}
        for param in self.params:
            if param.active(active):
                active[param.name] = flat[param.name]
        return active

    def check(self, params: Mapping[str, Any]) -> None:
        """Raises a ValueError unless exactly the active parameters have allowed values. Constraints are not checked."""
        expected = {param.name for param in self.params if param.active(params)}
        if expected != set(params):
            raise ValueError(f"active are {sorted(expected)}, found {sorted(params)}")
        for param in self.params:
            if param.name in params:
                param.check(params[param.name])

    def violations(self, params: Mapping[str, Any]) -> list[float]:
        return [constraint.violation(params) for constraint in self.constraints]

    def feasible(self, params: Mapping[str, Any]) -> bool:
        return all(violation <= 1e-9 for violation in self.violations(params))

    def sample(self, rng: np.random.Generator) -> Params:
        """A uniform point of the tree of conditions; constraints are ignored."""
        return self.at(rng.random(len(self.params)))


def _param(name: str, domain: Mapping[str, Any]) -> Param:
    kind = domain["type"]
    extra = set(domain) - {"type", "low", "high", "log", "step", "choices"}
    if kind in ("float", "int") and not extra:
        return Param(name, kind, domain["low"], domain["high"], log=domain.get("log", False), step=domain.get("step"))
    if kind in ("choice", "bool") and not extra:
        return choice(name, *(domain["choices"] if kind == "choice" else (False, True)))
    raise ValueError(f"{name}: a domain of type {kind!r} with {sorted(extra) or 'its table'} is not supported here")


def space(*params: Param, constraints: Sequence[str] = ()) -> Space:
    return Space(params, tuple(map(Constraint, constraints)))


def real(name: str, low: float, high: float, *, log: bool = False, step: float | None = None, when: Sequence[When] = ()) -> Param:
    return Param(name, "float", low, high, log=log, step=step, when=tuple(when))


def integer(name: str, low: int, high: int, *, log: bool = False, step: int | None = None, when: Sequence[When] = ()) -> Param:
    return Param(name, "int", low, high, log=log, step=step, when=tuple(when))


def choice(name: str, *choices: Any, when: Sequence[When] = ()) -> Param:
    return Param(name, "choice", choices=choices, when=tuple(when))


def ordinal(name: str, *choices: Any, when: Sequence[When] = ()) -> Param:
    return Param(name, "ordinal", choices=choices, when=tuple(when))


def one_of(parent: str, *values: Any) -> tuple[When, ...]:
    return (When(parent, "in", values),)


def at_least(parent: str, value: float) -> tuple[When, ...]:
    return (When(parent, ">=", value),)
