"""Random search; draws again until the known constraints hold."""

from __future__ import annotations

import numpy as np

from ..space import Params, Space


class Random:
    def __init__(self, space: Space, seed: int, trials: int):
        self._space = space
        self._rng = np.random.default_rng(seed)

    def ask(self) -> Params:
        while True:
            params = self._space.sample(self._rng)
            if self._space.feasible(params):
                return params

    def tell(self, params: Params, loss: float) -> None:
        pass
