"""The tasks are what the benchmark promises, and their losses are losses."""

import math

import numpy as np
import pytest

from bench import tasks
from bench.peers import Outcome
from bench.tasks import HELD_OUT, SUITES, get, select

TUNING = [*SUITES["tuning"], *HELD_OUT]


def points(task, count):
    rng = np.random.default_rng(3)
    while count:
        params = task.space.sample(rng)
        if task.space.feasible(params):
            count -= 1
            yield params


@pytest.mark.parametrize("name", TUNING)
def test_losses_are_finite_and_only_noisy_ones_depend_on_the_seed(name):
    task = get(name)
    some = list(points(task, 6))
    losses = [task.evaluate(params, 1).values[0] for params in some]
    assert all(0.0 <= loss <= task.worst for loss in losses) and len(set(losses)) > 1
    assert task.evaluate(some[0], 1).values[0] == losses[0]
    assert (task.evaluate(some[0], 2).values[0] == losses[0]) == (not task.noisy)


def test_true_loss_is_the_mean_of_the_noise():
    task = get("boosting-cancer-noisy")
    params = {"learning_rate": 0.2, "n_estimators": 8, "max_depth": 3, "subsample": 0.8, "max_features": 0.5}
    noisy = np.array([task.evaluate(params, seed).values[0] for seed in range(1000, 1030)])
    error = noisy.std() * np.sqrt(1 / 30 + 1 / 20)
    assert abs(task.loss([(params, Outcome((0.0,)))]) - noisy.mean()) < 4 * error
    assert noisy.std() > 0.01


def test_violations_cost_the_worst_loss():
    task = get("select-pca-svm-clusters")
    params = {"scaler": "none", "columns": 2, "components": 3, "whiten": False, "C": 1.0, "gamma": 0.1}
    assert task.evaluate(params, 0) == Outcome((task.worst,))


def test_the_mix_of_tuning_tasks():
    all_of_them, held_out = [get(name) for name in TUNING], [get(name) for name in HELD_OUT]
    assert set(TUNING) == set(tasks._tuning())
    assert sum(task.space.conditional for task in all_of_them) >= 4
    assert sum(bool(task.space.constraints) for task in all_of_them) >= 2
    for trait in (lambda task: task.space.conditional, lambda task: task.space.constraints, lambda task: task.noisy):
        assert any(map(trait, held_out))
    sizes = [len(task.space.params) for task in all_of_them]
    assert min(sizes) == 3 and max(sizes) == 20


def test_tasks_are_selected_by_suite_name_and_pattern():
    assert select(["held-out", "knn-digits", "zdt*-d10"]) == [*HELD_OUT, "knn-digits", "zdt1-d10", "zdt2-d10", "zdt3-d10"]
    assert len(select(["bbob-biobj-*-d10"])) == 55
    for call in (lambda: select(["tea"]), lambda: get("tea")):
        with pytest.raises(ValueError, match="unknown task 'tea'"):
            call()


def test_constrained_problems_are_evaluated_by_the_program():
    try:
        task = get("g06")
    except ValueError as error:
        pytest.skip(str(error))
    optimum = {"x0": 14.095, "x1": 0.8429607892154796}
    found = task.evaluate(optimum, 0)
    assert found.values[0] == pytest.approx(-6961.81388, abs=1e-4) and found.feasible
    centre = (task.space.centre(), task.evaluate(task.space.centre(), 0))
    assert not centre[1].feasible and task.loss([centre]) == math.inf
    assert task.loss([centre, (optimum, found)]) == found.values[0]
    for method, trials in (("cobyla", 40), ("cobyqa", 200), ("cobyqa-default", 200)):
        assert task.run(method, 0, trials).losses[1.0] == pytest.approx(found.values[0], rel=0.01)
