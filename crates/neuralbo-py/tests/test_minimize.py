"""`minimize` and `maximize`."""

import pickle
import threading
import time

import numpy as np
import pytest

import neuralbo
from neuralbo import Categorical, Int, Space


def sphere(x: np.ndarray) -> float:
    return float(np.sum((x - 1.0) ** 2))


def test_the_minimum_is_found_and_described() -> None:
    result = neuralbo.minimize(sphere, [(-5, 5)] * 2, n_trials=30, seed=1)
    assert result.fun < 1e-3 and result.success and result.nfev == 30 and result.nfail == 0
    assert np.allclose(result.x, 1.0, atol=0.1) and np.allclose(result.x_model, 1.0, atol=0.1)
    assert result.seed == 1 and "30" in result.message and len(result.history) == 30
    assert min(trial.value for trial in result.history) == result.fun
    assert pickle.loads(pickle.dumps(result)).history[3].value == result.history[3].value


def test_the_maximum_is_found() -> None:
    assert neuralbo.maximize(lambda x: -sphere(x), [(-5, 5)], n_trials=20, seed=1).fun > -1e-3


def test_spaces_give_dicts() -> None:
    space = Space({"n": Int(0, 9), "c": Categorical(["a", "b"])})
    result = neuralbo.minimize(lambda p: (p["n"] - 4) ** 2 + (p["c"] == "a"), space, n_trials=20, seed=1)
    assert result.x == {"n": 4, "c": "b"}


def test_a_finite_space_that_is_used_up_ends_the_run() -> None:
    result = neuralbo.minimize(lambda p: p["n"], {"n": Int(0, 4)}, n_trials=20, seed=1)
    assert result.nfev == 5 and "every point" in result.message


def test_start_points_come_first() -> None:
    one = neuralbo.minimize(sphere, [(-5, 5)] * 2, n_trials=3, seed=1, x0=[0, 2])
    assert one.history[0].x.tolist() == [0, 2] and one.nfev == 3
    two = neuralbo.minimize(sphere, [(-5, 5)] * 2, n_trials=3, seed=1, x0=np.array([[0.0, 2.0], [1.0, 3.0]]))
    assert [trial.x.tolist() for trial in two.history[:2]] == [[0, 2], [1, 3]]
    with pytest.raises(ValueError, match="x1"):
        neuralbo.minimize(sphere, [(-5, 5)] * 2, x0=[0, 9])


def test_failed_evaluations_are_counted() -> None:
    result = neuralbo.minimize(lambda x: None if x[0] < 0 else float("nan") if x[0] > 4 else x[0], [(-5, 5)], n_trials=12, seed=1)
    assert result.nfail >= 1 and result.nfev == 12 and result.fun >= 0
    nothing = neuralbo.minimize(lambda x: None, [(0, 1)], n_trials=3, seed=1)
    assert not nothing.success and nothing.x is None and "no evaluation returned a value" in nothing.message


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_carry_through_unless_they_are_caught(workers: int) -> None:
    def f(x: np.ndarray) -> float:
        if x[0] > 0:
            raise ZeroDivisionError("boom")
        return float(x[0])

    with pytest.raises(ZeroDivisionError, match="boom"):
        neuralbo.minimize(f, [(-1, 1)], n_trials=10, seed=1, workers=workers)
    result = neuralbo.minimize(f, [(-1, 1)], n_trials=10, seed=1, workers=workers, catch=(ZeroDivisionError,))
    assert result.nfail >= 1 and result.nfev == 10


def test_a_callback_sees_the_result_and_may_stop() -> None:
    seen = []

    def callback(result: neuralbo.Result) -> bool:
        seen.append((result.nfev, result.fun, len(result.history)))
        return result.nfev == 4

    result = neuralbo.minimize(sphere, [(-5, 5)], n_trials=50, seed=1, callback=callback)
    assert result.nfev == 4 and "callback" in result.message and [row[0] for row in seen] == [1, 2, 3, 4]


def test_workers_run_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=20)
    result = neuralbo.minimize(lambda x: [together.wait(), float(x[0])][1], [(0, 1)], n_trials=9, seed=1, workers=3)
    assert result.nfev == 9 and result.fun is not None


def test_time_runs_out() -> None:
    result = neuralbo.minimize(lambda x: [time.sleep(0.02), 1.0][1], [(0, 1)], n_trials=10**6, seed=1, timeout=0.2)
    assert 1 <= result.nfev <= 12 and "0.2 s" in result.message


def test_with_noise_the_model_points_to_the_middle_of_the_valley() -> None:
    rng = np.random.default_rng(0)
    result = neuralbo.minimize(lambda x: float(x[0] ** 2 + rng.normal(0, 0.3)), [(-2, 2)], n_trials=40, seed=2, noise=0.3)
    assert abs(result.x_model[0]) < 0.6 and result.fun < result.fun_model
