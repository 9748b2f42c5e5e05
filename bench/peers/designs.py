"""Random search and scrambled Sobol points; points that violate a constraint on parameters are left out."""

from collections.abc import Callable

import numpy as np

from ..space import Params
from .base import Outcome, Start


class _Design:
    """Points that do not depend on what is told."""

    def __init__(self, start: Start, draw: Callable[[], np.ndarray]):
        self._first, self._space, self._draw = start.first, start.space, draw

    def ask(self) -> Params:
        first, self._first = self._first, None
        if first is not None:
            return first
        while True:
            params = self._space.at(self._draw())
            if self._space.feasible(params):
                return params

    def tell(self, params: Params, outcome: Outcome) -> None:
        pass


class Random(_Design):
    def __init__(self, start: Start):
        rng = np.random.default_rng(start.seed)
        super().__init__(start, lambda: rng.random(start.dimension))


class Sobol(_Design):
    def __init__(self, start: Start):
        from scipy.stats import qmc

        engine = qmc.Sobol(start.dimension, rng=start.seed)
        super().__init__(start, lambda: engine.random(1)[0])
