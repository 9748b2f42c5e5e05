"""Optuna's samplers, asked by define-by-run: a parameter is suggested when its condition holds.

Constraints are told as Optuna wants them, as numbers that are positive where they are violated, with every trial.
"""

from __future__ import annotations

import warnings
from typing import Any

import optuna

from ..space import Param, Params, Space

optuna.logging.set_verbosity(optuna.logging.ERROR)


class _Optuna:
    def __init__(self, space: Space, sampler: Any):
        self._space = space
        self._study = optuna.create_study(sampler=sampler)
        self._trial: Any = None

    def ask(self) -> Params:
        self._trial = self._study.ask()
        params: Params = {}
        for param in self._space.params:
            if param.active(params):
                params[param.name] = suggest(self._trial, param)
        for number, violation in enumerate(self._space.violations(params)):
            self._trial.set_constraint(f"c{number}", violation)
        return params

    def tell(self, params: Params, loss: float) -> None:
        self._study.tell(self._trial, loss)


def suggest(trial: Any, param: Param) -> Any:
    """The value of a parameter, asked of a trial in Optuna's words."""
    if param.kind == "float":
        return trial.suggest_float(param.name, param.low, param.high, log=param.log, step=param.step)
    if param.kind == "int":
        return trial.suggest_int(param.name, int(param.low), int(param.high), log=param.log, step=int(param.step or 1))
    if param.kind == "ordinal":
        return param.choices[trial.suggest_int(param.name, 0, len(param.choices) - 1)]
    return trial.suggest_categorical(param.name, param.choices)


def tpe(space: Space, seed: int, trials: int) -> _Optuna:
    return _Optuna(space, optuna.samplers.TPESampler(seed=seed, multivariate=False))


def tpe_multivariate(space: Space, seed: int, trials: int) -> _Optuna:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return _Optuna(space, optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True))


def gp(space: Space, seed: int, trials: int) -> _Optuna:
    """Parameters that are not in every trial so far are sampled independently, as is Optuna's way."""
    import torch

    torch.set_num_threads(1)
    return _Optuna(space, optuna.samplers.GPSampler(seed=seed, warn_independent_sampling=False))
