"""Optuna studies with several objectives and with constraints."""

from typing import Any, List, Sequence, Tuple

import pytest
from conftest import staircase

optuna = pytest.importorskip("optuna")

from optuna.trial import FrozenTrial, TrialState, create_trial  # noqa: E402

from neuralbo.integrations.optuna import NeuralBOSampler  # noqa: E402
from neuralbo.integrations.optuna._trials import ConstraintNames, Goals, Values  # noqa: E402


def both(trial: Any) -> Tuple[float, float]:
    x = trial.suggest_float("x", 0.0, 1.0)
    y = trial.suggest_float("y", 0.0, 1.0)
    return x**2 + y, (x - 1) ** 2 + y


def sampler(**more: Any) -> NeuralBOSampler:
    return NeuralBOSampler(seed=1, warn_independent_sampling=False, **more)


@pytest.mark.parametrize("method", ["neuralbo", "random", "sobol"])
def test_studies_with_directions_are_optimized(method: str) -> None:
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler(method=method))
    study.optimize(both, n_trials=8)
    assert len(study.trials) == 8 and len(study.best_trials) >= 1
    if method != "neuralbo":
        return
    # All of the front lies at y = 0.
    study.optimize(both, n_trials=17)
    assert min(trial.params["y"] for trial in study.trials) < 0.05
    volume = lambda trials: staircase([tuple(trial.values) for trial in trials], (2.0, 2.0))  # noqa: E731
    drawn = optuna.create_study(directions=["minimize", "minimize"], sampler=optuna.samplers.RandomSampler(seed=1))
    drawn.optimize(both, n_trials=25)
    assert volume(study.trials) > volume(drawn.trials)


def test_the_same_trials_give_the_same_suggestion_to_a_fresh_sampler() -> None:
    followed = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler())
    followed.optimize(both, n_trials=6)
    fresh = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler())
    fresh.add_trials(followed.trials)
    first, second = followed.ask(), fresh.ask()
    for trial in (first, second):
        both(trial)
    assert first.params == second.params


def test_constraints_func_is_stored_and_learned() -> None:
    def limit(trial: FrozenTrial) -> Sequence[float]:
        return [0.3 - trial.params["x"]]

    study = optuna.create_study(sampler=sampler(constraints_func=limit))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=15)
    assert [trial.system_attrs["constraints"] for trial in study.trials] == [[0.3 - trial.params["x"]] for trial in study.trials]
    feasible = [trial.params["x"] for trial in study.trials if trial.params["x"] >= 0.3]
    assert feasible and min(feasible) < 0.4


@pytest.mark.parametrize("bad, kind", [(lambda trial: 1.0, TypeError), (lambda trial: [float("nan")], ValueError), (lambda trial: ["1"], TypeError)])
def test_constraints_that_are_no_numbers_are_refused(bad: Any, kind: Any) -> None:
    study = optuna.create_study(sampler=sampler(constraints_func=bad))
    with pytest.raises(kind, match="constraints"):
        study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=1)


def trial(number: int, values: List[float], state: Any = TrialState.COMPLETE, **attributes: Any) -> FrozenTrial:
    found: FrozenTrial = create_trial(values=values or None, state=state, system_attrs=attributes)
    found.number = number
    return found


def test_what_the_engine_is_told() -> None:
    trials = [
        trial(0, [1.0, 2.0], constraints=[-1.0]),
        trial(1, [3.0, 4.0], **{"constraints": [0.5], "constraints:memory": -2.0}),
        trial(2, [5.0, float("inf")], **{"constraints": [0.5], "constraints:memory": -2.0}),
        trial(3, [], TrialState.FAIL),
    ]
    names = ConstraintNames().follow(trials)
    assert names == ("constraint_0", "memory")
    told = Values(Goals(("minimize", "maximize"), names))
    expected = [None, {"value_0": 3.0, "value_1": 4.0, "c0": 0.5, "c1": -2.0}, None, None]
    assert [told.value_of(one) for one in trials] == expected
    # A method that cannot model constraints: violated ones have failed.
    told = Values(Goals(("minimize", "maximize")))
    assert [told.value_of(one) for one in trials] == [{"value_0": 1.0, "value_1": 2.0}, None, None, None]
    assert Goals(("maximize",)).objectives == ["value:maximize"]


def test_a_study_of_optuna_is_imported_with_directions_and_constraints(tmp_path: Any, cli: Any) -> None:
    import json

    path = tmp_path / "optuna.db"
    own = sampler(method="random", constraints_func=lambda one: [one.params["x"] - 0.5])
    study = optuna.create_study(storage=f"sqlite:///{path}", study_name="two", directions=["minimize", "maximize"], sampler=own)
    study.set_metric_names(["loss", "speed"])
    study.optimize(lambda one: (one.suggest_float("x", 0.0, 1.0) ** 2, one.params["x"]), n_trials=8)
    target = str(tmp_path / "ours.db")
    cli("import", path, "--storage", target, "--method", "random")
    best = json.loads(cli("best", "two", "--storage", target, "--json"))
    assert [(one["name"], one["direction"]) for one in best["objectives"]] == [("loss", "minimize"), ("speed", "maximize")]
    feasible = [one.number for one in study.trials if one.params["x"] <= 0.5]
    assert sorted(one["trial"] for one in best["front"]) == feasible
