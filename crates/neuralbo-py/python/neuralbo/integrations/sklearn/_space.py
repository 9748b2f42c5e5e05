"""Search spaces as scikit-learn's users write them."""

from __future__ import annotations

import numbers
from typing import Any, Mapping

from neuralbo import Fixed, Space
from neuralbo._domains import DOMAINS
from neuralbo.integrations._coding import Code, Coding, choice_code, fixed_code, float_code, int_code


def coding_of(space: Mapping[str, Any]) -> Coding:
    """The engine's view of a space; ValueError or TypeError names the parameter."""
    if not space:
        raise ValueError("space must not be empty; give at least one parameter, e.g. {\"C\": Float(1e-3, 1e3, log=True)}")
    constraints = space.constraints if isinstance(space, Space) else ()
    coding = Coding({name: code_of(name, given) for name, given in space.items()}, constraints=constraints)
    if coding.space is None:
        raise ValueError(f"the space has nothing to search: every parameter has a single value, {', '.join(space)}")
    return coding


def code_of(name: str, given: Any) -> Code:
    """A domain of neuralbo, a pair of bounds as a tuple, or the choices as a list (or another iterable)."""
    if isinstance(given, Fixed) and given.when is None:
        return fixed_code(given.value)
    if isinstance(given, DOMAINS):
        return Code(given)
    try:
        if isinstance(given, tuple) and len(given) == 2 and all(_is_number(bound) for bound in given):
            return _pair_code(*given)
        if hasattr(given, "__iter__") and not isinstance(given, (str, bytes, Mapping)):
            return choice_code(given)
    except ValueError as error:
        raise ValueError(f"parameter `{name}`: {error}") from error
    raise TypeError(
        f"parameter `{name}`: {given!r} is not a domain; it must be a Float, Int, Categorical, Ordinal, Bool or Fixed of neuralbo, "
        f"a pair (low, high), or a list of choices"
    )


def _pair_code(low: Any, high: Any) -> Code:
    """Two whole numbers bound a whole-number parameter, anything else a real one."""
    if not low <= high:
        raise ValueError(f"low must not be above high, found low = {low!r}, high = {high!r}")
    if isinstance(low, numbers.Integral) and isinstance(high, numbers.Integral):
        return int_code(int(low), int(high))
    return float_code(float(low), float(high))


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
