"""This project's methods, through the Python package's ask and tell, with its own conditions, constraints and ordinals."""

from __future__ import annotations

import json
from typing import Any

import neuralbo

from ..space import Param, Params, Space, When


class Neuralbo:
    def __init__(self, space: Space, seed: int, trials: int, method: str = "neuralbo"):
        domains = {param.name: domain(param) for param in space.params}
        made = neuralbo.Space(domains, constraints=[constraint.text for constraint in space.constraints])
        self._optimizer = neuralbo.Optimizer(made, method=method, seed=seed)

    def ask(self) -> Params:
        return dict(self._optimizer.ask())

    def tell(self, params: Params, loss: float) -> None:
        self._optimizer.tell(params, loss)


def domain(param: Param) -> Any:
    """A parameter in the words of this project."""
    when = " and ".join(map(_clause, param.when)) or None
    if param.kind == "float":
        return neuralbo.Float(param.low, param.high, log=param.log, step=param.step, when=when)
    if param.kind == "int":
        return neuralbo.Int(int(param.low), int(param.high), log=param.log, step=int(param.step or 1), when=when)
    if param.kind == "ordinal":
        return neuralbo.Ordinal(param.choices, when=when)
    return neuralbo.Categorical(param.choices, when=when)


def _clause(clause: When) -> str:
    if clause.test == "in":
        return f"{clause.parent} in ({', '.join(map(json.dumps, clause.value))})"
    return f"{clause.parent} {clause.test} {json.dumps(clause.value)}"


def gp_ei(space: Space, seed: int, trials: int) -> Neuralbo:
    return Neuralbo(space, seed, trials, method="gp-ei")
