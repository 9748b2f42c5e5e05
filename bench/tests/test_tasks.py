"""The tasks are what the benchmark promises, and their losses are losses."""

import numpy as np
import pytest

from bench.hpo.tasks import TASKS, select


def points(task, count):
    rng = np.random.default_rng(3)
    while count:
        params = task.space.sample(rng)
        if task.space.feasible(params):
            count -= 1
            yield params


@pytest.mark.parametrize("name", TASKS)
def test_losses_are_finite_and_differ(name):
    task = TASKS[name]
    losses = [task.evaluate(params, 1) for params in points(task, 6)]
    assert all(0.0 <= loss <= task.worst for loss in losses)
    assert len(set(losses)) > 1


@pytest.mark.parametrize("name", TASKS)
def test_only_noisy_tasks_depend_on_the_seed(name):
    task = TASKS[name]
    params = next(points(task, 1))
    assert task.evaluate(params, 1) == task.evaluate(params, 1)
    assert (task.evaluate(params, 1) == task.evaluate(params, 2)) == (not task.noisy)


def test_true_loss_is_the_mean_of_the_noise():
    task = TASKS["boosting-cancer-noisy"]
    params = {"rate": 0.2, "trees": 8, "depth": 3, "subsample": 0.8, "features": 0.5}
    noisy = np.array([task.evaluate(params, seed) for seed in range(1000, 1030)])
    error = noisy.std() * np.sqrt(1 / 30 + 1 / 20)
    assert abs(task.true_loss(params) - noisy.mean()) < 4 * error
    assert noisy.std() > 0.01


def test_violations_cost_the_worst_loss():
    task = TASKS["select-pca-svm-clusters"]
    params = {"scaler": "none", "columns": 2, "components": 3, "whiten": False, "C": 1.0, "gamma": 0.1}
    assert task.evaluate(params, 0) == task.worst


def test_the_mix_of_tasks():
    tasks = list(TASKS.values())
    held_out = select(["held-out"])
    assert len(tasks) >= 14 and len(held_out) == 4
    assert sum(task.space.conditional for task in tasks) >= 4
    assert sum(bool(task.space.constraints) for task in tasks) >= 2
    assert {"conditional", "constrained", "noisy"} <= {trait for task in held_out for trait in task.traits}
    sizes = [len(task.space.params) for task in tasks]
    assert min(sizes) == 3 and max(sizes) == 20


def test_groups_are_disjoint_and_complete():
    tuning, held_out = select(["tuning"]), select(["held-out"])
    assert [task.name for task in select(["all"])] == list(TASKS)
    assert {task.name for task in tuning} | {task.name for task in held_out} == set(TASKS)
    assert len(tuning) + len(held_out) == len(TASKS)
    with pytest.raises(ValueError, match="unknown task 'tea'"):
        select(["tea"])
