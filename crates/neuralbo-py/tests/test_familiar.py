"""What people know from Optuna: values in order, states, choices of trials, fixed trials, copies, and errors that name the word."""

import json
import pickle
import warnings
from pathlib import Path
from typing import Any, Callable, List

import pytest
from conftest import parabola

import neuralbo
from neuralbo import Categorical, Float, Int, TrialState


def two(trial: neuralbo.Trial) -> Any:
    x = trial.suggest_float("x", 0, 1)
    return x, 1 - x


def test_values_are_in_the_order_of_the_objectives() -> None:
    study = neuralbo.create_study(objectives=["b:minimize", "a:maximize"], outcome_constraints=["c <= 5"], method="random", seed=1)
    study.optimize(lambda trial: {"a": 1.0, "b": trial.suggest_float("x", 0, 1), "c": 2.0}, n_trials=4)
    for trial in study.trials:
        assert trial.values == [trial.params["x"], 1.0]
        assert trial.measured == {"b": trial.params["x"], "a": 1.0, "c": 2.0} and list(trial.measured) == ["b", "a", "c"]
    ordered = sorted(study.trials, key=lambda trial: trial.values)
    assert [trial.params["x"] for trial in ordered] == sorted(trial.params["x"] for trial in study.trials)
    assert study.tell(study.ask(), None).values is None and study.ask().values is None
    assert pickle.loads(pickle.dumps(study.trials[0])).values == study.trials[0].values


def test_states_equal_their_texts_everywhere() -> None:
    assert [state.value for state in TrialState] == ["running", "waiting", "complete", "pruned", "failed"]
    study = neuralbo.create_study(seed=1)
    trial = study.ask({"x": (0.0, 1.0)})
    assert trial.state is TrialState.RUNNING and not trial.state.is_finished()
    done = study.tell(trial, 1.0, state=TrialState.COMPLETE)
    assert done.state is TrialState.COMPLETE and done.state == "complete" and {"complete": 1}[done.state] == 1
    assert (f"{done.state}", str(done.state), repr(done.state), json.dumps(done.state)) == ("complete", "complete", "'complete'", '"complete"')
    assert pickle.loads(pickle.dumps(done)).state is TrialState.COMPLETE
    study.enqueue_trial({"x": 0.5})
    assert [trial.state for trial in study.trials] == ["complete", "waiting"]
    assert len({TrialState.FAIL, "failed"}) == 1


def test_trials_are_chosen_by_their_states() -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(parabola, n_trials=2)
    study.tell(study.ask(), None)
    assert [t.number for t in study.get_trials()] == [0, 1, 2]
    assert [t.number for t in study.get_trials(deepcopy=False, states=(TrialState.FAIL,))] == [2]
    assert [t.number for t in study.get_trials(states=["complete", "running"])] == [0, 1]
    with pytest.raises(ValueError, match="done"):
        study.get_trials(states=["done"])
    with pytest.raises(TypeError, match="states must be a list"):
        study.get_trials(states="complete")


def test_objectives_can_be_named_until_a_value_has_its_name(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", directions=["minimize", "maximize"], method="random", seed=1)
    study.set_metric_names(["loss", "speed"])
    assert [one.name for one in neuralbo.load_study(storage, "s").objectives] == ["loss", "speed"]
    study.optimize(two, n_trials=2)
    assert list(study.trials[0].measured) == ["loss", "speed"] and study.directions == ["minimize", "maximize"]
    study.set_metric_names(["loss", "speed"])
    with pytest.raises(ValueError, match="2 trials have ended"):
        study.set_metric_names(["a", "b"])
    for names, kind, word in [(["a"], ValueError, "1 names"), ("ab", TypeError, "list"), (["a", 1], TypeError, r"metric_names\[1\]")]:
        with pytest.raises(kind, match=word):
            neuralbo.create_study(directions=["minimize", "maximize"]).set_metric_names(names)  # type: ignore[arg-type]


def test_studies_carry_attributes(storage: str, tmp_path: Path) -> None:
    for url in (None, storage):
        study = neuralbo.create_study(storage=url, study_name="s", seed=1)
        assert study.user_attrs == {}
        study.set_user_attr("people", ["Ada", "Grace"])
        study.set_user_attr("data", "digits")
        study.set_user_attr("data", {"rows": 700, "of": None})
        wanted = {"people": ["Ada", "Grace"], "data": {"rows": 700, "of": None}}
        assert study.user_attrs == wanted == pickle.loads(pickle.dumps(study)).user_attrs
    assert neuralbo.load_study(storage, "s").user_attrs == wanted
    other = str(tmp_path / "other.db")
    neuralbo.copy_study(from_study_name="s", from_storage=storage, to_storage=other)
    assert neuralbo.load_study(other, "s").user_attrs == wanted
    for key, value, kind, word in [("a", object(), TypeError, "attribute `a`"), (1, 1, TypeError, "key")]:
        with pytest.raises(kind, match=word):
            study.set_user_attr(key, value)  # type: ignore[arg-type]


def test_distributions_are_the_domains_of_the_parameters_used() -> None:
    study = neuralbo.create_study(seed=1)

    def objective(trial: neuralbo.Trial) -> float:
        kind = trial.suggest_categorical("kind", ["a", "b"])
        assert trial.distributions == {"kind": Categorical(["a", "b"])}
        return trial.suggest_int("n", 1, 9, step=2) if kind == "a" else trial.suggest_float("x", 1e-3, 1, log=True)

    study.optimize(objective, n_trials=8)
    domains = {"kind": Categorical(["a", "b"]), "n": Int(1, 9, step=2), "x": Float(1e-3, 1, log=True)}
    for trial in study.trials:
        assert trial.distributions == {name: domains[name] for name in trial.params}
    assert {tuple(trial.distributions) for trial in study.trials} == {("kind", "n"), ("kind", "x")}


def test_trials_of_a_study_fit_into_a_new_one() -> None:
    first = neuralbo.create_study(seed=1)
    first.optimize(lambda t: t.suggest_float("x", 0, 1) if t.suggest_categorical("k", [(1,), None]) else 2.0, n_trials=6)
    second = neuralbo.create_study(seed=2)
    second.add_trials(first.trials[:4])
    assert second.add_trial(first.trials[4]) == 4
    assert [(t.params, t.values) for t in second.trials] == [(t.params, t.values) for t in first.trials[:5]]
    third = neuralbo.create_study()
    third.add_trial({"x": 0.25}, 1.5, distributions={"x": Float(0, 1)})
    assert third.space == neuralbo.Space({"x": Float(0, 1)}) and third.best_value == 1.5
    with pytest.raises(ValueError, match="y"):
        third.add_trial({"y": 0.25}, 1.5)
    with pytest.raises(ValueError, match="state = 'waiting' is not allowed; it must be complete, pruned or failed"):
        third.add_trial({"x": 0.25}, state=TrialState.WAITING)


def test_tables_have_the_columns_that_were_asked_for() -> None:
    pytest.importorskip("pandas")
    study = neuralbo.create_study(seed=1)
    study.optimize(lambda trial: trial.set_user_attr("a", 1) or parabola(trial), n_trials=2)
    table = study.trials_dataframe(attrs=("number", "value", "params", "state", "user_attrs"))
    assert list(table) == ["number", "value", "params_x", "state", "user_attrs_a"] and list(table["state"]) == ["complete"] * 2
    several = neuralbo.create_study(directions=["minimize"] * 2, method="random", seed=1)
    several.optimize(two, n_trials=2)
    assert list(several.trials_dataframe(attrs=["values", "params"])) == ["values_value_0", "values_value_1", "params_x"]
    assert list(study.trials_dataframe(attrs=["values"])) == ["value"]
    for wrong, kind, word in [(["system_attrs"], ValueError, "known are number"), ("value", TypeError, "attrs must be a list")]:
        with pytest.raises(kind, match=word):
            study.trials_dataframe(attrs=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("has_space", [True, False])
def test_known_values_are_not_enqueued_twice(has_space: bool) -> None:
    study = neuralbo.create_study(space={"x": (0.0, 1.0), "y": (0.0, 1.0)} if has_space else None, method="random", seed=1)
    for _ in range(3):
        study.enqueue_trial({"x": 0.25}, skip_if_exists=True)
    study.enqueue_trial({"x": 0.5}, skip_if_exists=True)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1), n_trials=3)
    study.enqueue_trial({"x": 0.25}, skip_if_exists=True)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1), n_trials=2)
    found = [trial.params["x"] for trial in study.trials]
    assert len(found) == 5 and found.count(0.25) == 1 and found.count(0.5) == 1
    study.enqueue_trial({"x": 0.25})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert study.trials[5].params["x"] == 0.25


def test_trials_are_told_as_pruned_with_and_without_a_value(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    trial = study.ask({"x": (-1.0, 1.0)})
    trial.report(3.0, 1)
    trial.report(4.0, 2)
    told = study.tell(trial, state="pruned")
    assert (told.state, told.value, told.values) == ("pruned", 4.0, [4.0])
    by_number = study.ask()
    by_number.report(5.0, 7)
    assert study.tell(by_number.number, state=TrialState.PRUNED).value == 5.0
    silent = study.tell(study.ask(), state="pruned")
    assert (silent.state, silent.value, silent.values, silent.failure) == ("pruned", None, None, None)

    def gives_up(trial: neuralbo.Trial) -> float:
        parabola(trial)
        raise neuralbo.TrialPruned

    study.optimize(gives_up, n_trials=1)
    assert study.trials[3].state == "pruned" and list(study.trials[3].params) == ["x"]
    study.optimize(parabola, n_trials=3)
    assert study.best_trial.number > 3 and study.add_trial({"x": 0.5}, state="pruned") == 7


def test_the_pruner_none_never_prunes_where_no_pruner_is_the_median_rule() -> None:
    def worse_and_worse(trial: neuralbo.Trial) -> float:
        value = trial.suggest_float("x", 0, 1) * 0 + trial.number
        trial.report(value, 1)
        if trial.should_prune():
            raise neuralbo.TrialPruned
        return value

    states = {}
    for pruner in (None, "none"):
        study = neuralbo.create_study(pruner=pruner, seed=1)
        study.optimize(worse_and_worse, n_trials=10)
        states[pruner] = {trial.state for trial in study.trials}
    assert states == {None: {"complete", "pruned"}, "none": {"complete"}}
    assert study.pruner == "none" and neuralbo.create_study(directions=["minimize"] * 2, pruner="none").pruner == "none"


def test_fixed_trials_call_objectives_by_hand() -> None:
    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        sizes = trial.suggest_categorical("sizes", [(8,), (8, 8)])
        trial.report(x, 0)
        trial.set_user_attr("seen", True)
        assert not trial.should_prune()
        return x + trial.suggest_int("n", 1, 3) + len(sizes)

    trial = neuralbo.FixedTrial({"x": 0.5, "sizes": (8, 8), "n": 2}, number=7)
    assert objective(trial) == 4.5 and trial.number == 7
    assert trial.user_attrs == {"seen": True} and trial.intermediate_values == {0: 0.5}
    assert trial.distributions == {"x": Float(0, 1), "sizes": Categorical([(8,), (8, 8)]), "n": Int(1, 3)}
    with pytest.warns(UserWarning, match="5"):
        assert neuralbo.FixedTrial({"x": 5.0}).suggest_float("x", 0, 1) == 5.0
    with pytest.raises(ValueError, match="`y` is missing; the trial has x"):
        neuralbo.FixedTrial({"x": 5.0}).suggest_float("y", 0, 1)
    with pytest.raises(TypeError):
        neuralbo.FixedTrial({"x": "a"}).suggest_float("x", 0, 1)


def test_an_objective_can_be_called_again_with_a_finished_trial() -> None:
    def objective(trial: neuralbo.Trial) -> float:
        value = parabola(trial)
        trial.report(value, 1)
        return -1.0 if trial.should_prune() else value

    study = neuralbo.create_study(seed=1, pruner="threshold:-5")
    study.optimize(lambda trial: parabola(trial), n_trials=5)
    assert objective(study.best_trial) == study.best_value and study.best_trial.intermediate_values == {}
    with pytest.raises(ValueError, match="`y` is missing"):
        study.best_trial.suggest_float("y", 0, 1)


def test_the_callback_ends_all_runs_of_a_study(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    study.optimize(lambda t: 1 / 0 if t.number % 2 else parabola(t), callbacks=[neuralbo.MaxTrialsCallback(3)], catch=ZeroDivisionError)
    assert [trial.state for trial in study.trials] == ["complete", "failed"] * 2 + ["complete"]
    again = neuralbo.load_study(storage, "s")
    again.optimize(parabola, callbacks=[neuralbo.MaxTrialsCallback(3)])
    again.optimize(parabola, callbacks=[neuralbo.MaxTrialsCallback(8, states=None)])
    assert len(study.trials) == 8
    with pytest.raises(ValueError, match="odd"):
        neuralbo.MaxTrialsCallback(3, states=["odd"])


def test_copies_have_everything(storage: str, tmp_path: Path) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", pruner="median", seed=1)

    def objective(trial: neuralbo.Trial) -> float:
        trial.report(1.0, 3)
        trial.set_user_attr("a", [1])
        return parabola(trial)

    study.optimize(objective, n_trials=3)
    study.enqueue_trial({"x": 0.5})
    other = str(tmp_path / "other.db")
    neuralbo.copy_study(from_study_name="s", from_storage=storage, to_storage=other)
    copy = neuralbo.load_study(other, "s")
    shown: Callable[[Any], List[Any]] = lambda one: [(t.number, t.params, t.values, t.state, t.user_attrs, t.intermediate_values) for t in one.trials]  # noqa: E731
    assert shown(copy) == shown(study) and (copy.pruner, copy.seed, copy.space) == (study.pruner, study.seed, study.space)
    with pytest.raises(neuralbo.StudyExists):
        neuralbo.copy_study(from_study_name="s", from_storage=storage, to_storage=storage)
    with pytest.raises(neuralbo.UnknownStudy):
        neuralbo.copy_study(from_study_name="t", from_storage=storage, to_storage=other)


def test_the_direction_of_several_objectives_is_refused() -> None:
    study = neuralbo.create_study(directions=["minimize", "maximize"], method="random", seed=1)
    with pytest.raises(ValueError, match="use directions"):
        study.direction
    assert "directions=['minimize', 'maximize']" in repr(study)
    optimizer = neuralbo.Optimizer([(0, 1)], objectives=["a:minimize", "b:maximize"], method="random", seed=1)
    assert "directions=['minimize', 'maximize']" in repr(optimizer)
    result = neuralbo.minimize(lambda x: (x[0], 1.0), [(0, 1)], objectives=["a:minimize", "b:maximize"], method="random", n_trials=2, seed=1)
    assert result.direction is None and "<svg" in result._repr_html_()
    assert "direction='maximize'" in repr(neuralbo.create_study(direction="maximize"))


def test_timeout_is_the_third_argument_as_elsewhere() -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(parabola, 3, 600.0)
    study.optimize(parabola, None, 0.0)
    assert len(study.trials) == 3


def test_three_slashes_are_a_relative_file_and_four_an_absolute_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    neuralbo.create_study(storage="sqlite:///a.db", study_name="s")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == ["a.db"]
    for storage in ("a.db", f"sqlite:///{tmp_path}/a.db", str(tmp_path / "a.db")):
        assert neuralbo.list_studies(storage) == ["s"], storage
    with pytest.raises(ValueError, match="four slashes"):
        neuralbo.create_study(storage=f"sqlite://{tmp_path}/b.db")


CHOICES = [(64,), (64, (32, 16)), "auto"]


def test_tuples_stay_tuples(storage: str) -> None:
    used: List[Any] = []

    def objective(trial: neuralbo.Trial) -> float:
        sizes = trial.suggest_categorical("h", CHOICES)
        used.append(sizes)
        assert any(sizes is choice for choice in CHOICES) and trial.params == {"h": sizes}
        return {CHOICES[0]: 2.0, CHOICES[1]: 1.0, "auto": 3.0}[sizes]

    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    study.optimize(objective, n_trials=3)
    assert set(used) == set(CHOICES) and study.best_params == {"h": (64, (32, 16))}
    loaded = neuralbo.load_study(storage, "s")
    assert [t.params["h"] for t in loaded.trials] == used and loaded.space == neuralbo.Space({"h": Categorical(CHOICES)})
    result = neuralbo.minimize(lambda p: float(p["h"] == "auto") + len(p["h"]), {"h": Categorical(CHOICES)}, n_trials=3, seed=1)
    assert result.x == {"h": (64,)} and hash(Categorical([[64], [32]])) == hash(Categorical([(64,), (32,)]))
    listed = neuralbo.create_study(seed=1)
    lists = [[1], [2, 3]]
    listed.optimize(lambda t: len(t.suggest_categorical("l", lists) + [0]), n_trials=2)
    assert listed.best_params == {"l": (1,)}
    listed.enqueue_trial({"l": [2, 3]}, skip_if_exists=True)
    assert len(listed.trials) == 2
    space = neuralbo.Space({"h": Categorical(CHOICES)})
    assert neuralbo.Space.from_dict(json.loads(json.dumps(space.to_dict()))) == space


def test_warnings_are_not_raised_by_ordinary_use() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = neuralbo.create_study(seed=1)
        study.optimize(parabola, n_trials=3)
        parabola(study.best_trial)
