"""HEBO. It knows neither conditions nor constraints: all parameters are always there, and a violation costs the task's worst loss."""

from typing import Any

import numpy as np
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

from ..space import Param, Params
from .base import Outcome, Start

torch.set_num_threads(1)


class Hebo:
    def __init__(self, start: Start):
        # HEBO draws from the global generators.
        np.random.seed(start.seed)
        torch.manual_seed(start.seed)
        self._space = start.space
        self._optimizer = HEBO(DesignSpace().parse([_parameter(param) for param in start.space.params]), scramble_seed=start.seed)

    def ask(self) -> Params:
        self._row = self._optimizer.suggest(1)
        row = self._row.iloc[0].to_dict()
        # Powers come back with the last digit rounded.
        values = {param.name: param.number(row[param.name]) if param.numeric else param.choices[int(row[param.name])] for param in self._space.params}
        return self._space.restrict(values)

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._optimizer.observe(self._row, np.array([[outcome.values[0]]]))


def _parameter(param: Param) -> dict[str, Any]:
    if not param.numeric:
        if param.kind == "ordinal":
            return {"name": param.name, "type": "int", "lb": 0, "ub": len(param.choices) - 1}
        return {"name": param.name, "type": "cat", "categories": list(range(len(param.choices)))}
    if param.step is not None:
        return {"name": param.name, "type": "int", "lb": 0, "ub": param.steps}
    kind = {("float", False): "num", ("float", True): "pow", ("int", False): "int", ("int", True): "pow_int"}[param.kind, param.log]
    return {"name": param.name, "type": kind, "lb": param.low, "ub": param.high}
