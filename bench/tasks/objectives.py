"""Several objectives: COCO's bi-objective suite `bbob-biobj`, ZDT and DTLZ as pymoo has them, and two real models.

Objectives are scaled so that the ideal point is 0 and the reference point 1. The loss of a run is 1 less the hypervolume between
them, as a share of the best known one; points beyond the reference point add nothing.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from ..peers import Outcome
from ..runs import Run
from ..space import Params, Space, real
from .base import History, Task

Values = tuple[float, ...]

# The single-objective functions that COCO pairs.
SINGLES = (1, 2, 6, 8, 13, 14, 15, 17, 20, 21)
PAIRS = tuple(combinations_with_replacement(SINGLES, 2))
COCO = tuple(f"bbob-biobj-f{f:02}-d{d:02}" for d in (2, 3, 5, 10) for f in range(1, len(PAIRS) + 1))
SYNTHETIC = ("zdt1-d10", "zdt2-d10", "zdt3-d10", "dtlz2-d06", "dtlz7-d06")
MODELS = ("net-digits", "boosting-cancer")
# Ideal point, reference point (BoTorch's) and hypervolume of the whole front in the objectives' own units.
FRONTS: dict[str, tuple[Values, Values, float]] = {
    "zdt1": ((0.0, 0.0), (11.0,) * 2, 120 + 2 / 3),
    "zdt2": ((0.0, 0.0), (11.0,) * 2, 120 + 1 / 3),
    "zdt3": ((0.0, -0.773369), (11.0,) * 2, 128.778116),
    "dtlz2": ((0.0,) * 3, (1.1,) * 3, 1.1**3 - math.pi / 6),
    "dtlz7": ((0.0, 0.0, 2.614008), (15.0,) * 3, 2757.923204),
}


@dataclass(frozen=True)
class Several(Task):
    """Objectives over a box, with a known front."""

    function: Callable[[Params], Values]
    ideal: Values
    reference: Values
    best: float
    centred = True

    @property
    def objectives(self) -> int:  # type: ignore[override]
        return len(self.reference)

    def evaluate(self, params: Params, seed: int) -> Outcome:
        return Outcome(self.function(params))

    def loss(self, history: History) -> float:
        from moocore import hypervolume

        ideal, reference = np.array(self.ideal), np.array(self.reference)
        scaled = (np.array([outcome.values for _, outcome in history]) - ideal) / (reference - ideal)
        return 1.0 - hypervolume(scaled, ref=np.ones(len(ideal))) / self.best


@dataclass(frozen=True)
class Coco(Task):
    """A function of `bbob-biobj`, evaluated by COCO itself; seed 0 is its first instance.

    The box is [-5, 5]^D, as in COCO's own random search: the suite's larger region of interest, [-100, 100]^D, holds the same fronts,
    and most of it is far from them. Ideal and nadir point are the suite's; the best hypervolume is the one that COCO knows.
    """

    function: int
    objectives = 2

    def instance(self, seed: int) -> Several:
        names = [param.name for param in self.space.params]
        problem = _suite().get_problem_by_function_dimension_instance(self.function, len(names), seed + 1)

        def evaluate(params: Params) -> Values:
            return tuple(float(value) for value in problem(np.array([params[name] for name in names])))

        reference = tuple(float(value) for value in problem.largest_fvalues_of_interest)
        return Several(self.name, self.about, self.space, evaluate, _ideal(problem), reference, _best_known()[problem.id])

    def run(self, method: str, seed: int, trials: int) -> Run:
        return self.instance(seed).run(method, seed, trials)


@cache
def _suite() -> Any:
    import cocoex

    return cocoex.Suite("bbob-biobj", "instances: 1-15", "")


@cache
def _best_known() -> dict[str, float]:
    """COCO's best known hypervolumes by problem; they are kept as text in its compiled interface."""
    import cocoex

    library = Path(cocoex.interface.__file__).read_bytes()
    return {name.decode(): float(value) for name, value in re.findall(rb"(bbob-biobj_f\d+_i\d+_d\d+) (\d\.\d+)", library)}


def _ideal(problem: Any) -> Values:
    """The optima of both single objectives, which are part of the problem's name."""
    import cocoex

    singles = re.findall(r"bbob_f(\d+)_i(\d+)_d(\d+)", problem.name)
    return tuple(cocoex.BareProblem("bbob", int(f), int(d), int(i)).best_value() for f, i, d in singles)


def _box(dimension: int, low: float, high: float) -> Space:
    return Space(tuple(real(f"x{i}", low, high) for i in range(dimension)))


@cache
def get(name: str) -> Task:
    """The task of this name; the packages that it needs are imported when it runs, those of a model now."""
    if name in MODELS:
        from .models import task

        return task(name)
    family, dimension = re.fullmatch(r"(.+)-d(\d\d)", name).groups()
    if family in FRONTS:
        return _synthetic(name, family, int(dimension))
    first, second = PAIRS[int(family[-2:]) - 1]
    return Coco(name, f"COCO's functions {first} and {second}", _box(int(dimension), -5.0, 5.0), int(family[-2:]))


def _synthetic(name: str, family: str, dimension: int) -> Several:
    ideal, reference, volume = FRONTS[family]
    box = _box(dimension, 0.0, 1.0)

    @cache
    def problem() -> Any:
        from pymoo.problems import get_problem

        return get_problem(family, n_var=dimension, **({} if family.startswith("zdt") else {"n_obj": len(reference)}))

    def evaluate(params: Params) -> Values:
        return tuple(map(float, problem().evaluate(np.array([params[param.name] for param in box.params]))))

    best = volume / math.prod(high - low for low, high in zip(ideal, reference))
    return Several(name, f"{family.upper()}, {len(reference)} objectives", box, evaluate, ideal, reference, best)
