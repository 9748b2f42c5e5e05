"""This project's methods, through the Python package's ask and tell.

A package without conditions gets all parameters, and those that are not active are ignored; to one without constraints a violation is a
failed trial.
"""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import neuralbo

from ..space import Param, Params, Space, When

CONDITIONS = "when" in signature(neuralbo.Float).parameters
CONSTRAINTS = "constraints" in signature(neuralbo.Space).parameters
ORDINALS = hasattr(neuralbo, "Ordinal")


class Neuralbo:
    def __init__(self, space: Space, seed: int, trials: int, method: str = "neuralbo"):
        self._space = space
        self._optimizer = neuralbo.Optimizer(_space(space), method=method, seed=seed)
        self._point: Any = None

    def ask(self) -> Params:
        self._point = self._optimizer.ask()
        given = {param.name: _value(param, self._point[param.name]) for param in self._space.params if param.name in self._point}
        return given if CONDITIONS else self._space.restrict(given)

    def tell(self, params: Params, loss: float) -> None:
        self._optimizer.tell(self._point, loss if self._space.feasible(params) else None)


def _space(space: Space) -> Any:
    constraints = {"constraints": [constraint.text for constraint in space.constraints]} if CONSTRAINTS and space.constraints else {}
    return neuralbo.Space({param.name: _domain(param) for param in space.params}, **constraints)


def _domain(param: Param) -> Any:
    when = {"when": " and ".join(map(_clause, param.when))} if CONDITIONS and param.when else {}
    if param.kind == "float":
        return neuralbo.Float(param.low, param.high, log=param.log, step=param.step, **when)
    if param.kind == "int":
        return neuralbo.Int(int(param.low), int(param.high), log=param.log, step=int(param.step or 1), **when)
    if param.kind == "choice":
        return neuralbo.Categorical(param.choices, **when)
    return neuralbo.Ordinal(param.choices, **when) if ORDINALS else neuralbo.Int(0, len(param.choices) - 1, **when)


def _clause(clause: When) -> str:
    if clause.test == "in":
        return f"{clause.parent} in ({', '.join(map(json.dumps, clause.value))})"
    return f"{clause.parent} {clause.test} {json.dumps(clause.value)}"


def _value(param: Param, value: Any) -> Any:
    return param.choices[value] if param.kind == "ordinal" and not ORDINALS else value


def gp_ei(space: Space, seed: int, trials: int) -> Neuralbo:
    return Neuralbo(space, seed, trials, method="gp-ei")
