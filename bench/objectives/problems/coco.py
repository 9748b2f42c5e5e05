"""COCO's bi-objective suite `bbob-biobj`, evaluated by cocoex itself.

The box is [-5, 5]^D, as in COCO's own random search: the suite's larger region of interest, [-100, 100]^D, holds the same fronts, and
most of it is far from them. Ideal and nadir point are the suite's; the best hypervolume is the one that COCO knows, whose list is part
of its library.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import cocoex
import numpy as np

from ...hpo.space import Params, Space, real
from .base import Problem, Values

INSTANCES = range(1, 16)
NAME = "bbob-biobj-f{:02}-i{:02}-d{:02}"


@cache
def _suite() -> Any:
    return cocoex.Suite("bbob-biobj", f"instances: {INSTANCES[0]}-{INSTANCES[-1]}", "")


@cache
def _best_known() -> dict[str, float]:
    """COCO's best known hypervolumes by problem; they are kept as text in its compiled interface."""
    library = Path(cocoex.interface.__file__).read_bytes()
    return {name.decode(): float(value) for name, value in re.findall(rb"(bbob-biobj_f\d+_i\d+_d\d+) (\d\.\d+)", library)}


def _ideal(problem: Any) -> Values:
    """The optima of both single objectives, which the problem's name tells."""
    singles = re.findall(r"bbob_f(\d+)_i(\d+)_d(\d+)", problem.name)
    return tuple(cocoex.BareProblem("bbob", int(f), int(d), int(i)).best_value() for f, i, d in singles)


@cache
def problem(function: int, instance: int, dimension: int) -> Problem:
    made = _suite().get_problem_by_function_dimension_instance(function, dimension, instance)
    names = [f"x{i}" for i in range(dimension)]

    def evaluate(params: Params) -> Values:
        return tuple(float(value) for value in made(np.array([params[name] for name in names])))

    return Problem(
        name=NAME.format(function, instance, dimension),
        space=Space(tuple(real(name, -5.0, 5.0) for name in names)),
        evaluate=evaluate,
        ideal=_ideal(made),
        reference=tuple(float(value) for value in made.largest_fvalues_of_interest),
        best=_best_known()[made.id],
    )
