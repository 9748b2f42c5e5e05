"""The hypervolume of points that are minimized, and how it grows while a run goes on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Point = tuple[float, ...]


def nondominated(points: np.ndarray) -> np.ndarray:
    """The rows that no other row dominates, one of each."""
    points = np.unique(points, axis=0)
    no_worse = (points[:, None, :] <= points[None, :, :]).all(axis=2)
    return points[no_worse.sum(axis=0) == 1]


def hypervolume(points: Sequence[Point] | np.ndarray, reference: Sequence[float]) -> float:
    """The volume that the points dominate and the reference bounds; points beyond the reference add nothing.

    Slices along the last objective: between two of its levels the volume is that of the remaining objectives.
    """
    reference = np.asarray(reference, dtype=float)
    points = np.asarray(points, dtype=float).reshape(-1, len(reference))
    points = points[(points < reference).all(axis=1)]
    if not len(points):
        return 0.0
    if len(reference) == 1:
        return float(reference[0] - points.min())
    if len(reference) == 2:
        return _area(points, reference)
    points = points[np.argsort(points[:, -1], kind="stable")]
    levels = np.append(points[:, -1], reference[-1])
    front = points[:0, :-1]
    volume = 0.0
    for index, point in enumerate(points):
        front = nondominated(np.vstack([front, point[:-1]]))
        height = levels[index + 1] - levels[index]
        if height > 0.0:
            volume += height * hypervolume(front, reference[:-1])
    return volume


def _area(points: np.ndarray, reference: np.ndarray) -> float:
    points = points[np.lexsort((points[:, 1], points[:, 0]))]
    lowest = np.minimum.accumulate(points[:, 1])
    widths = np.diff(np.append(points[:, 0], reference[0]))
    return float(np.sum(widths * (reference[1] - lowest)))


class Archive:
    """The points of a run that no other dominates, and their hypervolume."""

    def __init__(self, reference: Sequence[float]):
        self._reference = np.asarray(reference, dtype=float)
        self._front = np.empty((0, len(self._reference)))
        self.hypervolume = 0.0

    def add(self, point: Sequence[float]) -> float:
        """The hypervolume with the point. It is computed anew only when the point adds to it."""
        row = np.asarray(point, dtype=float)
        if not (row < self._reference).all() or (self._front <= row).all(axis=1).any():
            return self.hypervolume
        self._front = np.vstack([self._front[~(row <= self._front).all(axis=1)], row])
        self.hypervolume = hypervolume(self._front, self._reference)
        return self.hypervolume
