"""Every optimizer that is installed proposes valid points of every task, the same ones for the same seed."""

import pytest

from bench.hpo import optimizers
from bench.hpo.tasks import TASKS

# Enough to leave every initial design; slow peers are tried on what is special to a space.
TRIALS = {"neuralbo": 30, "gp-ei": 30, "tpe": 30, "tpe-multivariate": 30, "random": 200, "smac": 16, "optuna-gp": 14, "hebo": 14}
SLOW = ("smac", "optuna-gp", "hebo")
SPECIAL = ("mlp-layers-moons", "hist-boosting-cancer", "family-clusters", "select-pca-svm-clusters", "boosting-friedman")
PAIRS = [(name, task) for name in optimizers.installed() for task in (SPECIAL if name in SLOW else TASKS)]


def loss(params):
    """Cheap, and different for every choice and number."""
    return sum(len(value) if isinstance(value, str) else float(value) for value in params.values())


def proposals(name, task, trials):
    optimizer = optimizers.make(name, TASKS[task].space, 7, trials)
    points = []
    for _ in range(trials):
        params = optimizer.ask()
        optimizer.tell(params, loss(params))
        points.append(params)
    return points


@pytest.mark.parametrize("name, task", PAIRS)
def test_proposals_are_valid(name, task):
    for params in proposals(name, task, TRIALS[name]):
        TASKS[task].space.check(params)


@pytest.mark.parametrize("name", optimizers.installed())
def test_proposals_repeat_with_the_seed(name):
    trials = TRIALS[name] // 2
    assert proposals(name, "mlp-layers-moons", trials) == proposals(name, "mlp-layers-moons", trials)


@pytest.mark.parametrize("name", ("neuralbo", "gp-ei", "random"))
@pytest.mark.parametrize("task", [name for name, task in TASKS.items() if task.space.constraints])
def test_known_constraints_hold(name, task):
    assert all(TASKS[task].space.feasible(params) for params in proposals(name, task, 30))


@pytest.mark.skipif("smac" not in optimizers.installed(), reason="needs SMAC3")
def test_smac_forbids_what_it_can_say():
    task = TASKS["select-pca-svm-clusters"]
    assert all(task.space.feasible(params) for params in proposals("smac", task.name, 16))


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match="known are neuralbo"):
        optimizers.make("tea", TASKS["knn-digits"].space, 0, 10)
