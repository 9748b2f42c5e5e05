"""Evaluations by any `concurrent.futures.Executor`: threads, processes, joblib's loky and a local Dask cluster, each for real."""

import os
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Iterator

import pytest

import neuralbo

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
import executor_objectives as objectives  # noqa: E402


@contextmanager
def dask() -> Iterator[Executor]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            client.run(sys.path.insert, 0, HERE)
            yield client.get_executor()


KINDS: Dict[str, Callable[[], Any]] = {
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    "loky": lambda: pytest.importorskip("loky").get_reusable_executor(max_workers=2),
    "dask": dask,
}


@pytest.fixture(scope="module", params=list(KINDS))
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", HERE, prepend=os.pathsep)
        with KINDS[request.param]() as made:
            yield made


def test_minimize_finds_the_minimum_there(executor: Executor) -> None:
    result = neuralbo.minimize(objectives.parabola, [(-5, 5)], n_trials=15, seed=1, executor=executor)
    assert result.nfev == 15 and result.fun < 1e-2
    assert neuralbo.minimize(objectives.named, {"a": (0.0, 1.0)}, n_trials=10, seed=1, executor=executor).fun < 1e-2


def test_one_worker_gets_the_points_of_a_run_without_executor(executor: Executor) -> None:
    here = neuralbo.minimize(objectives.parabola, [(-5, 5)], n_trials=8, seed=3)
    there = neuralbo.minimize(objectives.parabola, [(-5, 5)], n_trials=8, seed=3, executor=executor, workers=1)
    assert [list(trial.x) for trial in there.history] == [list(trial.x) for trial in here.history]


def test_objectives_of_studies_ask_for_their_parameters_there(executor: Executor) -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(objectives.branches, n_trials=14, executor=executor)
    assert len(study.trials) == 14 and all(trial.state == "complete" for trial in study.trials)
    for trial in study.trials:
        assert sorted(trial.params) == (["kind", "n", "x"] if trial.params["kind"] == "a" else ["kind", "x"])
        offset = trial.params.get("n", 0)
        assert trial.value == (trial.params["x"] - 1) ** 2 + offset
        assert trial.intermediate_values == {3: trial.params["x"]}
    assert study.space is not None and "kind" in (study.space["n"].when or "")
    elsewhere = {trial.user_attrs["process"] for trial in study.trials} - {os.getpid()}
    assert bool(elsewhere) is not isinstance(executor, ThreadPoolExecutor)


def test_a_study_evaluates_the_same_with_one_worker_there(executor: Executor) -> None:
    here, there = neuralbo.create_study(seed=2), neuralbo.create_study(seed=2)
    here.optimize(objectives.branches, n_trials=8)
    there.optimize(objectives.branches, n_trials=8, executor=executor, workers=1)
    assert [trial.params for trial in there.trials] == [trial.params for trial in here.trials]


def test_params_are_all_of_a_given_space(executor: Executor) -> None:
    study = neuralbo.create_study(seed=1, space={"x": (0.0, 1.0)})
    study.optimize(objectives.looks, n_trials=4, executor=executor)
    assert [trial.value for trial in study.trials] == [trial.params["x"] ** 2 for trial in study.trials]


def test_exceptions_come_back(executor: Executor) -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(objectives.fails, n_trials=3, executor=executor, catch=ZeroDivisionError)
    assert [trial.state for trial in study.trials] == ["failed"] * 3
    assert all(f"at {trial.params['x']}" in (trial.message or "") for trial in study.trials)
    with pytest.raises(ZeroDivisionError) as caught:
        study.optimize(objectives.fails, n_trials=3, executor=executor)
    assert "executor_objectives.py" in str(caught.value.__cause__)


def test_a_broad_except_does_not_hide_new_parameters(executor: Executor) -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(objectives.wants_everything, n_trials=3, executor=executor)
    assert [sorted(trial.params) for trial in study.trials] == [["x", "y"]] * 3


def test_an_executor_that_says_nothing_about_itself_gets_one_evaluation_a_core() -> None:
    class Plain(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_result(fn(*args, **kwargs))
            return future

    result = neuralbo.minimize(objectives.parabola, [(-5, 5)], n_trials=6, seed=1, executor=Plain())
    assert result.nfev == 6
