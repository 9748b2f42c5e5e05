"""Optuna's samplers, asked by define-by-run: a parameter is suggested when its condition holds.

Constraints and outcome constraints are told as Optuna wants them, as numbers that are positive where they are violated.
"""

import warnings
from typing import Any

import optuna

from ..space import Param, Params
from .base import Outcome, Start

optuna.logging.set_verbosity(optuna.logging.ERROR)


class Optuna:
    def __init__(self, start: Start, sampler: Any):
        self._space = start.space
        self._study = optuna.create_study(sampler=sampler, directions=["minimize"] * start.objectives)
        for params, outcome in start.known:
            self._study.enqueue_trial(params)
            self.tell(self.ask(), outcome)
        if start.first is not None:
            self._study.enqueue_trial(start.first)

    def ask(self) -> Params:
        self._trial = self._study.ask()
        params: Params = {}
        for param in self._space.params:
            if param.active(params):
                params[param.name] = suggest(self._trial, param)
        for number, violation in enumerate(self._space.violations(params)):
            self._trial.set_constraint(f"c{number}", violation)
        return params

    def tell(self, params: Params, outcome: Outcome) -> None:
        for number, slack in enumerate(outcome.slacks):
            self._trial.set_constraint(f"o{number}", -slack)
        self._study.tell(self._trial, list(outcome.values))


def suggest(trial: Any, param: Param) -> Any:
    if param.kind == "float":
        return trial.suggest_float(param.name, param.low, param.high, log=param.log, step=param.step)
    if param.kind == "int":
        return trial.suggest_int(param.name, int(param.low), int(param.high), log=param.log, step=int(param.step or 1))
    if param.kind == "ordinal":
        return param.choices[trial.suggest_int(param.name, 0, len(param.choices) - 1)]
    return trial.suggest_categorical(param.name, param.choices)


def tpe(start: Start) -> Optuna:
    return Optuna(start, optuna.samplers.TPESampler(seed=start.seed, multivariate=False))


def tpe_multivariate(start: Start) -> Optuna:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return Optuna(start, optuna.samplers.TPESampler(seed=start.seed, multivariate=True, group=start.space.conditional))


def nsga2(start: Start, population: int = 50) -> Optuna:
    return Optuna(start, optuna.samplers.NSGAIISampler(seed=start.seed, population_size=population))


def gp(start: Start) -> Optuna:
    """Parameters that are not in every trial so far are sampled independently, as is Optuna's way."""
    import torch

    torch.set_num_threads(1)
    initial = 10 if start.objectives == 1 else 2 * (start.dimension + 1)
    return Optuna(start, optuna.samplers.GPSampler(seed=start.seed, n_startup_trials=initial, warn_independent_sampling=False))
