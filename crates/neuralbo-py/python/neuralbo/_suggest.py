"""Define-by-run: domains from the calls of an objective, and values for them."""

from __future__ import annotations

import math
import random
from typing import Any, Sequence, Tuple, Union

from neuralbo import _check
from neuralbo.space import Bool, Categorical, Domain, Fixed, Float, Int

#: Grids of at most this many numbers are stored as choices, so that every worker sees the numbers themselves.
MOST_STEPS = 1000

Suggestible = Union[Float, Int, Categorical]


def float_domain(name: str, low: float, high: float, step: Any, log: bool) -> Union[Float, Fixed]:
    """The domain of a call of `suggest_float`."""
    with _Named(name):
        return _float_or_fixed(low, high, step, log)


def _float_or_fixed(low: Any, high: Any, step: Any, log: bool) -> Union[Float, Fixed]:
    lowest = _check.number(low, "low")
    return Fixed(lowest) if lowest == _check.number(high, "high") and math.isfinite(lowest) else Float(low, high, log=log, step=step)


def int_domain(name: str, low: int, high: int, step: int, log: bool) -> Int:
    """The domain of a call of `suggest_int`."""
    with _Named(name):
        return Int(low, high, log=log, step=step)


def choice_domain(name: str, choices: Sequence[Any]) -> Categorical:
    """The domain of a call of `suggest_categorical`."""
    with _Named(name):
        return Categorical(choices)


class _Named:
    """Puts the parameter's name before errors."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name must be a text, found {_check.shown(name)}")
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, (TypeError, ValueError)):
            raise type(error)(f"parameter `{self._name}`: {error}") from None


def stored_domain(domain: Domain) -> Domain:
    """The domain as a storage can hold it: grids as choices, or without their step when they are long."""
    if isinstance(domain, Float) and domain.step is not None:
        return Categorical(grid(domain)) if count(domain) <= MOST_STEPS else Float(domain.low, domain.high)
    if isinstance(domain, Int) and domain.step != 1:
        return Categorical(grid(domain)) if count(domain) <= MOST_STEPS else Int(domain.low, domain.high)
    return domain


def count(domain: Union[Float, Int]) -> int:
    """How many numbers a grid has."""
    if isinstance(domain, Int):
        return (domain.high - domain.low) // domain.step + 1
    return int(math.floor((domain.high - domain.low) / (domain.step or 1.0) + 1e-9)) + 1


def grid(domain: Union[Float, Int]) -> Tuple[Any, ...]:
    """The numbers of a grid."""
    return tuple(domain.low + i * (domain.step or 1) for i in range(count(domain)))


def fitted(name: str, domain: Domain, value: Any) -> Any:
    """A stored value as the call of the objective wants it; ValueError when the call has other bounds."""
    if isinstance(domain, Categorical):
        for choice in domain.choices:
            if choice is value or (type(choice) is type(value) and choice == value) or {choice, value} == {None, "None"}:
                return choice
        for choice in domain.choices:
            if not isinstance(choice, bool) and not isinstance(value, bool) and choice == value:
                return choice
    elif isinstance(domain, Fixed):
        return domain.value
    elif isinstance(domain, (Float, Int)) and isinstance(value, (int, float)) and not isinstance(value, bool):
        slack = 1e-9 * (domain.high - domain.low)
        if domain.low - slack <= value <= domain.high + slack:
            return _on_grid(domain, value)
    raise ValueError(f"parameter `{name}`: the study's value {value!r} is not one of {domain!r}; the study has another domain for it")


def _on_grid(domain: Union[Float, Int], value: float) -> Union[float, int]:
    if isinstance(domain, Int):
        return domain.low + min(round((value - domain.low) / domain.step), count(domain) - 1) * domain.step
    if domain.step is None:
        return float(value)
    return domain.low + min(round((value - domain.low) / domain.step), count(domain) - 1) * domain.step


def middle(domain: Domain) -> Any:
    """The value to try first."""
    if isinstance(domain, Categorical):
        return domain.choices[0]
    if isinstance(domain, Bool):
        return False
    if isinstance(domain, Fixed):
        return domain.value
    centre = math.sqrt(domain.low * domain.high) if domain.log else 0.5 * (domain.low + domain.high)
    return _on_grid(domain, min(max(centre, domain.low), domain.high))


def drawn(domain: Domain, rng: random.Random) -> Any:
    """A random value."""
    if isinstance(domain, Categorical):
        return rng.choice(domain.choices)
    if isinstance(domain, Bool):
        return rng.random() < 0.5
    if isinstance(domain, Fixed):
        return domain.value
    if domain.log:
        value = math.exp(rng.uniform(math.log(domain.low), math.log(domain.high)))
    elif isinstance(domain, Int) or domain.step is not None:
        return domain.low + rng.randrange(count(domain)) * (domain.step or 1)
    else:
        value = rng.uniform(domain.low, domain.high)
    return _on_grid(domain, min(max(value, domain.low), domain.high))
