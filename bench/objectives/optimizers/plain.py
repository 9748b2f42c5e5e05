"""Random search and scrambled Sobol points, both after the centre of the box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import qmc

from ...hpo.space import Params
from .base import Task, centre, from_cube


class _Design:
    """Points that do not depend on what is told."""

    def __init__(self, task: Task, points: np.ndarray):
        self._params = [centre(task.space), *(from_cube(task.space, point) for point in points)]
        self._asked = 0

    def ask(self) -> Params:
        self._asked += 1
        return self._params[self._asked - 1]

    def tell(self, params: Params, values: Sequence[float]) -> None:
        pass


class Random(_Design):
    def __init__(self, task: Task):
        super().__init__(task, np.random.default_rng(task.seed).random((task.trials, task.dimension)))


class Sobol(_Design):
    def __init__(self, task: Task):
        engine = qmc.Sobol(task.dimension, rng=task.seed)
        super().__init__(task, engine.random_base2(int(np.ceil(np.log2(max(2, task.trials))))))
