"""This project's methods, through the Python package's ask and tell."""

from __future__ import annotations

from collections.abc import Sequence

import neuralbo

from ...hpo.optimizers.neuralbo import domain
from ...hpo.space import Params
from .base import Task


class Neuralbo:
    def __init__(self, task: Task, method: str = "neuralbo"):
        space = neuralbo.Space({param.name: domain(param) for param in task.space.params})
        objectives = [f"f{k}:minimize" for k in range(task.objectives)]
        self._optimizer = neuralbo.Optimizer(space, method=method, objectives=objectives, seed=task.seed)

    def ask(self) -> Params:
        return dict(self._optimizer.ask())

    def tell(self, params: Params, values: Sequence[float]) -> None:
        self._optimizer.tell(params, tuple(values))


def nsga2(task: Task) -> Neuralbo:
    """With its own population of 50."""
    return Neuralbo(task, method="nsga2")
