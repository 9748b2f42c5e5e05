"""This project's methods, through the Python package's ask and tell.

Conditional parameters are all given, and those that are not active are ignored. A point that violates a known constraint is a failed
trial.
"""

from __future__ import annotations

from typing import Any

import neuralbo

from ..space import Param, Params, Space


class Neuralbo:
    def __init__(self, space: Space, seed: int, trials: int, method: str = "neuralbo"):
        self._space = space
        self._optimizer = neuralbo.Optimizer({param.name: _domain(param) for param in space.params}, method=method, seed=seed)
        self._point: Any = None

    def ask(self) -> Params:
        self._point = self._optimizer.ask()
        flat = dict(self._point)
        for param in self._space.params:
            if param.kind == "ordinal":
                flat[param.name] = param.choices[flat[param.name]]
        return self._space.restrict(flat)

    def tell(self, params: Params, loss: float) -> None:
        self._optimizer.tell(self._point, loss if self._space.feasible(params) else None)


def _domain(param: Param) -> Any:
    if param.kind == "float":
        return neuralbo.Float(param.low, param.high, log=param.log, step=param.step)
    if param.kind == "int":
        return neuralbo.Int(int(param.low), int(param.high), log=param.log, step=int(param.step or 1))
    if param.kind == "ordinal":
        return neuralbo.Int(0, len(param.choices) - 1)
    return neuralbo.Categorical(param.choices)


def gp_ei(space: Space, seed: int, trials: int) -> Neuralbo:
    return Neuralbo(space, seed, trials, method="gp-ei")
