"""What crosses between Python and the engine: classes and typed exceptions; leases, callbacks, interrupts, forks."""

import contextlib
import multiprocessing
import os
import pickle
import random
import signal
import time
from typing import Any, Iterator

import numpy
import pytest
from conftest import parabola, python

import neuralbo
from neuralbo import Categorical, Int, Optimizer, errors


# Errors are types.


def test_exhaustion_is_a_type_and_not_a_text() -> None:
    optimizer = Optimizer({"n": Int(1, 2)}, seed=1)
    optimizer.ask(2)
    with pytest.raises(neuralbo.Exhausted):
        optimizer.ask()
    assert issubclass(neuralbo.Exhausted, neuralbo.StudyEnded) and issubclass(neuralbo.StudyEnded, RuntimeError)


@pytest.mark.parametrize(
    ("kind", "ancestors"),
    [
        (errors.StudyExists, (ValueError,)),
        (errors.UnknownStudy, (KeyError,)),
        (errors.StorageError, (OSError,)),
        (errors.StudyChanged, (ValueError,)),
        (errors.LeaseLost, (RuntimeError,)),
        (errors.NoModel, (RuntimeError,)),
    ],
)
def test_errors_inherit_from_the_usual_exceptions(kind: type, ancestors: tuple) -> None:
    assert issubclass(kind, neuralbo.NeuralboError) and issubclass(kind, ancestors)
    assert getattr(neuralbo, kind.__name__) is kind


def test_studies_that_exist_or_do_not_and_storages_that_fail_are_told_apart(storage: str) -> None:
    neuralbo.create_study(storage=storage, study_name="a", space={"x": (0, 1)})
    with pytest.raises(neuralbo.StudyExists, match="already exists"):
        neuralbo.create_study(storage=storage, study_name="a")
    with pytest.raises(neuralbo.UnknownStudy, match="^study `b` is unknown"):
        neuralbo.load_study(storage, "b")
    with pytest.raises(neuralbo.StorageError):
        neuralbo.list_studies("sqlite:////no/such/folder/s.db")
    with pytest.raises(neuralbo.NoModel):
        Optimizer([(0, 1)], method="random", seed=1).predict([[0.5]])


# One trial.


def test_objectives_asks_lists_and_callbacks_give_the_one_trial_class() -> None:
    study = neuralbo.create_study(seed=1)
    seen: list = []
    study.optimize(lambda trial: [seen.append(trial), parabola(trial)][1], n_trials=1, callbacks=[lambda _, trial: seen.append(trial)])
    seen += [study.ask(), study.trials[0], study.best_trial]
    assert all(type(trial) is neuralbo.Trial for trial in seen)
    assert type(Optimizer([(0, 1)], seed=1).trials) is list


def test_the_trial_of_an_evaluation_that_has_ended_is_not_running() -> None:
    study = neuralbo.create_study(seed=1)
    kept: list = []
    study.optimize(lambda trial: [kept.append(trial), parabola(trial)][1], n_trials=1)
    [trial] = kept
    for call in (lambda: trial.suggest_float("x", -1, 1), lambda: trial.report(1.0, 1), trial.should_prune):
        with pytest.raises(RuntimeError, match="trial 0 is not running"):
            call()


def test_attributes_are_set_while_running_and_later(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)

    def objective(trial: neuralbo.Trial) -> float:
        trial.set_user_attr("folds", [1, 2.5, {"a": None}])
        return parabola(trial)

    study.optimize(objective, n_trials=1)
    study.trials[0].set_user_attr("note", "good")
    assert neuralbo.load_study(storage, "s").trials[0].user_attrs == {"folds": [1, 2.5, {"a": None}], "note": "good"}
    with pytest.raises(TypeError, match="`f`"):
        study.trials[0].set_user_attr("f", object())


def test_records_know_their_times_values_and_attempts() -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(parabola, n_trials=2)
    trial = study.trials[1]
    assert trial.measured == {"value": trial.value} and trial.attempt == 1 and trial.failure is None
    assert trial.datetime_start is not None and trial.duration is not None and trial.duration.total_seconds() >= 0


# Callbacks.


def test_a_callback_that_raises_stop_iteration_ends_the_run() -> None:
    study = neuralbo.create_study(seed=1)

    def enough(study: neuralbo.Study, trial: neuralbo.Trial) -> None:
        if trial.number == 2:
            raise StopIteration

    seen: list = []
    study.optimize(parabola, n_trials=10, callbacks=[lambda _, trial: seen.append((trial.number, trial.state)), enough])
    assert seen == [(0, "complete"), (1, "complete"), (2, "complete")]


def test_an_error_of_a_callback_reaches_the_caller_and_the_value_is_kept() -> None:
    study = neuralbo.create_study(seed=1)
    with pytest.raises(ZeroDivisionError):
        study.optimize(parabola, n_trials=3, callbacks=[lambda *_: 1 / 0])
    assert [trial.state for trial in study.trials] == ["complete"]


def test_a_callback_may_look_at_the_study() -> None:
    study = neuralbo.create_study(seed=1)
    best: list = []
    study.optimize(parabola, n_trials=5, workers=2, callbacks=[lambda study, _: best.append((study.best_value, len(study.trials)))])
    assert len(best) == 5 and best[-1][0] == study.best_value


# Leases.


def test_a_lost_lease_does_not_end_the_run(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    thief = neuralbo.load_study(storage, "s")

    def objective(trial: neuralbo.Trial) -> float:
        if trial.number == 1 and trial.attempt == 1:
            thief.tell(1, 99.0)  # somebody else was faster
        return parabola(trial)

    study.optimize(objective, n_trials=4)
    assert [trial.state for trial in study.trials] == ["complete"] * 4
    assert study.trials[1].value == 99.0


# Interrupts.

ASK = """
import neuralbo, numpy, signal, threading, time, os
signal.signal(signal.SIGINT, signal.default_int_handler)
optimizer = neuralbo.Optimizer([(0, 1)] * 10, seed=1)
X = numpy.random.default_rng(0).uniform(size=(400, 10))
optimizer.add(X, X.sum(axis=1))
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    optimizer.ask(3000)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 2, flush=True)
"""


def test_an_interrupt_is_heard_during_a_long_ask() -> None:
    assert python(ASK) == "interrupted True"


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """An interrupt that must be heard inside of the block."""
    handler = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def test_an_interrupt_is_heard_while_a_feasible_point_is_sought() -> None:
    # A 3-SAT of 200 variables with so many clauses that they contradict each other, which takes long to find out.
    chance = random.Random(1)
    clauses = [[f"b{i} == {chance.randrange(2)}" for i in chance.sample(range(200), 3)] for _ in range(900)]
    parameters = {f"b{i}": Int(0, 1) for i in range(200)}
    with interrupted_after(0.02):
        neuralbo.Space(parameters, constraints=[" or ".join(clause) for clause in clauses])


def test_an_interrupt_is_heard_while_the_importance_is_computed() -> None:
    optimizer = Optimizer([(0, 1)] * 10, seed=1)
    points = numpy.random.default_rng(0).uniform(size=(2000, 10))
    optimizer.add(points, points.sum(axis=1))
    with interrupted_after(0.02):
        optimizer.importance()
    # The engine still computes, and has the study.
    with interrupted_after(0.02):
        [optimizer.importance() for _ in range(100)]


def test_an_interrupted_ask_gives_its_points_back() -> None:
    count = 100_000  # takes far longer than the alarm
    optimizer = Optimizer([(0, 1)] * 2, method="random", seed=1)
    with interrupted_after(0.02):
        optimizer.ask(count)
    # The point that was being chosen when the interrupt came is given back with its trial; the others are not chosen any more.
    end = time.monotonic() + 60
    while {trial.state for trial in optimizer.trials} != {"waiting"} and time.monotonic() < end:
        time.sleep(0.2)
    assert {trial.state for trial in optimizer.trials} == {"waiting"}
    assert len(optimizer.trials) < count
    assert optimizer.ask(1)[0].tolist() in [list(trial.params.values()) for trial in optimizer.trials[:10]]


# Forks.


def _in_a_child(given: Any) -> Any:
    optimizer, storage = given
    x = optimizer.ask(2)
    study = neuralbo.load_study(storage, "s")
    study.optimize(parabola, n_trials=2)
    return len(x), os.getpid()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_children_of_a_fork_do_not_hang(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    study.optimize(parabola, n_trials=12)  # the engine's threads are there now
    optimizer = Optimizer([(0, 1)] * 3, seed=1)
    optimizer.add([[0.1 * i, 0.05 * i, 0.2] for i in range(10)], [float(i) for i in range(10)])
    optimizer.tell(optimizer.ask(), 1.0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(_in_a_child, [(optimizer, storage)] * 4).get(timeout=60)
    assert all(count == 2 and process != os.getpid() for count, process in found)
    study.optimize(parabola, n_trials=1)
    assert len(study.trials) == 21 and {trial.state for trial in study.trials} == {"complete"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_study_from_before_the_fork_is_used_in_the_child(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    study.optimize(parabola, n_trials=10)
    child = os.fork()
    if child == 0:
        try:
            study.optimize(parabola, n_trials=2, workers=2)
            study.recommend()
        except BaseException:  # noqa: B902 - the parent looks at the exit status
            os._exit(1)
        os._exit(0)
    deadline = time.monotonic() + 60
    status = (0, 0)
    while status[0] == 0 and time.monotonic() < deadline:
        status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.05)
    if status[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert status == (child, 0)
    study.optimize(parabola, n_trials=1)
    assert len(study.trials) == 13


# Pickles.


def test_studies_are_pickled(storage: str) -> None:
    stored = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    kept = neuralbo.create_study(study_name="s", seed=1)
    for study in (stored, kept):
        study.optimize(parabola, n_trials=6)
        study.trials[0].set_user_attr("note", 1)
        again = pickle.loads(pickle.dumps(study))
        assert [trial.params for trial in again.trials] == [trial.params for trial in study.trials]
        assert again.trials[0].user_attrs == {"note": 1} and again.study_name == "s"
        again.optimize(parabola, n_trials=1)
    assert (len(stored.trials), len(kept.trials)) == (7, 6)
    running = kept.ask()
    again = pickle.loads(pickle.dumps(kept))
    assert again.ask().number == running.number + 1
    assert again.tell(running.number, 1.0).state == "complete"


def test_a_trial_is_told_to_its_own_study_alone(storage: str) -> None:
    space = {"x": (0.0, 1.0)}
    old = neuralbo.create_study(storage=storage, study_name="s", space=space, seed=1).ask()
    neuralbo.delete_study(storage, "s")
    study = neuralbo.create_study(storage=storage, study_name="s", space=space, seed=1)
    new = study.ask()
    for stale in (old, pickle.loads(pickle.dumps(old))):
        assert stale.number == new.number
        with pytest.raises(neuralbo.LeaseLost):
            study.tell(stale, 777.0)
    assert study.tell(pickle.loads(pickle.dumps(new)), 5.5).value == 5.5


def test_trials_are_pickled_without_their_study() -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(parabola, n_trials=1)
    trial = pickle.loads(pickle.dumps(study.trials[0]))
    assert (trial.number, trial.value, trial.params) == (0, study.best_value, study.best_params)
    assert pickle.loads(pickle.dumps(Optimizer([(0, 1)], seed=1).trials)) == []


# Models and tables.


def test_studies_predict_sample_and_recommend() -> None:
    study = neuralbo.create_study(seed=3, space={"x": (-2.0, 2.0)})
    grid = [-2 + 0.25 * i for i in range(17)]
    numbers = study.add_trials([{"x": x, "loss": 100 + x * x} for x in grid], value="loss")
    assert numbers == list(range(17))
    mean, sd = study.predict([{"x": 0.3}, {"x": 1.1}])
    assert abs(mean[0] - 100.09) < 0.1 and abs(mean[1] - 101.21) < 0.1 and max(sd) < 0.3
    assert abs(study.sample(1, seed=1)[0]({"x": 0.3})[0] - 100.09) < 0.3
    assert abs(study.recommend().x["x"]) < 0.3


def test_trials_come_from_tables_and_go_into_them() -> None:
    pandas = pytest.importorskip("pandas")
    study = neuralbo.create_study(seed=1, space={"x": (0.0, 1.0), "c": Categorical(["a", "b"])})
    table = pandas.DataFrame({"x": [0.1, 0.2, 0.3], "c": ["a", "b", "a"], "loss": [3.0, float("nan"), 1.0]})
    assert study.add_trials(table, value="loss") == [0, 1, 2]
    assert [trial.state for trial in study.trials] == ["complete", "failed", "complete"] and study.best_params == {"x": 0.3, "c": "a"}
    study.trials[2].set_user_attr("note", "best")
    copy = neuralbo.create_study(seed=1, space={"x": (0.0, 1.0), "c": Categorical(["a", "b"])})
    copy.add_trials(study.trials_dataframe())
    assert [(t.params, t.state, t.value, t.user_attrs) for t in copy.trials] == [
        (t.params, t.state, t.value, t.user_attrs) for t in study.trials
    ]
    third = neuralbo.create_study(space={"x": (0.0, 1.0), "c": Categorical(["a", "b"])})
    assert third.add_trials(study.trials) == [0, 1, 2]


@pytest.mark.parametrize(
    ("rows", "kind", "words"),
    [
        ([{"x": 0.5}], ValueError, "no column 'value'"),
        ([{"x": 7.0, "value": 1.0}], ValueError, "`x`"),
        ([3], TypeError, r"trials\[0\]"),
        (3, TypeError, "DataFrame"),
        ([{"x": 0.5, "value": "good"}], TypeError, "'good'"),
    ],
)
def test_bad_tables_are_refused_as_a_whole(rows: Any, kind: type, words: str) -> None:
    study = neuralbo.create_study(space={"x": (0.0, 1.0)})
    given = [{"x": 0.25, "value": 1.0}, *rows] if isinstance(rows, list) and kind is not TypeError else rows
    with pytest.raises(kind, match=words):
        study.add_trials(given)
    assert study.trials == []
