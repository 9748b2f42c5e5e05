"""What a problem is and how its runs are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...hpo.space import Params, Space

Values = tuple[float, ...]


@dataclass(frozen=True)
class Problem:
    """Objectives over a box, all minimized.

    A front is worth the hypervolume between `ideal` and `reference`, both of which become the corners of the unit cube, divided by
    `best`: the hypervolume of the whole Pareto front, or the largest one known where no closed form is.
    """

    name: str
    space: Space
    evaluate: Callable[[Params], Values]
    ideal: Values
    reference: Values
    best: float

    @property
    def dimension(self) -> int:
        return len(self.space.params)

    @property
    def objectives(self) -> int:
        return len(self.reference)

    def scaled(self, values: Sequence[float]) -> Values:
        """The values on the scale where the ideal point is 0 and the reference point is 1."""
        return tuple((value - low) / (high - low) for value, low, high in zip(values, self.ideal, self.reference, strict=True))
