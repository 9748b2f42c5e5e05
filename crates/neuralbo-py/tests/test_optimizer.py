"""Ask and tell."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import driven
from test_conditions import SVM

import neuralbo
from neuralbo import Categorical, Float, Int, Optimizer

MIXED = {"lr": Float(1e-5, 1e-1, log=True), "n": Int(1, 9, step=2), "c": Categorical(["a", None, True])}


def mixed_value(point: dict) -> float:
    return abs(np.log10(point["lr"]) + 3) + point["n"] / 10 + (point["c"] is not None)


def sphere(x: np.ndarray) -> float:
    return float(np.sum(np.square(x)))


def test_vectors_go_in_and_out_as_arrays() -> None:
    optimizer = Optimizer([(-5, 10), (0, 15)], seed=1)
    x = optimizer.ask()
    assert isinstance(x, np.ndarray) and x.shape == (2,) and x.dtype == float
    batch = optimizer.ask(3)
    assert batch.shape == (3, 2) and optimizer.n_running == 4
    optimizer.tell(batch, np.array([3.0, 1.0, 2.0]))
    optimizer.tell(list(x), 0.5)
    assert (optimizer.n_told, optimizer.n_running) == (4, 0)
    assert optimizer.best.fun == 0.5 and optimizer.best.number == 0 and np.array_equal(optimizer.best.x, x)


def test_dicts_go_in_and_out() -> None:
    optimizer = driven(Optimizer(MIXED, seed=3), mixed_value, 12)
    assert list(optimizer.best.x) == ["lr", "n", "c"]
    points = optimizer.ask(2)
    optimizer.tell(points, [1.0, 2.0])
    assert optimizer.n_told == 14


def test_pools_are_indices() -> None:
    pool = np.random.default_rng(0).uniform(size=(30, 3))
    optimizer = Optimizer(pool=pool, seed=1)
    seen = []
    for _ in range(10):
        index = optimizer.ask()
        assert isinstance(index, int) and 0 <= index < 30
        optimizer.tell(index, pool[index].sum())
        seen.append(index)
    assert len(set(seen)) == 10
    rest = optimizer.ask(100)
    assert len(rest) == 20 and len(set(rest.tolist()) | set(seen)) == 30
    optimizer.tell(rest, pool[rest].sum(axis=1))
    assert optimizer.best.x == int(np.argmin(pool.sum(axis=1)))
    with pytest.raises(RuntimeError, match="every point of the space"):
        optimizer.ask()


def test_failures_are_none_nan_infinity_and_exceptions() -> None:
    optimizer = Optimizer([(0, 1)], seed=1)
    for y in [None, float("nan"), float("-inf"), ZeroDivisionError("boom"), 1.0]:
        optimizer.tell(optimizer.ask(), y)
    states = [trial.state for trial in optimizer.trials]
    assert states == ["failed"] * 4 + ["complete"]
    assert "ZeroDivisionError: boom" in optimizer.trials[3].message


def test_maximize_finds_the_other_end() -> None:
    optimizer = Optimizer([(0, 1)], direction="maximize", seed=1)
    optimizer.add([[0.0], [1.0]], [0.0, 1.0])
    assert optimizer.best.fun == 1.0


def test_points_known_and_running_elsewhere_are_not_asked_for_again() -> None:
    optimizer = Optimizer({"n": Int(1, 4)}, seed=1)
    optimizer.add({"n": 1}, 3.0)
    optimizer.add_running([{"n": 2}, {"n": 3}])
    assert optimizer.ask() == {"n": 4}
    optimizer.tell({"n": 2}, 1.0)
    assert (optimizer.n_told, optimizer.n_running, optimizer.trials[1].origin) == (2, 2, "known")


def test_equal_points_are_told_first_come_first_served() -> None:
    optimizer = Optimizer([(0, 1)], seed=1)
    optimizer.add_running([[0.5], [0.5]])
    optimizer.tell([0.5], 1.0)
    optimizer.tell([0.5], 2.0)
    assert [trial.value for trial in optimizer.trials] == [1.0, 2.0]


def test_a_batch_is_told_as_a_whole_or_not_at_all() -> None:
    optimizer = Optimizer([(0, 1)], seed=1)
    x = optimizer.ask()
    with pytest.raises(ValueError, match="use `add`"):
        optimizer.tell([x, [0.123]], [1.0, 2.0])
    assert (optimizer.n_told, optimizer.n_running) == (0, 1)
    optimizer.tell(x, 1.0)


@pytest.mark.parametrize("method", ["neuralbo", "gp-ei", "random", "cma-es"])
def test_a_restored_optimizer_goes_on_as_the_recorded_one(method: str) -> None:
    optimizer = driven(Optimizer([(-5, 5)] * 2, method=method, seed=5), sphere, 8)
    running = optimizer.ask(2)
    optimizer.tell(running[1], None)
    for again in (Optimizer.from_state(json.loads(json.dumps(optimizer.state()))), pickle.loads(pickle.dumps(optimizer))):
        assert again.state() == optimizer.state()
        assert np.array_equal(again.ask(), Optimizer.from_state(optimizer.state()).ask())
    expected = Optimizer.from_state(optimizer.state()).ask()
    assert np.array_equal(optimizer.ask(), expected)


@pytest.mark.parametrize("space, value, constraints", [
    (MIXED, mixed_value, []),
    (MIXED, mixed_value, ["lr * n <= 0.1"]),
    (SVM, len, []),
    ([(0.0, 1.0)] * 2, sphere, ["x0 + x1 <= 1"]),
])  # fmt: skip
def test_every_space_is_restored(space: Any, value: Any, constraints: list) -> None:
    optimizer = driven(Optimizer(space, constraints=constraints, seed=3), value, 8)
    again = Optimizer.from_state(json.loads(json.dumps(optimizer.state())))
    assert again.space == optimizer.space and str(again.ask()) == str(optimizer.ask())


def test_pools_are_restored_too() -> None:
    pool = Optimizer(pool=[[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], seed=1)
    assert pickle.loads(pickle.dumps(pool)).ask() == pool.ask()


def test_seeds_make_runs_repeatable_and_are_drawn_otherwise() -> None:
    assert np.array_equal(*(driven(Optimizer([(0, 1)], seed=7), sphere, 8).ask() for _ in range(2)))
    assert Optimizer([(0, 1)]).seed != Optimizer([(0, 1)]).seed


def test_the_model_predicts_samples_and_recommends() -> None:
    optimizer = Optimizer([(-2, 2)], seed=3)
    grid = np.linspace(-2, 2, 15).reshape(-1, 1)
    optimizer.add(grid, 100 + grid[:, 0] ** 2)
    mean, sd = optimizer.predict([[0.3], [1.1]])
    assert np.allclose(mean, [100.09, 101.21], atol=0.05) and np.all(sd < 0.2)
    assert optimizer.predict([0.3])[0] == pytest.approx(mean[:1])
    first, second = optimizer.sample(2, seed=1)
    assert first([[0.3]])[0] == pytest.approx(100.09, abs=0.2)
    assert np.array_equal(first(grid), optimizer.sample(1, seed=1)[0](grid))
    assert not np.array_equal(first(grid), second(grid))
    assert abs(optimizer.recommend().x[0]) < 0.2


def test_without_a_model_the_reason_is_said() -> None:
    with pytest.raises(RuntimeError, match="has no model"):
        driven(Optimizer([(0, 1)], method="random", seed=1), sphere, 3).predict([[0.5]])
    with pytest.raises(RuntimeError):
        Optimizer([(0, 1)], seed=1).predict([[0.5]])


def test_flags_may_be_bools() -> None:
    optimizer = Optimizer({"n": Int(1, 2)}, replicates=True, seed=1)
    optimizer.add([{"n": 1}, {"n": 2}], [1.0, 2.0])
    assert optimizer.ask()["n"] in (1, 2)
    assert Optimizer([(0, 1)], method="gp-ei", ard=False, seed=1).options == {"ard": "false"}


def test_methods_are_listed_with_their_options() -> None:
    found = neuralbo.methods()
    assert list(found)[0] == "neuralbo" and "nu" in found["neuralbo"]["options"]
    assert all(Optimizer([(0, 1)] * 2, method=name, seed=1).ask().shape == (2,) for name in found)
