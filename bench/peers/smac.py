"""SMAC3's facade for hyper-parameters: a Sobol design of a quarter of the trials, then a random forest with log EI.

Conditions become ConfigSpace's. A constraint `a <= b` on two parameters becomes a forbidden relation; ConfigSpace has no others, and
their violation costs the task's worst loss.
"""

import logging
import tempfile
from pathlib import Path
from typing import Any

import ConfigSpace as cs
from smac import HyperparameterOptimizationFacade, Scenario
from smac.runhistory.dataclasses import TrialValue

from ..space import Param, Params, Space, When
from .base import Outcome, Start

logging.disable(logging.WARNING)


class Smac:
    def __init__(self, start: Start):
        self._space = start.space
        self._folder = tempfile.TemporaryDirectory()
        # One evaluation per point, as for all peers; repeated ones would cost SMAC trials.
        scenario = Scenario(
            configspace(start.space, start.seed),
            deterministic=True,
            n_trials=start.trials,
            seed=start.seed,
            output_directory=Path(self._folder.name),
        )
        self._facade = HyperparameterOptimizationFacade(scenario, lambda config, seed=0: 0.0, overwrite=True, logging_level=False)

    def ask(self) -> Params:
        self._info = self._facade.ask()
        config = dict(self._info.config)
        # ConfigSpace orders parameters its own way and answers in numpy's types.
        return {param.name: _plain(param, config[param.name]) for param in self._space.params if param.name in config}

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._facade.tell(self._info, TrialValue(cost=outcome.values[0]), save=False)


def configspace(space: Space, seed: int) -> cs.ConfigurationSpace:
    """The space in ConfigSpace's words."""
    made = cs.ConfigurationSpace(seed=seed)
    made.add([_hyperparameter(param) for param in space.params])
    for param in space.params:
        if param.when:
            conditions = [_condition(made, param, clause) for clause in param.when]
            made.add(conditions[0] if len(conditions) == 1 else cs.AndConjunction(*conditions))
    for constraint in space.constraints:
        left, right = constraint.sides()
        if left.isidentifier() and right.isidentifier():
            made.add(cs.ForbiddenGreaterThanRelation(made[left], made[right]))
    return made


def _hyperparameter(param: Param) -> Any:
    if param.step is not None:
        return cs.UniformIntegerHyperparameter(param.name, 0, param.steps)
    if param.kind == "float":
        return cs.UniformFloatHyperparameter(param.name, param.low, param.high, log=param.log)
    if param.kind == "int":
        return cs.UniformIntegerHyperparameter(param.name, int(param.low), int(param.high), log=param.log)
    if param.kind == "ordinal":
        return cs.OrdinalHyperparameter(param.name, param.choices)
    return cs.CategoricalHyperparameter(param.name, param.choices)


def _plain(param: Param, value: Any) -> Any:
    if not param.numeric:
        return next(choice for choice in param.choices if choice == value)
    return param.number(value)


def _condition(made: cs.ConfigurationSpace, param: Param, clause: When) -> Any:
    child, parent = made[param.name], made[clause.parent]
    if clause.test == "in":
        return cs.InCondition(child, parent, list(clause.value))
    # ConfigSpace has strict comparisons only; the parents of ours are whole numbers.
    return cs.GreaterThanCondition(child, parent, clause.value - 1)
