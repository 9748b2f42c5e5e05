"""The same cross-validation splits for every candidate."""

from __future__ import annotations

from typing import Any, List, Optional


class SameSplits:
    """A splitter that asks another one once and repeats its answer.

    A shuffling splitter without a seed would give every batch of candidates other splits, and so their scores a noise that
    has nothing to do with the candidates.
    """

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: Optional[List[Any]] = None

    def split(self, X: Any, y: Any = None, **params: Any) -> List[Any]:
        """The splits of the first call."""
        if self._splits is None:
            self._splits = list(self._splitter.split(X, y, **params))
        return self._splits
