"""Optuna's samplers for several objectives. The centre of the box is enqueued as the first trial."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import optuna

from ...hpo.optimizers.optuna import suggest
from ...hpo.space import Params
from .base import Task, centre

SMALL = 20


class _Optuna:
    def __init__(self, task: Task, sampler: Any):
        self._space = task.space
        self._study = optuna.create_study(sampler=sampler, directions=["minimize"] * task.objectives)
        self._study.enqueue_trial(centre(task.space))
        self._trial: Any = None

    def ask(self) -> Params:
        self._trial = self._study.ask()
        return {param.name: suggest(self._trial, param) for param in self._space.params}

    def tell(self, params: Params, values: Sequence[float]) -> None:
        self._study.tell(self._trial, list(values))


def nsga2(task: Task) -> _Optuna:
    """Its own population of 50."""
    return _Optuna(task, optuna.samplers.NSGAIISampler(seed=task.seed))


def nsga2_small(task: Task) -> _Optuna:
    """A population that leaves generations enough in 20 evaluations per dimension."""
    return _Optuna(task, optuna.samplers.NSGAIISampler(seed=task.seed, population_size=SMALL))


def tpe(task: Task) -> _Optuna:
    return _Optuna(task, optuna.samplers.TPESampler(seed=task.seed, multivariate=False))


def tpe_multivariate(task: Task) -> _Optuna:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return _Optuna(task, optuna.samplers.TPESampler(seed=task.seed, multivariate=True))


def gp(task: Task) -> _Optuna:
    """Expected improvement of the logarithm of the hypervolume, after as many independent trials as the other model-based peers."""
    import torch

    torch.set_num_threads(1)
    initial = task.initial or 2 * (task.dimension + 1)
    return _Optuna(task, optuna.samplers.GPSampler(seed=task.seed, n_startup_trials=initial))
