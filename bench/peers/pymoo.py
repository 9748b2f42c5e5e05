"""pymoo's NSGA-II in the unit cube, asked for one individual of a generation after the other."""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from ..space import Params
from .base import Outcome, Start


class Nsga2:
    """`population` has pymoo's own default."""

    def __init__(self, start: Start, population: int = 100):
        self._space = start.space
        first = np.random.default_rng(start.seed).random((population, start.dimension))
        if start.centred:
            first[0] = 0.5
        self._algorithm = NSGA2(pop_size=population, sampling=first)
        problem = Problem(n_var=start.dimension, n_obj=start.objectives, n_ieq_constr=start.outcome_constraints, xl=0.0, xu=1.0)
        self._algorithm.setup(problem, termination=("n_gen", 10**9), seed=start.seed, verbose=False)
        self._generation = Population.empty()
        self._outcomes: list[Outcome] = []

    def ask(self) -> Params:
        if len(self._outcomes) == len(self._generation):
            self._generation = self._algorithm.ask()
            self._outcomes = []
        return self._space.at(self._generation[len(self._outcomes)].X)

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        if len(self._outcomes) == len(self._generation):
            self._generation.set("F", np.array([outcome.values for outcome in self._outcomes]))
            self._generation.set("G", -np.array([outcome.slacks for outcome in self._outcomes]))
            self._algorithm.tell(infills=self._generation)
