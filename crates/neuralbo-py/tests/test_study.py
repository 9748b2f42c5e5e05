"""Studies in a storage."""

import math

import pytest

import neuralbo
from neuralbo import Categorical, Float, Int, Space


def parabola(trial: neuralbo.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    n = trial.suggest_int("n", 1, 9, step=2)
    c = trial.suggest_categorical("c", ["a", None, True])
    s = trial.suggest_float("s", 0, 1, step=0.25)
    assert n in (1, 3, 5, 7, 9) and c in ("a", None, True) and s in (0, 0.25, 0.5, 0.75, 1)
    return x * x + n + s + (c is None)


def test_define_by_run_learns_the_space_from_the_first_trial() -> None:
    study = neuralbo.create_study(seed=3)
    assert study.space is None and study.trials == []
    study.optimize(parabola, n_trials=12)
    assert study.space == Space(
        {
            "x": Float(-5, 5),
            "n": Int(1, 9, step=2),
            "c": Categorical(["a", None, True]),
            "s": Float(0, 1, step=0.25),
        }
    )
    assert [trial.number for trial in study.trials] == list(range(12))
    assert list(study.trials[0].params) == ["x", "n", "c", "s"] and study.trials[0].origin == "initial"
    best = study.best_trial
    assert study.best_params == best.params and study.best_value == min(t.value for t in study.trials)


def test_a_study_with_a_space_is_stored_at_once_and_equals_the_optimizer(storage: str) -> None:
    space = {"x": Float(-5, 5), "n": Int(1, 9)}
    study = neuralbo.create_study(storage=storage, study_name="a", space=space, seed=4)
    assert neuralbo.list_studies(storage) == ["a"]
    optimizer = neuralbo.Optimizer(space, seed=4)
    for _ in range(8):
        trial, point = study.ask(space), optimizer.ask()
        assert trial.params == point
        value = point["x"] ** 2 + point["n"]
        assert study.tell(trial, value).value == value
        optimizer.tell(point, value)


def test_studies_are_created_loaded_listed_and_deleted(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="a", direction="maximize", method="random", seed=5)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    loaded = neuralbo.load_study(storage, "a")
    assert (loaded.direction, loaded.method, loaded.seed, len(loaded.trials)) == ("maximize", "random", 5, 3)
    with pytest.raises(ValueError, match="already exists"):
        neuralbo.create_study(storage=storage, study_name="a")
    again = neuralbo.create_study(storage=storage, study_name="a", load_if_exists=True)
    again.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    assert len(loaded.trials) == 5
    neuralbo.delete_study(storage, "a")
    assert neuralbo.list_studies(storage) == []
    for call in (lambda: neuralbo.load_study(storage, "a"), lambda: neuralbo.delete_study(storage, "a")):
        with pytest.raises(KeyError, match="a"):
            call()


def test_failures_are_caught_or_carry_through() -> None:
    study = neuralbo.create_study(seed=1)

    def objective(trial: neuralbo.Trial) -> float:
        x = trial.suggest_float("x", -1, 1)
        if trial.number in (0, 3):
            raise ZeroDivisionError("boom")
        return math.nan if trial.number == 4 else x

    study.optimize(objective, n_trials=6, catch=(ZeroDivisionError,))
    assert [t.state for t in study.trials] == ["failed", "complete", "complete", "failed", "failed", "complete"]
    assert "ZeroDivisionError: boom" in study.trials[3].message
    with pytest.raises(KeyError):
        study.optimize(lambda trial: {}[trial.suggest_float("x", -1, 1)], n_trials=1)
    assert study.trials[-1].state == "failed"


def test_threads_share_a_study() -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(parabola, n_trials=12, workers=3)
    assert [t.state for t in study.trials] == ["complete"] * 12
    with pytest.raises(ZeroDivisionError):
        study.optimize(lambda trial: 1 / 0, n_trials=4, workers=2)


def test_callbacks_stop_and_enqueued_trials_come_first() -> None:
    study = neuralbo.create_study(seed=1)
    study.enqueue_trial({"x": 0.5})
    seen = []

    def callback(study: neuralbo.Study, trial: neuralbo.Trial) -> None:
        seen.append(trial.number)
        if trial.number == 3:
            study.stop()

    study.optimize(lambda trial: trial.suggest_float("x", -1, 1), callbacks=[callback], timeout=60)
    assert seen == [0, 1, 2, 3] and study.trials[0].params == {"x": 0.5}
    study.enqueue_trial({"x": 0.25})
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1), n_trials=1)
    assert study.trials[-1].params == {"x": 0.25}
    with pytest.raises(ValueError, match="x"):
        study.enqueue_trial({"x": 7})


def test_what_a_trial_asks_for_is_what_is_recorded_of_it() -> None:
    study = neuralbo.create_study(seed=1, space={"x": (0.0, 1.0), "unused": (0.0, 1.0)})
    extra = []

    def objective(trial: neuralbo.Trial) -> float:
        extra.append(trial.suggest_int("extra", 1, 100))
        return trial.suggest_float("x", 0, 1)

    study.optimize(objective, n_trials=5)
    assert len(set(extra)) > 1 and [t.params["extra"] for t in study.trials] == extra
    assert all(set(t.params) == {"x", "extra"} for t in study.trials)
    study.optimize(lambda trial: trial.params["unused"], n_trials=1)
    assert set(study.trials[-1].params) == {"x", "unused", "extra"}


def test_ask_and_tell_by_number_and_state() -> None:
    study = neuralbo.create_study(seed=1)
    first = study.ask()
    first.suggest_float("x", 0, 1)
    study.tell(first, 1.0)
    trial = study.ask()
    trial.suggest_float("x", 0, 1)
    assert study.tell(trial.number, 0.5).state == "complete"
    pruned = study.ask()
    pruned.report(3.0, 1)
    assert study.tell(pruned, state="pruned").value == 3.0
    assert study.tell(study.ask(), state="failed").state == "failed"
    with pytest.raises(ValueError, match="told once"):
        study.tell(1, 0.7)
    with pytest.raises(ValueError, match="99"):
        study.tell(99, 0.7)
    with pytest.raises(ValueError, match="state"):
        study.tell(1, 0.7, state="done")
    with pytest.raises(TypeError):
        study.tell("1", 0.7)
    with pytest.raises(TypeError):
        study.tell(study.ask(), "0.7")


def test_another_kind_of_parameter_than_the_study_has_is_an_error() -> None:
    study = neuralbo.create_study(seed=1, space={"x": (0.0, 1.0)})
    with pytest.raises(neuralbo.StudyChanged, match="`x` is float"):
        study.optimize(lambda trial: trial.suggest_categorical("x", ["a", "b"]), n_trials=1)
    with pytest.raises(ValueError, match="`x`"):
        study.ask({"x": Int(0, 2, log=False)})
