"""pymoo's NSGA-II in the unit cube, asked for one individual of a generation after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from ...hpo.space import Params
from .base import Task, from_cube

SMALL = 20


class Nsga2:
    def __init__(self, task: Task, population: int):
        self._space = task.space
        rng = np.random.default_rng(task.seed)
        start = np.vstack([np.full((1, task.dimension), 0.5), rng.random((population - 1, task.dimension))])
        self._algorithm = NSGA2(pop_size=population, sampling=start)
        problem = Problem(n_var=task.dimension, n_obj=task.objectives, xl=0.0, xu=1.0)
        self._algorithm.setup(problem, termination=("n_gen", 10**9), seed=task.seed, verbose=False)
        self._generation = Population.empty()
        self._values: list[list[float]] = []

    def ask(self) -> Params:
        if len(self._values) == len(self._generation):
            self._generation = self._algorithm.ask()
            self._values = []
        return from_cube(self._space, self._generation[len(self._values)].X)

    def tell(self, params: Params, values: Sequence[float]) -> None:
        self._values.append(list(values))
        if len(self._values) == len(self._generation):
            self._generation.set("F", np.array(self._values))
            self._algorithm.tell(infills=self._generation)


def nsga2(task: Task) -> Nsga2:
    """Its own population of 100."""
    return Nsga2(task, 100)


def nsga2_small(task: Task) -> Nsga2:
    """A population that leaves generations enough in 20 evaluations per dimension."""
    return Nsga2(task, SMALL)
