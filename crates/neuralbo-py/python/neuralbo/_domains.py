"""Domains of parameters and their conditions."""

from __future__ import annotations

import copy
import math
from dataclasses import MISSING, dataclass, fields
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from neuralbo import _check, _engine

#: A parameter value: any JSON value.
Scalar = Union[float, int, bool, str, None, List[Any], Tuple[Any, ...], Dict[str, Any]]
#: When a parameter is active: an expression, or a dict of the values that other parameters must have, one or a list of them.
When = Union[str, Mapping[str, Any]]
#: A parameter as the engine takes it: name, kind, arguments, condition.
Spec = Tuple[str, str, Tuple[Any, ...], Optional[str]]
#: Lists and dicts inside each other, as in the engine.
_NESTING = 64
#: The engine distinguishes at most this many values of a parameter.
MOST_LEVELS = 2**50


class _Shown:
    """Omits an absent condition from the repr."""

    def __repr__(self) -> str:
        shown = [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        arguments = ", ".join(f"{name}={value!r}" for name, value in shown if not (name == "when" and value is None))
        return f"{type(self).__name__}({arguments})"


@dataclass(frozen=True, repr=False)
class Float(_Shown):
    """Real numbers from `low` to `high`, both included; with `step`, `low`, `low + step`, ….

    With `log=True` the scale is logarithmic; with `when` the parameter is active only under a condition.

    >>> Float(1e-5, 1e-1, log=True)
    Float(low=1e-05, high=0.1, log=True, step=None)
    >>> Float(0, 1, when={"kernel": ["rbf", "poly"]}).when
    'kernel in ("rbf", "poly")'
    """

    low: float
    high: float
    log: bool = False
    step: Optional[float] = None
    when: Optional[str] = None

    def __init__(
        self, low: float, high: float, *, log: bool = False, step: Optional[float] = None, when: Optional[When] = None
    ) -> None:
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
        _set(self, low=low, high=high, log=log, step=step, when=condition(when))


@dataclass(frozen=True, repr=False)
class Int(_Shown):
    """Integers from `low` to `high`, both included; with `step`, `low`, `low + step`, ….

    >>> Int(1, 9, step=2)
    Int(low=1, high=9, log=False, step=2)
    >>> Int(1, 9, when="layers >= 2")
    Int(low=1, high=9, log=False, step=1, when='layers >= 2')
    """

    low: int
    high: int
    log: bool = False
    step: int = 1
    when: Optional[str] = None

    def __init__(self, low: int, high: int, *, log: bool = False, step: int = 1, when: Optional[When] = None) -> None:
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
        _set(self, low=low, high=high, log=log, step=step, when=condition(when))


@dataclass(frozen=True, repr=False)
class Categorical(_Shown):
    """One of several unordered values: strings, numbers, bools, None, and tuples and dicts of these. Lists become
    tuples.

    >>> Categorical(["adam", "sgd"])
    Categorical(choices=('adam', 'sgd'))
    """

    choices: Tuple[Scalar, ...]
    when: Optional[str] = None

    def __init__(self, choices: Iterable[Scalar], *, when: Optional[When] = None) -> None:
        _set(self, choices=_listed(choices, "choices"), when=condition(when))


@dataclass(frozen=True, repr=False)
class Ordinal(_Shown):
    """One of several ordered values: neighbours are similar, and conditions and constraints may compare them.

    >>> Ordinal(["small", "medium", "large"])
    Ordinal(values=('small', 'medium', 'large'))
    """

    values: Tuple[Scalar, ...]
    when: Optional[str] = None

    def __init__(self, values: Iterable[Scalar], *, when: Optional[When] = None) -> None:
        _set(self, values=_listed(values, "values"), when=condition(when))


@dataclass(frozen=True, repr=False)
class Bool(_Shown):
    """False or true.

    >>> Bool(when="model == svm")
    Bool(when='model == svm')
    """

    when: Optional[str] = None

    def __init__(self, *, when: Optional[When] = None) -> None:
        _set(self, when=condition(when))


@dataclass(frozen=True, repr=False)
class Fixed(_Shown):
    """A constant.

    >>> Fixed(42)
    Fixed(value=42)
    """

    value: Scalar
    when: Optional[str] = None

    def __init__(self, value: Scalar, *, when: Optional[When] = None) -> None:
        _set(self, value=frozen(value), when=condition(when))


Domain = Union[Float, Int, Categorical, Ordinal, Bool, Fixed]
#: The name of each kind in files.
KINDS: Dict[str, Any] = {"float": Float, "int": Int, "choice": Categorical, "ordinal": Ordinal, "bool": Bool, "fixed": Fixed}
#: The kinds, for ``isinstance``.
DOMAINS = tuple(KINDS.values())


def condition(when: Any) -> Optional[str]:
    """The text of a condition.

    >>> condition({"model": "svm", "kernel": ["rbf", "poly"]})
    'model == "svm" and kernel in ("rbf", "poly")'
    """
    if when is None:
        return None
    if not isinstance(when, (str, Mapping)):
        raise TypeError(
            f"when must be a text such as \"kernel == rbf\" or a dict such as {{\"kernel\": \"rbf\"}}, found {_check.shown(when)}"
        )
    try:
        return _engine.expression(when if isinstance(when, str) else dict(when))
    except ValueError as error:
        raise ValueError(f"when: {error}") from None


def under(domain: Domain, when: Optional[When]) -> Domain:
    """The same domain under another condition."""
    changed = copy.copy(domain)
    _set(changed, when=condition(when))
    return changed


def _listed(values: Any, field: str) -> Tuple[Scalar, ...]:
    listed = _check.items(values, field, "a list of values")
    if not listed:
        raise ValueError(f"{field} must have at least one value")
    for value in listed:
        if not is_json(value, field):
            raise TypeError(f"{field} must be texts, numbers, bools, None, or tuples, lists or dicts of such; found {_check.shown(value)}")
    return tuple(frozen(value) for value in listed)


def frozen(value: Any, levels: int = _NESTING) -> Any:
    """A value as trials have it: sequences are tuples, so that values can be compared and be keys of dicts. One that
    contains itself is left to the checks.

    >>> frozen([64, [32, 16]])
    (64, (32, 16))
    """
    if not isinstance(value, (list, tuple)) or levels == 0:
        return value
    return tuple(frozen(item, levels - 1) for item in value)


def is_json(value: Any, field: str, levels: int = _NESTING) -> bool:
    """Whether it is a valid parameter value; a list may contain itself."""
    if isinstance(value, (list, tuple, dict)) and levels == 0:
        raise ValueError(f"{field}: at most {_NESTING} levels of nesting are allowed")
    if isinstance(value, (list, tuple)):
        return all(is_json(item, field, levels - 1) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(item, field, levels - 1) for key, item in value.items())
    return value is None or isinstance(value, (str, bool)) or (hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0)


def _set(domain: Any, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(domain, name, value)


def domain_of(name: str, given: Any) -> Domain:
    """The domain given for a parameter."""
    if isinstance(given, (Float, Int, Categorical, Ordinal, Bool, Fixed)):
        return given
    if given is None or isinstance(given, (bool, int, float, str)):
        return Fixed(given)
    if isinstance(given, Sequence) and len(given) == 2:
        try:
            return Float(given[0], given[1])
        except (TypeError, ValueError) as error:
            raise type(error)(f"parameter `{name}`: {error}") from None
    raise TypeError(
        f"parameter `{name}` must be Float, Int, Categorical, Ordinal, Bool, Fixed, a pair (low, high) or a value, "
        f"found {_check.shown(given)}"
    )


def spec_of(name: str, domain: Domain) -> Spec:
    """A parameter in the engine's form."""
    kind, arguments = _kind(domain)
    return (name, kind, arguments, domain.when)


def _kind(domain: Domain) -> Tuple[str, Tuple[Any, ...]]:
    if isinstance(domain, (Float, Int)):
        return ("float" if isinstance(domain, Float) else "int", (domain.low, domain.high, domain.log, domain.step))
    if isinstance(domain, Bool):
        return ("choice", (False, True))
    if isinstance(domain, Categorical):
        return ("choice", domain.choices)
    return ("ordinal", domain.values) if isinstance(domain, Ordinal) else ("fixed", (domain.value,))


def from_spec(spec: Spec) -> Domain:
    """The domain of an engine parameter."""
    name, kind, arguments, when = spec
    if kind in ("float", "int"):
        low, high, log, step = arguments
        return KINDS[kind](low, high, log=log, step=step, when=when)  # type: ignore[no-any-return]
    if kind == "choice" and arguments == (False, True) and isinstance(arguments[0], bool):
        return Bool(when=when)
    if kind in ("choice", "ordinal"):
        return KINDS[kind](arguments, when=when)  # type: ignore[no-any-return]
    if kind == "fixed":
        return Fixed(arguments[0], when=when)
    raise ValueError(f"parameter `{name}`: a pool cannot be used here")


def to_table(domain: Domain) -> Dict[str, Any]:
    """A domain as in files."""
    table: Dict[str, Any] = {"type": next(kind for kind, known in KINDS.items() if isinstance(domain, known))}
    for field in fields(domain):
        value = getattr(domain, field.name)
        if field.default is MISSING or value != field.default:
            table["if" if field.name == "when" else field.name] = list(value) if field.name in ("choices", "values") else value
    return table


def from_table(name: str, table: Mapping[str, Any]) -> Domain:
    """The domain written by :func:`to_table`."""
    if not isinstance(table, Mapping):
        raise TypeError(f"parameter `{name}` must be a dict with a type, found {_check.shown(table)}")
    try:
        known = KINDS.get(str(table["type"]))
        if known is None:
            allowed = ", ".join([*KINDS][:-1])
            raise ValueError(f"parameter `{name}`: type {table['type']!r} is not allowed; it must be {allowed} or {[*KINDS][-1]}")
        wanted = [field for field in fields(known) if field.name != "when"]
        given = {field.name: table[field.name] for field in wanted if field.default is MISSING or field.name in table}
    except KeyError as error:
        raise ValueError(f"parameter `{name}` lacks {error}, found {_check.shown(dict(table))}") from None
    domain: Domain = known(**given, when=table.get("if"))
    return domain
