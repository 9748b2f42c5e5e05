"""The Optuna bridge: what the engine is told, and what comes back."""

import pickle
import statistics
from typing import Any, Dict, List, Sequence, Tuple

import pytest
from conftest import python

optuna = pytest.importorskip("optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import FrozenTrial, TrialState, create_trial  # noqa: E402

from neuralbo.integrations.optuna import NeuralBOSampler  # noqa: E402
from neuralbo.integrations.optuna._engine import FollowingEngine  # noqa: E402


def quadratic(trial: Any) -> float:
    """Smallest at 1, 1, 1, 1."""
    return sum((trial.suggest_float(f"x{i}", -5.0, 5.0) - 1.0) ** 2 for i in range(4))


def mixed(trial: Any) -> float:
    rate = trial.suggest_float("rate", 1e-5, 1.0, log=True)
    depth = trial.suggest_int("depth", 1, 9, step=2)
    share = trial.suggest_float("share", 0.0, 1.0, step=0.25)
    width = trial.suggest_int("width", 1, 512, log=True)
    kind = trial.suggest_categorical("kind", [None, True, 1.5, "tanh"])
    return float(abs(rate - 0.1) + abs(depth - 5) + share + width / 512 + (kind is not True))


def engine_of(sampler: NeuralBOSampler, study: Any) -> Any:
    return sampler._memory(study).engine


def params_of(study: Any) -> List[Dict[str, Any]]:
    return [trial.params for trial in study.trials]


def run(objective: Any, n_trials: int, sampler: Any, **study_options: Any) -> Any:
    study = optuna.create_study(sampler=sampler, **study_options)
    study.optimize(objective, n_trials=n_trials)
    return study


class Checked(NeuralBOSampler):
    """Compares every suggestion with that of an engine built from nothing."""

    compared = 0
    suggested: Tuple[Dict[str, Any], ...] = ()

    def _suggest(self, study: Any, trials: Sequence[FrozenTrial], number: int, search_space: Any) -> Dict[str, Any]:
        goals = self._goals(study, trials)
        conditions = self._memory(study).conditions(search_space)
        fresh = FollowingEngine(search_space, conditions, goals, lambda coding: self._optimizer(coding, goals))
        expected = fresh.suggest(trials, number)
        assert super()._suggest(study, trials, number, search_space) == expected
        self.compared += 1
        self.suggested += (expected,)
        return expected


def test_finds_the_bottom_of_a_bowl_much_better_than_random_search() -> None:
    ours = statistics.median(run(quadratic, 25, NeuralBOSampler(seed=s)).best_value for s in range(3))
    random = statistics.median(run(quadratic, 25, optuna.samplers.RandomSampler(seed=s)).best_value for s in range(3))
    assert ours < 0.05 * random, (ours, random)


def test_maximizes_where_the_study_does() -> None:
    study = run(lambda trial: -quadratic(trial), 20, NeuralBOSampler(seed=1), direction="maximize")
    same = run(quadratic, 20, NeuralBOSampler(seed=1))
    assert params_of(study) == params_of(same)
    assert study.best_value == -same.best_value > -1.0


def test_the_same_seed_gives_the_same_trials_and_another_seed_others() -> None:
    first, again, other = (params_of(run(mixed, 12, NeuralBOSampler(seed=seed))) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_a_followed_study_is_told_only_what_is_new() -> None:
    sampler = Checked(seed=2)
    study = run(mixed, 15, sampler)
    assert sampler.compared == 14
    assert engine_of(sampler, study).builds == 1


def test_parallel_failed_and_pruned_trials_give_what_a_fresh_sampler_gives() -> None:
    sampler = Checked(seed=2)
    study = run(quadratic, 2, sampler)
    for _ in range(4):
        trials = [study.ask() for _ in range(3)]
        values = [quadratic(trial) for trial in trials]
        study.tell(trials[2], values[2])
        trials[1].report(values[1], step=0)
        study.tell(trials[1], state=TrialState.PRUNED)
        study.tell(trials[0], state=TrialState.FAIL)
    assert sampler.compared == 13
    assert engine_of(sampler, study).builds == 1


def test_trials_that_finish_before_known_ones_build_the_engine_anew() -> None:
    sampler = Checked(seed=2)
    study = run(quadratic, 4, sampler)
    earlier = study.trials[0]
    study.add_trial(create_trial(params={**earlier.params, "x0": 0.0}, distributions=earlier.distributions, value=1.0))
    moved = study.get_trials(deepcopy=False)[-1]
    moved.datetime_complete = earlier.datetime_complete
    study.optimize(quadratic, n_trials=1)
    assert engine_of(sampler, study).builds == 2


def test_running_trials_are_pending_before_their_objective_asks_for_them() -> None:
    sampler = NeuralBOSampler(seed=5)
    study = run(quadratic, 5, sampler)
    trials = [study.ask() for _ in range(3)]
    for trial in trials:
        trial.suggest_float("x0", -5.0, 5.0)
    assert engine_of(sampler, study)._optimizer.n_running == 3
    assert len({tuple(trial.relative_params.values()) for trial in trials}) == 3
    fresh = NeuralBOSampler(seed=5)
    study.sampler = fresh
    study.ask().suggest_float("x0", -5.0, 5.0)
    assert engine_of(fresh, study)._optimizer.n_running == 4


def told(sampler: NeuralBOSampler, study: Any) -> List[Any]:
    """The values the engine has been told, after one more suggestion."""
    study.ask().suggest_float("x", 0.0, 1.0)
    return [trial.value for trial in engine_of(sampler, study)._optimizer.trials if trial.state != "running"]


def add(study: Any, x: float, **what: Any) -> None:
    study.add_trial(create_trial(params={"x": x}, distributions={"x": FloatDistribution(0.0, 1.0)}, **what))


@pytest.mark.parametrize("direction, sign", [("minimize", 1.0), ("maximize", -1.0)])
def test_pruned_trials_count_with_their_last_value_but_no_better_than_the_median(direction: str, sign: float) -> None:
    sampler = NeuralBOSampler(seed=5)
    study = optuna.create_study(sampler=sampler, direction=direction)
    for x, value in ((0.1, 1.0), (0.2, 2.0), (0.3, 3.0)):
        add(study, x, value=sign * value)
    add(study, 0.4, state=TrialState.PRUNED, intermediate_values={0: sign * 9.0, 3: sign * 5.0})
    add(study, 0.5, state=TrialState.PRUNED, intermediate_values={0: sign * -7.0})
    add(study, 0.6, state=TrialState.PRUNED)
    assert told(sampler, study) == [sign * 1.0, sign * 2.0, sign * 3.0, sign * 5.0, sign * 2.0, None]


def test_failed_infinite_and_infeasible_trials_are_told_as_failed() -> None:
    sampler = NeuralBOSampler(method="gp-ei", seed=5)
    study = optuna.create_study(sampler=sampler)
    add(study, 0.1, value=1.0, system_attrs={"constraints": [-1.0, 0.0]})
    add(study, 0.2, state=TrialState.FAIL)
    add(study, 0.3, value=float("inf"))
    add(study, 0.4, value=0.0, system_attrs={"constraints": [-1.0, 0.5]})
    add(study, 0.5, value=0.0, system_attrs={"constraints:speed": 2.0})
    assert told(sampler, study) == [1.0, None, None, None, None]


def test_the_search_avoids_where_the_objective_fails() -> None:
    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", -5.0, 5.0)
        if x > 2.0:
            raise ValueError("no such thing")
        return (x - 1.0) ** 2

    study = optuna.create_study(sampler=NeuralBOSampler(seed=1))
    study.optimize(objective, n_trials=20, catch=(ValueError,))
    assert study.best_value < 1e-2
    assert sum(trial.state == TrialState.FAIL for trial in study.trials[10:]) <= 3


def test_a_trial_that_fails_before_it_has_asked_for_everything_is_not_repeated() -> None:
    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", -5.0, 5.0)
        if 1 <= trial.number < 5:
            raise ValueError("too early")
        return float(x**2 + trial.suggest_float("y", -5.0, 5.0) ** 2)

    sampler = Checked(seed=1)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=8, catch=(ValueError,))
    assert len({tuple(sorted(point.items())) for point in sampler.suggested}) == len(sampler.suggested) == 7


def test_values_are_of_the_distributions_types_and_on_their_grids() -> None:
    studies = [run(mixed, 25, NeuralBOSampler(seed=seed)) for seed in range(4)]
    for params in (params for study in studies for params in params_of(study)):
        assert params["depth"] in (1, 3, 5, 7, 9) and type(params["depth"]) is int
        assert params["share"] in (0.0, 0.25, 0.5, 0.75, 1.0) and type(params["share"]) is float
        assert type(params["width"]) is int and type(params["rate"]) is float
        assert any(params["kind"] is choice for choice in (None, True, 1.5, "tanh")) or params["kind"] in (1.5, "tanh")
    assert sum(study.best_params["kind"] is True for study in studies) >= 3, "one seed may be unlucky"


def test_whole_numbers_beyond_what_the_engine_counts_are_searched_all_the_same() -> None:
    def objective(trial: Any) -> float:
        far = trial.suggest_int("far", -(2**60), 2**60)
        return abs(far / 2**60 - 0.5) + abs(trial.suggest_int("long", 1, 2**50, log=True) / 2**50 - 0.5)

    study = run(objective, 15, NeuralBOSampler(seed=8))
    assert all(type(v) is int for params in params_of(study) for v in params.values())
    assert study.best_value < 0.5


class Recording(optuna.samplers.RandomSampler):  # type: ignore[misc, name-defined]
    """Knows what it was asked for."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.asked: List[str] = []

    def sample_independent(self, study: Any, trial: Any, name: str, distribution: Any) -> Any:
        self.asked.append(name)
        return super().sample_independent(study, trial, name, distribution)


def branches(trial: Any) -> float:
    model = trial.suggest_categorical("model", ["svm", "forest"])
    if model == "svm":
        kernel = trial.suggest_categorical("kernel", ["rbf", "linear"])
        C = trial.suggest_float("C", 1e-3, 1e3, log=True)
        return abs(C - 1.0) + (trial.suggest_float("gamma", 0.0, 1.0) if kernel == "rbf" else 0.5)
    return 1.0 + trial.suggest_int("depth", 1, 9) / 10.0


NEEDED = {
    ("svm", "rbf"): {"model", "kernel", "C", "gamma"},
    ("svm", "linear"): {"model", "kernel", "C"},
    ("forest", None): {"model", "depth"},
}


def test_all_branches_are_one_joint_model() -> None:
    independent = Recording()
    sampler = NeuralBOSampler(seed=3, independent_sampler=independent, warn_independent_sampling=False)
    study = run(branches, 30, sampler)
    for params in params_of(study):
        assert set(params) == NEEDED[params["model"], params.get("kernel")]
    assert {name: independent.asked.count(name) for name in independent.asked} == {"model": 1, "kernel": 1, "C": 1, "gamma": 1, "depth": 1}
    engine = engine_of(sampler, study)
    assert set(engine.search_space) == {"model", "kernel", "C", "gamma", "depth"}
    assert engine.conditions == {
        "kernel": 'model == "svm"',
        "C": 'model == "svm"',
        "gamma": 'kernel == "rbf"',
        "depth": 'model == "forest"',
    }
    assert engine._optimizer.n_told == 29, "every trial but the one that has just ended"


def test_conditional_studies_are_followed_as_a_fresh_sampler_would() -> None:
    sampler = Checked(seed=2)
    run(branches, 20, sampler)
    assert sampler.compared == 19


def test_the_same_example_is_stored_alike_by_optuna_and_native_studies() -> None:
    import neuralbo

    theirs, ours = run(branches, 20, NeuralBOSampler(seed=3)), neuralbo.create_study(seed=3)
    ours.optimize(branches, n_trials=20)
    for study in (theirs, ours):
        for trial in study.trials:
            assert set(trial.params) == NEEDED[trial.params["model"], trial.params.get("kernel")]
            assert trial.value == branches(optuna.trial.FixedTrial(trial.params))


def test_names_and_choices_that_the_engine_does_not_have_are_conditions_too() -> None:
    def objective(trial: Any) -> float:
        kind = trial.suggest_categorical("model:kind", ["a", float("nan"), None])
        return float(trial.suggest_float("rate of a", 0.0, 1.0)) if kind == "a" else 2.0

    sampler = NeuralBOSampler(seed=1, warn_independent_sampling=False)
    study = run(objective, 15, sampler)
    assert engine_of(sampler, study).conditions == {"rate of a": "p0 == 0"}
    assert study.best_params["model:kind"] == "a"


def test_what_nothing_explains_goes_to_the_independent_sampler() -> None:
    def objective(trial: Any) -> float:
        shared = trial.suggest_float("shared", -1.0, 1.0)
        if trial.number % 2 == 0:
            return shared**2 + float(trial.suggest_float("even", 0.0, 1.0))
        return shared**2 + float(trial.suggest_float("odd", 0.0, 1.0))

    independent = Recording()
    sampler = NeuralBOSampler(seed=1, independent_sampler=independent, warn_independent_sampling=False)
    study = run(objective, 12, sampler)
    assert independent.asked.count("shared") == 1
    assert independent.asked.count("even") >= 5 and independent.asked.count("odd") == 6
    assert list(engine_of(sampler, study).search_space) == ["shared"]


def test_a_finite_space_that_is_used_up_is_sampled_on() -> None:
    study = run(lambda trial: float(trial.suggest_int("n", 1, 4)), 10, NeuralBOSampler(seed=1, warn_independent_sampling=False))
    assert {params["n"] for params in params_of(study)[:4]} == {1, 2, 3, 4}
    assert len(study.trials) == 10


def test_startup_trials_are_independent() -> None:
    study = run(quadratic, 5, NeuralBOSampler(seed=6, n_startup_trials=5))
    random = run(quadratic, 5, optuna.samplers.RandomSampler(seed=6))
    assert params_of(study) == params_of(random)


def test_one_sampler_serves_two_studies() -> None:
    sampler = NeuralBOSampler(seed=1)
    run(quadratic, 5, sampler)
    second = run(lambda trial: float(trial.suggest_float("other", 0.0, 1.0)), 5, sampler)
    assert all(list(params) == ["other"] for params in params_of(second))


def test_a_pickled_sampler_goes_on_as_the_original_would() -> None:
    sampler = NeuralBOSampler(seed=1)
    study = run(quadratic, 5, sampler)
    space = sampler.infer_relative_search_space(study, study.trials[0])
    copy = pickle.loads(pickle.dumps(sampler))
    number = study._storage.create_new_trial(study._study_id)
    trial = study._storage.get_trial(number)
    assert copy.sample_relative(study, trial, space) == sampler.sample_relative(study, trial, space)


def test_reseeding_changes_the_suggestions() -> None:
    sampler = NeuralBOSampler(seed=1)
    study = run(quadratic, 8, sampler)  # past the start, which is the same for every seed
    sampler.reseed_rng()
    study.optimize(quadratic, n_trials=1)
    assert params_of(study) != params_of(run(quadratic, 9, NeuralBOSampler(seed=1)))


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="magic"):
        NeuralBOSampler(method="magic")
    with pytest.raises(ValueError, match="colour"):
        NeuralBOSampler(colour="blue")
    with pytest.raises(ValueError, match="n_startup_trials = -1"):
        NeuralBOSampler(n_startup_trials=-1)
    study = optuna.create_study(sampler=NeuralBOSampler(method="gp-ei"), directions=["minimize", "minimize"])
    with pytest.raises(ValueError, match="method `gp-ei` does not support 2 objectives; methods that do: "):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=1)


@pytest.mark.parametrize("bridge, package", [("optuna", "optuna"), ("ray", "ray"), ("sklearn", "sklearn")])
def test_a_missing_package_is_named_with_its_extra(bridge: str, package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"try:\n    import neuralbo.integrations.{bridge}\n"
        f"except ImportError as error:\n    assert 'pip install neuralbo[{bridge}]' in str(error), error\n"
        f"else:\n    raise SystemExit('imported')\n"
    )
    python(code)


def test_distributions_outside_the_three_kinds_are_refused() -> None:
    from neuralbo.integrations.optuna._trials import code_of

    assert code_of(IntDistribution(1, 1)).decode(None) == 1
    assert code_of(CategoricalDistribution(["only"])).decode(None) == "only"
    with pytest.raises(ValueError, match="FloatDistribution"):
        code_of(object())  # type: ignore[arg-type]
