"""This project's methods, through the Python package's ask and tell, with its own conditions, constraints and ordinals."""

import json
from typing import Any

import neuralbo

from ..space import Param, Params, When
from .base import Outcome, Start


class Neuralbo:
    def __init__(self, start: Start, method: str = "neuralbo"):
        domains = {param.name: domain(param) for param in start.space.params}
        space = neuralbo.Space(domains, constraints=[constraint.text for constraint in start.space.constraints])
        goals: dict[str, Any] = {}
        if start.objectives > 1:
            goals["objectives"] = [f"f{k}:minimize" for k in range(start.objectives)]
        if start.outcome_constraints:
            goals["outcome_constraints"] = [f"c{k} >= 0" for k in range(start.outcome_constraints)]
        self._optimizer = neuralbo.Optimizer(space, method=method, seed=start.seed, **goals)
        for params, outcome in start.known:
            self._optimizer.add(params, _told(outcome))

    def ask(self) -> Params:
        return dict(self._optimizer.ask())

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._optimizer.tell(params, _told(outcome))


def _told(outcome: Outcome) -> Any:
    numbers = (*outcome.values, *outcome.slacks)
    return numbers if len(numbers) > 1 else numbers[0]


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
