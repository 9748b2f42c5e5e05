"""Every optimizer that is installed proposes valid points, the centre first, and the same ones for the same seed."""

import pytest

from bench.objectives import optimizers
from bench.objectives.optimizers.base import Task, centre
from bench.objectives.problems import problem

# Enough to leave every initial design; slow peers take few more.
TRIALS = {"optuna-gp": 9, "qlognehvi": 9, "pymoo-nsga2": 120, "optuna-nsga2": 70, "nsga2": 70}
# What this project's NSGA-II begins with is random, as its population is.
ELSEWHERE = ("nsga2",)


def proposals(name, chosen, seed, trials):
    optimizer = optimizers.make(name, Task(chosen.space, chosen.objectives, seed, trials))
    points = []
    for _ in range(trials):
        points.append(optimizer.ask())
        optimizer.tell(points[-1], chosen.evaluate(points[-1]))
    return points


@pytest.mark.parametrize("name", optimizers.installed())
def test_proposals(name):
    chosen, trials = problem("zdt2-d02"), TRIALS.get(name, 30)
    points = proposals(name, chosen, 3, trials)
    assert (points[0] == centre(chosen.space)) == (name not in ELSEWHERE)
    for params in points:
        chosen.space.check(params)
    assert proposals(name, chosen, 3, trials) == points
    assert proposals(name, chosen, 4, trials) != points


def test_unknown_names_are_told():
    chosen = problem("zdt1-d02")
    with pytest.raises(ValueError, match="known are"):
        optimizers.make("tea", Task(chosen.space, 2, 0, 10))
