"""What is known about one evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Trial:
    """One evaluation: what was suggested, where it came from and how it ended.

    `state` is ``running``, ``complete`` or ``failed``; `mean` and `sd` are what a model predicted
    for the value when it chose the point, its noise included where the model estimates it.
    """

    number: int
    x: Any
    value: Optional[float]
    state: str
    origin: str
    mean: Optional[float] = None
    sd: Optional[float] = None
    message: Optional[str] = None


@dataclass(frozen=True)
class Best:
    """A point, its value and the number of its trial."""

    x: Any
    fun: float
    number: Optional[int] = None
    sd: Optional[float] = None
