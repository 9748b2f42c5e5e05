"""Argument checks whose errors name the argument, the value and what is allowed."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Tuple, Type, Union

#: Names of our arguments in other packages.
_OTHER_NAMES = {
    "max_evals": "n_trials",
    "n_calls": "n_trials",
    "n_iter": "n_trials",
    "n_jobs": "workers",
    "max_time": "timeout",
    "time_limit": "timeout",
    "func": "objective",
}
#: Arguments of other packages that have no counterpart of the same kind.
_OTHER_WAYS = {
    "sampler": 'the method is given by name, as in method="neuralbo", with its options and seed= beside it; see neuralbo.methods()',
    "pruner": "a stored study keeps its own; assign a text to study.pruner to change it",
    "gc_after_trial": "nothing is collected after trials; call gc.collect() in a callback",
    "trial_timeout": "a Python function cannot be stopped from outside; `neuralbo run` has it",
}

#: Exceptions that fail a trial.
Catch = Union[Type[BaseException], Tuple[Type[BaseException], ...]]


def brief(value: Any) -> str:
    """At most 80 characters of a value's repr."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print integers of more than a few thousand digits
        return "a number with too many digits to print"
    return text if len(text) <= 80 else f"{text[:79]}…"


def shown(value: Any) -> str:
    """A value with its type."""
    return f"{type(value).__name__} {brief(value)}"


def number(value: Any, field: str, *, allowed: str = "a number") -> float:
    """A number as a float; neither a text nor a bool."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__") or _is_numpy_bool(value):
        raise TypeError(f"{field} must be {allowed}, found {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{field} = {brief(value)} is not allowed; numbers must be at most 1.8e308") from None
    except (TypeError, ValueError):  # an array of several numbers
        raise TypeError(f"{field} must be {allowed}, found {shown(value)}") from None


def whole(value: Any, field: str, *, allowed: str = "a whole number") -> int:
    """An integer; neither a bool nor a float."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__index__"):
        raise TypeError(f"{field} must be {allowed}, found {shown(value)}")
    try:
        return int(value.__index__())
    except TypeError:  # an array
        raise TypeError(f"{field} must be {allowed}, found {shown(value)}") from None


def count(value: Any, field: str, least: int, most: int = 2**63 - 1) -> int:
    """An integer from `least` to `most`."""
    found = whole(value, field)
    if not least <= found <= most:
        limit = f"at least {least}" if found < least else f"at most {most}"
        raise ValueError(f"{field} = {brief(found)} is not allowed; it must be {limit}")
    return found


def other_names(given: Mapping[str, Any]) -> None:
    """Reject argument names of other packages and name ours."""
    for name in given:
        if name in _OTHER_NAMES:
            raise TypeError(f"{name} is not an argument; it is called {_OTHER_NAMES[name]} here")
        if name in _OTHER_WAYS:
            raise TypeError(f"{name} is not an argument: {_OTHER_WAYS[name]}")


def workers(value: Any) -> int:
    """The number of concurrent evaluations; -1 means one per core."""
    found = whole(value, "workers")
    if found == -1:
        return os.cpu_count() or 1
    if found < 1:
        raise ValueError(f"workers = {brief(found)} is not allowed; it must be at least 1, or -1 for all cores")
    return found


def not_negative(value: Any, field: str) -> None:
    """Reject anything but None and numbers of at least 0."""
    if value is not None and not number(value, field, allowed="a number or None") >= 0.0:
        raise ValueError(f"{field} = {value} is not allowed; it must be at least 0")


def seconds(value: Any) -> Any:
    """A duration for the engine; very long ones mean no limit."""
    return None if value is None or float(value) > 1e9 else float(value)


def text(value: Any, field: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{field} must be a text, found {shown(value)}")
    return value


def text_or_none(value: Any, field: str) -> Optional[str]:
    """A text, or ``None``."""
    return None if value is None else text(value, field)


def pruner(value: Any) -> Optional[str]:
    """A pruner as text, or ``None``."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f'pruner must be a text such as "median", "asha:min=1,factor=3" or "none", found {shown(value)}')
    return value


def flag(value: Any, field: str) -> bool:
    """A bool; a text such as "no" would count as true."""
    if isinstance(value, bool) or _is_numpy_bool(value) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{field} must be True or False, found {shown(value)}")


def function(value: Any, field: str) -> None:
    """Reject anything that is not callable."""
    if not callable(value):
        raise TypeError(f"{field} must be a function, found {shown(value)}")


def functions(values: Any, field: str) -> Tuple[Any, ...]:
    """Functions, or none for None."""
    found = () if values is None else tuple(items(values, field, "a list of functions"))
    for i, value in enumerate(found):
        function(value, f"{field}[{i}]")
    return found


def catch(value: Any) -> Catch:
    """Classes of exceptions as Python's `except` takes them; also a list of them."""
    wrong = "a class of exceptions or a tuple of them"
    if isinstance(value, type) and issubclass(value, BaseException):
        return value
    classes = tuple(items(value, "catch", wrong))
    for kind in classes:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError(f"catch must be {wrong}, found {shown(kind)}")
    return classes


def items(values: Any, field: str, allowed: str, *, no_dict: bool = False) -> List[Any]:
    """The items of a list; a text is none, although it could be iterated over."""
    refused = (str, bytes, Mapping) if no_dict else (str, bytes)
    if isinstance(values, refused) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0:
        raise TypeError(f"{field} must be {allowed}, found {shown(values)}")
    return list(values)


def texts(values: Any, field: str, allowed: str) -> List[str]:
    """A list of texts."""
    return [text(value, f"{field}[{place}]") for place, value in enumerate(items(values, field, allowed))]


def _is_numpy_bool(value: Any) -> bool:
    """Whether it is a bool of numpy; asking does not import numpy."""
    return getattr(getattr(value, "dtype", None), "kind", "") == "b"
