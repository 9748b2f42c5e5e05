"""The search space: named parameters and the values they may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from neuralbo import _check, _engine

#: A value of a parameter: what JSON can hold.
Scalar = Union[float, int, bool, str, None, List[Any], Tuple[Any, ...], Dict[str, Any]]
#: A parameter as the engine takes it: name, kind, arguments.
Spec = Tuple[str, str, Tuple[Any, ...]]
#: The engine tells at most this many values of a parameter apart.
MOST_LEVELS = 2**50


@dataclass(frozen=True)
class Float:
    """Real numbers from `low` to `high`, both included; with `step` only `low`, `low + step`, ….

    With `log=True` ratios matter rather than differences.

    >>> Float(1e-5, 1e-1, log=True)
    Float(low=1e-05, high=0.1, log=True, step=None)
    """

    low: float
    high: float
    log: bool = False
    step: Optional[float] = None

    def __init__(self, low: float, high: float, *, log: bool = False, step: Optional[float] = None) -> None:
        low, high, log = _check.number(low, "low"), _check.number(high, "high"), _check.flag(log, "log")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"low and high must be finite numbers, found low = {low!r}, high = {high!r}")
        if low >= high:
            raise ValueError(f"low must be below high, found low = {low!r}, high = {high!r}")
        if log and low <= 0.0:
            raise ValueError(f"a log scale needs low above 0, found low = {low!r}")
        if step is not None:
            step = _check.number(step, "step")
            if not 0.0 < step <= high - low:
                raise ValueError(f"step must be above 0 and at most high - low, found step = {step!r}")
            if (high - low) / step > MOST_LEVELS:
                raise ValueError(f"step must leave at most 2**50 values from low to high, found step = {step!r}")
        _set(self, low=low, high=high, log=log, step=step)


@dataclass(frozen=True)
class Int:
    """Whole numbers from `low` to `high`, both included; with `step` only `low`, `low + step`, ….

    >>> Int(1, 9, step=2)
    Int(low=1, high=9, log=False, step=2)
    """

    low: int
    high: int
    log: bool = False
    step: int = 1

    def __init__(self, low: int, high: int, *, log: bool = False, step: int = 1) -> None:
        low, high, step = _check.whole(low, "low"), _check.whole(high, "high"), _check.whole(step, "step")
        log = _check.flag(log, "log")
        if not (-(2**63) <= low and high < 2**63):
            raise ValueError(f"low and high must fit in 64 bits, found low = {_check.brief(low)}, high = {_check.brief(high)}")
        if low > high:
            raise ValueError(f"low must not be above high, found low = {low}, high = {high}")
        if log and low < 1:
            raise ValueError(f"a log scale needs low of at least 1, found low = {low}")
        if step < 1:
            raise ValueError(f"step must be at least 1, found step = {step}")
        _set(self, low=low, high=high, log=log, step=step)


@dataclass(frozen=True)
class Categorical:
    """One of a few values without order: texts, numbers, bools, None, and lists and dicts of such.

    >>> Categorical(["adam", "sgd"])
    Categorical(choices=('adam', 'sgd'))
    """

    choices: Tuple[Scalar, ...]

    def __init__(self, choices: Iterable[Scalar]) -> None:
        if isinstance(choices, (str, bytes)) or not hasattr(choices, "__iter__"):
            raise TypeError(f"choices must be a list of values, found {_check.shown(choices)}")
        values = tuple(choices)
        if not values:
            raise ValueError("choices must have at least one value")
        for value in values:
            if not _is_json(value):
                raise TypeError(f"choices must be texts, numbers, bools, None, or lists or dicts of such; found {_check.shown(value)}")
        _set(self, choices=values)


@dataclass(frozen=True)
class Bool:
    """False or true."""


@dataclass(frozen=True)
class Fixed:
    """Always the same value.

    >>> Fixed(42)
    Fixed(value=42)
    """

    value: Scalar


def _is_json(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return value is None or isinstance(value, (str, bool)) or (hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0)


Domain = Union[Float, Int, Categorical, Bool, Fixed]


def _set(domain: Any, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(domain, name, value)


class Space(Mapping[str, Domain]):
    """Named parameters in order.

    Values may be domains, pairs ``(low, high)`` for floats, or single values that never change.

    >>> space = Space({"lr": Float(1e-5, 1e-1, log=True), "layers": Int(1, 4), "opt": Categorical(["adam", "sgd"])})
    >>> space.names
    ['lr', 'layers', 'opt']
    >>> space["layers"]
    Int(low=1, high=4, log=False, step=1)
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        if not isinstance(parameters, Mapping):
            raise TypeError(f"a space is a dict from names to domains, found {type(parameters).__name__}")
        for name in parameters:
            _check.text(name, "the name of a parameter")
        self._domains: Dict[str, Domain] = {name: _domain(name, given) for name, given in parameters.items()}
        self._core = _engine.Space([spec_of(name, domain) for name, domain in self._domains.items()])

    @property
    def names(self) -> List[str]:
        """The names of the parameters."""
        return list(self._domains)

    def __getitem__(self, name: str) -> Domain:
        return self._domains[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._domains)

    def __len__(self) -> int:
        return len(self._domains)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and list(self._domains.items()) == list(other._domains.items())

    def __hash__(self) -> int:
        return hash(tuple(self._core.texts()))

    def __repr__(self) -> str:
        return f"Space({self._domains!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Space, (self._domains,))

    def check(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """The point with all its values checked, in the order of the space.

        >>> Space({"n": Int(1, 9, step=2)}).check({"n": 3.0})
        {'n': 3}
        """
        return self._core.check(as_dict(point))

    def to_dict(self) -> Dict[str, Any]:
        """The space as plain dicts, for JSON.

        >>> Space({"n": Int(1, 4)}).to_dict()
        {'n': {'type': 'int', 'low': 1, 'high': 4}}
        """
        return {name: _to_dict(domain) for name, domain in self._domains.items()}

    @classmethod
    def from_dict(cls, tables: Mapping[str, Mapping[str, Any]]) -> Space:
        """The space that :meth:`to_dict` wrote."""
        if not isinstance(tables, Mapping):
            raise TypeError(f"a space is a dict from names to dicts, found {_check.shown(tables)}")
        return cls({name: _from_dict(name, table) for name, table in tables.items()})

    @classmethod
    def _from_core(cls, core: _engine.Space) -> Space:
        return cls({name: _from_spec(name, kind, arguments) for name, kind, arguments in core.parameters()})


def as_dict(point: Any) -> Dict[str, Any]:
    """A point by names as a dict."""
    if not isinstance(point, Mapping):
        raise TypeError(f"a point of this space is a dict, found {type(point).__name__}")
    return point if isinstance(point, dict) else dict(point)


def _domain(name: str, given: Any) -> Domain:
    if isinstance(given, (Float, Int, Categorical, Bool, Fixed)):
        return given
    if given is None or isinstance(given, (bool, int, float, str)):
        return Fixed(given)
    if isinstance(given, Sequence) and len(given) == 2:
        try:
            return Float(given[0], given[1])
        except (TypeError, ValueError) as error:
            raise type(error)(f"parameter `{name}`: {error}") from None
    raise TypeError(
        f"parameter `{name}` must be Float, Int, Categorical, Bool, Fixed, a pair (low, high) or a value, "
        f"found {_check.shown(given)}"
    )


def spec_of(name: str, domain: Domain) -> Spec:
    """A parameter as the engine takes it."""
    if isinstance(domain, Float):
        return (name, "float", (domain.low, domain.high, domain.log, domain.step))
    if isinstance(domain, Int):
        return (name, "int", (domain.low, domain.high, domain.log, domain.step))
    if isinstance(domain, Bool):
        return (name, "choice", (False, True))
    if isinstance(domain, Categorical):
        return (name, "choice", domain.choices)
    return (name, "fixed", (domain.value,))


def _from_spec(name: str, kind: str, arguments: Tuple[Any, ...]) -> Domain:
    if kind == "float":
        return Float(arguments[0], arguments[1], log=arguments[2], step=arguments[3])
    if kind == "int":
        return Int(arguments[0], arguments[1], log=arguments[2], step=arguments[3])
    if kind == "choice":
        is_bool = arguments == (False, True) and isinstance(arguments[0], bool)
        return Bool() if is_bool else Categorical(arguments)
    if kind == "fixed":
        return Fixed(arguments[0])
    raise ValueError(f"parameter `{name}`: a pool cannot be used here")


def _to_dict(domain: Domain) -> Dict[str, Any]:
    if isinstance(domain, (Float, Int)):
        table: Dict[str, Any] = {"type": "float" if isinstance(domain, Float) else "int", "low": domain.low, "high": domain.high}
        if domain.log:
            table["log"] = True
        if domain.step not in (None, 1):
            table["step"] = domain.step
        return table
    if isinstance(domain, Categorical):
        return {"type": "choice", "choices": list(domain.choices)}
    return {"type": "bool"} if isinstance(domain, Bool) else {"type": "fixed", "value": domain.value}


def _from_dict(name: str, table: Mapping[str, Any]) -> Domain:
    if not isinstance(table, Mapping):
        raise TypeError(f"parameter `{name}` must be a dict with a type, found {_check.shown(table)}")
    try:
        return _read_table(name, table)
    except KeyError as error:
        raise ValueError(f"parameter `{name}` lacks {error}, found {_check.shown(dict(table))}") from None


def _read_table(name: str, table: Mapping[str, Any]) -> Domain:
    kind = table["type"]
    if kind == "float":
        return Float(table["low"], table["high"], log=table.get("log", False), step=table.get("step"))
    if kind == "int":
        return Int(table["low"], table["high"], log=table.get("log", False), step=table.get("step", 1))
    if kind == "choice":
        return Categorical(table["choices"])
    if kind == "bool":
        return Bool()
    if kind == "fixed":
        return Fixed(table["value"])
    raise ValueError(f"parameter `{name}`: type {kind!r} is not allowed; it must be float, int, choice, bool or fixed")
