"""What a study will be, checked before its first trial."""

from __future__ import annotations

from typing import List

from neuralbo import _check, _engine
from neuralbo.space import Space


def checked_name(name: str) -> str:
    """A name that a storage takes; a study without a space would only be refused after its first trial."""
    if not 1 <= len(_check.text(name, "study_name")) <= 200 or any(ord(letter) < 32 for letter in name):
        raise ValueError(f"study_name = {name[:50]!r} is not allowed; it must have 1 to 200 characters, none of them a control character")
    return name


class Plan:
    """What a study will be, once its space is known."""

    def __init__(self, direction: str, method: str, options: List[str], seed: int) -> None:
        self.direction = _check.text(direction, "direction")
        self.method = _check.text(method, "method")
        self.options = options
        self.seed = seed
        # A mistyped option would only show after the first trial.
        probe = Space({"p0": (0.0, 1.0), "p1": (0.0, 1.0)})
        _engine.Engine(probe._core, "named", self.direction, self.method, options, seed)
