"""What the runner asks of an optimizer."""

from __future__ import annotations

from typing import Protocol

from ..space import Params


class Optimizer(Protocol):
    """Proposes the active parameters of the next trial and learns its loss; one trial at a time."""

    def ask(self) -> Params: ...

    def tell(self, params: Params, loss: float) -> None: ...
