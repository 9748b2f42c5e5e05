"""A method and its options, checked before they are needed."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from neuralbo import Float, Optimizer


def check_method(method: str, seed: Optional[int], options: Mapping[str, Any]) -> None:
    """Raises ValueError or TypeError for an unknown method, a bad seed or a bad option.

    The bridges learn their space late; without this a mistyped option would only show in the middle of a study.
    """
    Optimizer({"p0": Float(0.0, 1.0), "p1": Float(0.0, 1.0)}, method=method, seed=seed, **options)
