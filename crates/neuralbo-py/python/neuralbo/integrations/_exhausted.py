"""Asking the engine where a finite space may be used up."""

from __future__ import annotations

from typing import Optional

from neuralbo import Optimizer
from neuralbo.integrations._coding import EnginePoint

#: How the engine says that nothing is left.
_NOTHING_LEFT = "every point of the space"


def ask_or_none(optimizer: Optimizer) -> Optional[EnginePoint]:
    """The next point, or ``None`` when every point of a finite space has been evaluated or is running."""
    try:
        point: EnginePoint = optimizer.ask()
    except RuntimeError as error:
        if _NOTHING_LEFT in str(error):
            return None
        raise
    return point
