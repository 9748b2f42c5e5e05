"""Several objectives and outcome constraints: minimize, ask and tell, studies, tables, results, cards."""

import json
import math
import pickle
from typing import Any, Callable, Dict, List, Tuple

import pytest
from conftest import staircase

import neuralbo

GOALS = ["loss:minimize", "speed:maximize"]


def both(x: Any) -> Tuple[float, float]:
    """Beyond 0.5 both get worse."""
    return x[0] ** 2, min(x[0], 1 - x[0])


def covered(one: Dict[str, float], others: List[Dict[str, float]]) -> bool:
    return any(o != one and o["loss"] <= one["loss"] and o["speed"] >= one["speed"] for o in others)


def result(**more: Any) -> neuralbo.Result:
    arguments: Dict[str, Any] = {"objectives": GOALS, "method": "random", "n_trials": 25, "seed": 3, **more}
    return neuralbo.minimize(arguments.pop("f", both), [(0, 1)], **arguments)


def test_the_front_is_what_nothing_covers_and_its_volume_that_of_a_staircase() -> None:
    found = result(reference={"loss": 1.0, "speed": 0.0})
    values = [trial.measured for trial in found.history]
    expected = [one for one in values if not covered(one, values)]
    assert [trial.measured for trial in found.front] == [one for one in values if one in expected]
    assert 1 < len(expected) < 25 and found.success
    assert found.hypervolume == pytest.approx(staircase([(one["loss"], -one["speed"]) for one in expected], (1.0, 0.0)))
    assert found.reference == {"loss": 1.0, "speed": 0.0}
    volumes = [volume for _, volume in found.hypervolume_history]
    assert len(volumes) == 25 and volumes == sorted(volumes) and volumes[-1] == pytest.approx(found.hypervolume)
    assert (found.x, found.fun, found.best) == (None, None, None)
    assert [(one.name, one.direction, one.reference) for one in found.objectives] == [("loss", "minimize", 1.0), ("speed", "maximize", 0.0)]


def test_a_dict_and_a_tuple_say_the_same() -> None:
    by_name = result(f=lambda x: dict(zip(("loss", "speed"), both(x))))
    in_order, as_list = result(), result(f=lambda x: list(both(x)))
    named = result(objectives={"loss": "minimize", "speed": "maximize"})
    for other in (in_order, as_list, named):
        assert [trial.measured for trial in other.history] == [trial.measured for trial in by_name.history]


def test_outcome_constraints_of_one_objective() -> None:
    found = neuralbo.minimize(
        lambda x: {"value": x[0], "size": 1 - x[0]}, [(0, 1)], outcome_constraints=["size <= 0.5"], method="random", n_trials=20, seed=1
    )
    assert found.fun is not None and found.fun >= 0.5 and found.best is not None and found.best.feasible
    assert found.fun == min(trial.measured["value"] for trial in found.history if trial.measured["size"] <= 0.5)
    assert [one.text for one in found.outcome_constraints] == ["size <= 0.5"]
    largest = neuralbo.maximize(lambda x: (x[0], x[0]), [(0, 1)], outcome_constraints=["size <= 0.5"], method="random", n_trials=20, seed=1)
    assert largest.fun is not None and largest.fun <= 0.5


def test_no_feasible_trial_yet() -> None:
    for goals in (None, GOALS):
        f: Callable[[Any], Any] = (lambda x: (x[0], x[0])) if goals is None else (lambda x: (x[0], x[0], x[0]))
        found = neuralbo.minimize(f, [(0, 1)], objectives=goals, outcome_constraints=["size <= -1"], method="random", n_trials=5, seed=1)
        assert not found.success and found.front == [] and found.hypervolume is None
        assert "no feasible trial yet" in found.message
        assert found.least_violation is not None
        assert found.least_violation.measured["size"] == min(trial.measured["size"] for trial in found.history)
        assert found.least_violation.violations == {"size": pytest.approx(found.least_violation.measured["size"] + 1)}
    study = neuralbo.create_study(outcome_constraints=["m <= 0"], space={"x": (0.0, 1.0)}, method="random")
    with pytest.raises(ValueError, match="no trial of the study is complete yet"):
        study.best_trial
    study.add_trial({"x": 0.5}, (1.0, 2.0))
    with pytest.raises(ValueError, match="no feasible trial yet; the least violation, of m, is in trial 0"):
        study.best_trial


def test_one_value_that_is_none_or_not_finite_is_a_failure_that_names_it() -> None:
    for bad, failure, words in ((math.nan, "nonfinite", "speed = NaN"), (None, "error", "no value for `speed`"), (-math.inf, "nonfinite", "speed")):
        found = result(f=lambda x: (1.0, bad), n_trials=2)
        assert found.nfail == 2 and not found.success and found.front == []
        assert found.history[0].failure == failure and words in str(found.history[0].message)


def test_directions_name_the_objectives_by_number() -> None:
    study = neuralbo.create_study(directions=["minimize", "maximize"], method="random", seed=1)
    assert study.directions == ["minimize", "maximize"]
    study.optimize(lambda trial: both([trial.suggest_float("x", 0, 1)]), n_trials=6)
    assert set(study.trials[0].measured) == {"value_0", "value_1"} and study.best_trials
    with pytest.raises(ValueError, match="best_trial needs one objective"):
        study.best_trial
    with pytest.raises(ValueError, match="either objectives or directions"):
        neuralbo.create_study(directions=["minimize"], objectives=GOALS)
    assert list(neuralbo.create_study(directions=["maximize"]).directions) == ["maximize"]


def test_ask_and_tell_of_a_study() -> None:
    study = neuralbo.create_study(objectives=GOALS, outcome_constraints=["memory <= 4"], space={"x": (0.0, 1.0)}, method="random", seed=1)
    trial = study.ask()
    for bad in ({"loss": 1.0}, {"loss": 1.0, "speed": 2.0, "memory": 3.0, "epochs": 7.0}, (1.0, 2.0)):
        with pytest.raises(ValueError):
            study.tell(trial, bad)
    told = study.tell(trial, {"speed": 2.0, "loss": 1.0, "memory": 3.0})
    assert (told.state, told.feasible, list(told.measured)) == ("complete", True, ["loss", "speed", "memory"])
    worse = study.tell(study.ask(), (0.5, 3.0, 5.0))
    assert (worse.feasible, worse.violations) == (False, {"memory": 1.0})
    assert [one.number for one in study.best_trials] == [told.number]


def test_ask_and_tell_of_an_optimizer() -> None:
    optimizer = neuralbo.Optimizer([(0, 1), (0, 1)], objectives=GOALS, method="sobol", seed=1)
    points = optimizer.ask(4)
    optimizer.tell(points, [both(x) for x in points])
    optimizer.tell(optimizer.ask(), {"loss": 0.0, "speed": 9.0})
    optimizer.add([0.5, 0.5], (9.0, 9.0))
    assert [trial.measured for trial in optimizer.front] == [{"loss": 0.0, "speed": 9.0}]
    with pytest.raises(ValueError, match="best needs one objective"):
        optimizer.best
    again = neuralbo.Optimizer.from_state(optimizer.state())
    assert [trial.measured for trial in again.front] == [{"loss": 0.0, "speed": 9.0}]
    assert (again.ask() == optimizer.ask()).all()


def test_tables_have_a_column_for_each_value() -> None:
    pandas = pytest.importorskip("pandas")
    study = neuralbo.create_study(objectives=GOALS, outcome_constraints=["memory <= 4"], space={"x": (0.0, 1.0)}, method="random", seed=1)
    study.add_trials([{"x": 0.25, "loss": 1.0, "speed": 2.0, "memory": 3.0}, {"x": 0.5, "loss": 2.0, "speed": 1.0, "memory": 5.0}])
    frame = study.trials_dataframe()
    assert list(frame["values_speed"]) == [2.0, 1.0] and list(frame["feasible"]) == [True, False]
    assert "value" not in frame.columns
    for table in (frame, study.trials):
        other = neuralbo.create_study(objectives=GOALS, outcome_constraints=["memory <= 4"], space={"x": (0.0, 1.0)}, method="random")
        other.add_trials(table)
        assert [trial.measured for trial in other.trials] == [trial.measured for trial in study.trials]
    with pytest.raises(ValueError, match="no column 'memory'"):
        study.add_trials(pandas.DataFrame([{"x": 0.5, "loss": 1.0, "speed": 2.0}]))


def test_results_and_studies_are_pickled_whole() -> None:
    found = result(n_trials=6)
    copy = pickle.loads(pickle.dumps(found))
    assert [trial.measured for trial in copy.front] == [trial.measured for trial in found.front]
    assert copy.hypervolume_history == found.hypervolume_history
    study = neuralbo.create_study(objectives=GOALS, reference={"loss": 2.0}, space={"x": (0.0, 1.0)}, method="random")
    study.add_trial({"x": 0.5}, (1.0, 1.0))
    assert pickle.loads(pickle.dumps(study)).objectives == study.objectives


def test_a_stored_study_is_the_command_lines(storage: str, cli: Callable[..., str]) -> None:
    goals = {"objectives": GOALS, "outcome_constraints": ["m <= 0.5"], "reference": {"loss": 2.0}}
    study = neuralbo.create_study(storage=storage, study_name="two", space={"x": (0.0, 1.0)}, method="random", seed=1, **goals)
    study.optimize(lambda trial: {"loss": trial.params["x"] ** 2, "speed": trial.params["x"], "m": trial.params["x"]}, n_trials=6)
    best = json.loads(cli("best", "two", "--storage", storage, "--json"))
    assert sorted(one["trial"] for one in best["front"]) == [trial.number for trial in study.best_trials]
    assert best["hypervolume"] == study.hypervolume and best["reference"] == study.reference
    again = neuralbo.load_study(storage, "two")
    assert again.objectives == study.objectives and again.outcome_constraints == study.outcome_constraints


def test_cards_show_the_front() -> None:
    found = result(n_trials=12)
    card = found._repr_html_()
    assert "loss:minimize, speed:maximize" in card and "<svg" in card and card.count("<circle") == 12
    assert f"Pareto front of {len(found.front)} trials" in card
    empty = neuralbo.create_study(objectives=GOALS, method="random", study_name="none yet")
    assert "none yet" in empty._repr_html_() and "<svg" not in empty._repr_html_()


def test_methods_say_what_they_take() -> None:
    methods = neuralbo.methods()
    assert methods["random"]["objectives"] and methods["random"]["outcome_constraints"]
    assert not methods["gp-ei"]["objectives"]
