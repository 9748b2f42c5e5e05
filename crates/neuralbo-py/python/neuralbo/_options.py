"""Seeds, directions and options of a method, as the engine takes them."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional


def checked_seed(seed: Optional[int]) -> int:
    """The seed, or one from the operating system's entropy."""
    if seed is None:
        # 53 bits, so that every reader of JSON gets it right.
        return int.from_bytes(os.urandom(8), "little") >> 11
    if isinstance(seed, (bool, str)) or not hasattr(seed, "__index__"):
        raise TypeError(f"seed must be a whole number or None, found {type(seed).__name__} {seed!r}")
    number = int(seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"seed = {number} is not allowed; it must be a whole number from 0 to 2**64 - 1")
    return number


def checked_text(value: Any, field: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{field} must be a text, found {type(value).__name__} {value!r}")
    return value


def option_texts(options: Mapping[str, Any]) -> List[str]:
    """Options as `key=value`, by name."""
    return [f"{key}={_text(key, options[key])}" for key in sorted(options)]


def option_dict(texts: List[str]) -> Dict[str, str]:
    """Options from `key=value`."""
    return dict(text.split("=", 1) for text in texts)


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if hasattr(value, "__index__"):
        return str(int(value))
    if hasattr(value, "__float__"):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    raise TypeError(f"option {key} must be a number, a text or a bool, found {type(value).__name__} {value!r}")
