"""Seeds, directions and options of a method, as the engine takes them."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional

from neuralbo import _check, _engine


def checked_seed(seed: Optional[int]) -> int:
    """The seed, or one from the operating system's entropy."""
    if seed is None:
        # 53 bits, so that every reader of JSON gets it right.
        return int.from_bytes(os.urandom(8), "little") >> 11
    number = _check.whole(seed, "seed", allowed="a whole number or None")
    if not 0 <= number < 2**64:
        raise ValueError(f"seed = {_check.brief(number)} is not allowed; it must be an integer from 0 to 2**64 - 1")
    return number


def option_texts(options: Mapping[str, Any]) -> List[str]:
    """Options as `key=value`, by name."""
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict, found {_check.shown(options)}")
    return [f"{key}={_text(key, options[key])}" for key in sorted(options)]


def check_method(method: str, seed: Optional[int], options: Mapping[str, Any]) -> None:
    """Refuses an unknown method, a bad seed or a bad option, where the space is not known yet."""
    checked_seed(seed)
    _engine.check_method(_check.text(method, "method"), option_texts(options))


def option_dict(texts: List[str]) -> Dict[str, str]:
    """Options from `key=value`."""
    return dict(text.split("=", 1) for text in texts)


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    number = _check.number(value, f"option {key}", allowed="a number, a text or a bool")
    if hasattr(value, "__index__"):
        return str(int(value))
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
