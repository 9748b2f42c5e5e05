"""What the runner asks of an optimizer, and the unit cube that many of them search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...hpo.space import Param, Params, Space


class Optimizer(Protocol):
    """Proposes the parameters of the next trial and learns its objectives, which are minimized; one trial at a time."""

    def ask(self) -> Params: ...

    def tell(self, params: Params, values: Sequence[float]) -> None: ...


@dataclass(frozen=True)
class Task:
    """What an optimizer is made for. `initial` is the size of its initial design where that can be chosen; None leaves its own."""

    space: Space
    objectives: int
    seed: int
    trials: int
    initial: int | None = None

    @property
    def dimension(self) -> int:
        return len(self.space.params)


def from_cube(space: Space, point: Sequence[float]) -> Params:
    """The parameters at a point of the unit cube, on the logarithmic scale where a range is logarithmic."""
    return {param.name: _value(param, float(u)) for param, u in zip(space.params, point, strict=True)}


def centre(space: Space) -> Params:
    """The middle of the box: everyone's first trial."""
    return from_cube(space, [0.5] * len(space.params))


def _value(param: Param, u: float) -> Any:
    # Half a unit more on both sides gives the integers at the ends their full share.
    margin = 0.5 if param.kind == "int" else 0.0
    low, high = param.low - margin, param.high + margin
    value = math.exp(math.log(low) + u * (math.log(high) - math.log(low))) if param.log else low + u * (high - low)
    value = float(np.clip(value, param.low, param.high))
    return round(value) if param.kind == "int" else value
