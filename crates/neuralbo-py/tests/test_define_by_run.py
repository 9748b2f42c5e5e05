"""Define-by-run: a space that grows, and whose trials record exactly what they used."""

import json
import subprocess
import sys
import warnings

import pytest

import neuralbo
from neuralbo import Float, Int, Space


def branches(trial: neuralbo.Trial) -> float:
    model = trial.suggest_categorical("model", ["svm", "rf"])
    if model == "svm":
        return 1.0 + trial.suggest_float("C", 1e-3, 1e3, log=True) + trial.suggest_float("gamma", 0, 1)
    return 0.1 * trial.suggest_int("depth", 1, 9)


NEEDED = {"svm": {"model", "C", "gamma"}, "rf": {"model", "depth"}}


@pytest.fixture
def grown() -> neuralbo.Study:
    study = neuralbo.create_study(seed=1)
    study.optimize(branches, n_trials=15)
    return study


def test_every_parameter_of_the_best_result_is_stored(grown: neuralbo.Study) -> None:
    assert grown.best_params.keys() == {"model", "depth"} and grown.best_params["model"] == "rf"
    assert grown.best_value == 0.1 * grown.best_params["depth"]
    for trial in grown.trials:
        assert set(trial.params) == NEEDED[trial.params["model"]]
    assert grown.space is not None and set(grown.space.names) == {"model", "C", "gamma", "depth"}


def test_branches_become_conditions_of_one_space(grown: neuralbo.Study) -> None:
    assert {name: domain.when for name, domain in grown.space.items()} == {
        "model": None,
        "C": 'model == "svm"',
        "gamma": 'model == "svm"',
        "depth": 'model == "rf"',
    }


def test_once_a_branch_is_known_its_values_are_suggested_and_no_others(grown: neuralbo.Study) -> None:
    for _ in range(6):
        trial = grown.ask()
        suggested = json.loads(trial.to_json())["trial"]["params"]
        assert set(suggested) == NEEDED[suggested["model"]]
        grown.tell(trial, branches(trial))
        assert grown.trials[-1].params == suggested, "what was suggested is what was used"


def test_nested_branches_and_loops_are_learned() -> None:
    def objective(trial: neuralbo.Trial) -> float:
        kind = trial.suggest_categorical("kind", ["net", "svm"])
        if kind == "svm":
            kernel = trial.suggest_categorical("kernel", ["rbf", "linear"])
            return trial.suggest_float("gamma", 0, 1) if kernel == "rbf" else 1.0
        layers = trial.suggest_int("layers", 1, 3)
        return sum(trial.suggest_float(f"rate{i}", 0, 1) for i in range(layers))

    study = neuralbo.create_study(seed=2, method="random")
    study.optimize(objective, n_trials=40)
    found = {name: domain.when for name, domain in study.space.items()}
    assert found["kernel"] == 'kind == "svm"' and found["gamma"] == 'kernel == "rbf"'
    assert found["layers"] == 'kind == "net"' and found["rate0"] == 'kind == "net"'
    assert found["rate1"] == "layers >= 2" and found["rate2"] == "layers >= 3"


def test_a_code_path_that_contradicts_what_was_learned_works_and_widens(grown: neuralbo.Study) -> None:
    """`depth` is asked for under `model == "rf"`, until the objective changes its mind."""

    def both(trial: neuralbo.Trial) -> float:
        trial.suggest_categorical("model", ["svm", "rf"])
        depth = trial.suggest_int("depth", 1, 9)
        assert 1 <= depth <= 9
        return depth

    grown.optimize(both, n_trials=8)
    for trial in grown.trials[15:]:
        assert set(trial.params) == {"model", "depth"} and trial.value == trial.params["depth"]
    assert grown.space["depth"].when is None or "svm" in grown.space["depth"].when


def test_conditions_are_learned_again_by_who_opens_the_study(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1)
    study.optimize(branches, n_trials=12)
    again = neuralbo.load_study(storage, "s")
    assert again.space == study.space and again.space["depth"].when == 'model == "rf"'
    again.optimize(branches, n_trials=3)
    assert len(again.trials) == 15


def test_conditions_that_a_user_has_declared_are_kept() -> None:
    space = {"model": neuralbo.Categorical(["svm", "rf"]), "depth": Int(1, 9), "C": Float(0, 1, when="model == svm")}
    study = neuralbo.create_study(space=space, seed=1)
    study.optimize(lambda trial: len(trial.suggest_categorical("model", ["svm", "rf"])), n_trials=8)
    assert study.space == Space(space)


def test_a_changed_range_is_a_warning() -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(lambda trial: -trial.suggest_float("x", 0, 1), n_trials=3)
    with pytest.warns(UserWarning, match=r"`x` was float\(0.0,1.0\).* is float\(0.0,2.0\)"):
        study.optimize(lambda trial: -trial.suggest_float("x", 0, 2), n_trials=10)
    assert study.space == Space({"x": Float(0, 2)}) and len(study.trials) == 13
    assert max(trial.params["x"] for trial in study.trials) > 1


def test_a_value_outside_of_the_range_asked_for_is_drawn_inside_and_recorded() -> None:
    study = neuralbo.create_study(seed=1, space={"x": (0.0, 1.0)})
    seen = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study.optimize(lambda trial: seen.append(trial.suggest_float("x", 5, 6)) or 1.0, n_trials=3)
    assert len(caught) == 1, "only the first call widens the range"
    assert all(5 <= x <= 6 for x in seen) and [trial.params["x"] for trial in study.trials] == seen


def test_a_parameter_first_met_in_a_trial_is_recorded_and_repeatable() -> None:
    runs = []
    for _ in range(2):
        study = neuralbo.create_study(seed=5)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + trial.suggest_int(f"n{trial.number}", 0, 99), n_trials=4)
        runs.append([trial.params for trial in study.trials])
    assert runs[0] == runs[1]
    assert [list(params) for params in runs[0]] == [["x", f"n{number}"] for number in range(4)]


PROCESS = """
import sys, neuralbo
study = neuralbo.create_study(storage=sys.argv[1], study_name="s", load_if_exists=True, seed=7)
study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2 + trial.suggest_int("k", 0, 100), n_trials=4)
"""


def test_processes_start_at_different_points(storage: str) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS, storage], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    trials = neuralbo.load_study(storage, "s").trials
    assert [trial.state for trial in trials] == ["complete"] * 12
    first = [(trial.params["x"], trial.params["k"]) for trial in trials[:3]]
    assert len(set(first)) == 3 and 0.0 not in [x for x, _ in first]
    assert all(trial.value == trial.params["x"] ** 2 + trial.params["k"] for trial in trials)


def test_a_study_is_in_its_storage_from_the_start(storage: str) -> None:
    neuralbo.create_study(storage=storage, study_name="s", seed=1)
    assert neuralbo.list_studies(storage) == ["s"] and neuralbo.load_study(storage, "s").space is None


def test_asking_twice_gives_the_same_and_asking_differently_is_an_error() -> None:
    trial = neuralbo.create_study(seed=1).ask()
    x = trial.suggest_float("x", 0, 1)
    assert trial.suggest_float("x", 0, 1) == x and trial.params == {"x": x}
    with pytest.raises(ValueError, match="asked for as"):
        trial.suggest_float("x", 0, 2)


def test_lists_dicts_and_tuples_are_choices() -> None:
    study = neuralbo.create_study(seed=1)
    choices = [(64, 32), (64,), None]
    study.optimize(lambda trial: len(trial.suggest_categorical("layers", choices) or ()), n_trials=3)
    assert study.best_value == 0 and study.best_params == {"layers": None}
    assert study.space == Space({"layers": neuralbo.Categorical([[64, 32], [64], None])})


def test_steps_are_one_coordinate_each_in_optimizers_and_studies() -> None:
    space = Space({"a": Float(0, 1, step=0.005), "b": Int(0, 1000, step=2)})
    assert neuralbo.Optimizer(space, seed=1)._form.core.coordinates == 2
    study = neuralbo.create_study(seed=1)
    study.optimize(lambda t: t.suggest_float("a", 0, 1, step=0.005) + t.suggest_int("b", 0, 1000, step=2), n_trials=2)
    assert study.space == space and study._core.space.coordinates == 2


@pytest.mark.parametrize("choices", [["None", "x"], [None, "x"]])
def test_a_text_none_stays_a_text(choices: list, storage: str) -> None:
    neuralbo.create_study(storage=storage, study_name="s", space={"c": neuralbo.Categorical(choices)})
    assert neuralbo.load_study(storage, "s").space["c"] == neuralbo.Categorical(choices)
    optimizer = neuralbo.Optimizer({"c": neuralbo.Categorical(choices)}, seed=1)
    assert neuralbo.Optimizer.from_state(optimizer.state()).space["c"] == neuralbo.Categorical(choices)
