"""The same cross-validation splits for every candidate."""

from __future__ import annotations

from typing import Any, List, Optional


class SameSplits:
    """A splitter that caches the splits of another.

    A shuffling splitter without a seed would split differently for every batch of candidates, which adds noise to
    their scores.
    """

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: Optional[List[Any]] = None

    def split(self, *data: Any, **params: Any) -> List[Any]:
        """The splits of the first call."""
        if self._splits is None:
            self._splits = list(self._splitter.split(*data, **params))
        return self._splits


def same_splits(cv: Any) -> Optional[SameSplits]:
    """For the `cv` argument of a search; ``None`` where scikit-learn itself repeats the splits: numbers of folds and lists."""
    return SameSplits(cv) if hasattr(cv, "split") else None
