"""Early stopping from Python: pruners, reports, what stopped trials become, promotion from checkpoints."""

import pickle
from pathlib import Path
from typing import Any, List

import pytest

import neuralbo


def trained(trial: neuralbo.Trial, steps: int = 9) -> float:
    x = trial.suggest_float("x", 0.0, 1.0)
    value = 0.0
    for step in range(1, steps + 1):
        value = abs(x - 0.3) + 1.0 / step
        trial.report(value, step)
        if trial.should_prune():
            raise neuralbo.TrialPruned()
    return value


@pytest.mark.parametrize("pruner", ["median", "percentile:30", "asha:max=9", "hyperband:max=9"])
def test_stopped_trials_are_pruned_and_never_the_best(pruner: str) -> None:
    study = neuralbo.create_study(pruner=pruner, method="random", seed=1)
    study.optimize(trained, n_trials=40)
    states = [trial.state for trial in study.trials]
    assert states.count("pruned") > 5 and states.count("complete") > 3 and len(states) == 40
    assert study.best_trial.state == "complete"
    stopped = next(trial for trial in study.trials if trial.state == "pruned")
    last = max(stopped.intermediate_values)
    assert stopped.value == stopped.intermediate_values[last]


def test_minimize_gives_the_trial_to_the_function() -> None:
    def f(x: Any, trial: neuralbo.Trial) -> float:
        for step in range(1, 10):
            trial.report(float(x[0] ** 2) + 1.0 / step, step)
            if trial.should_prune():
                raise neuralbo.TrialPruned()
        return float(x[0] ** 2)

    result = neuralbo.minimize(f, [(-5, 5)], n_trials=30, seed=1, pruner="asha:max=9")
    assert result.fun is not None and result.fun < 0.5
    assert {trial.state for trial in result.history} == {"complete", "pruned"}


def test_ask_and_tell_prune_by_hand() -> None:
    study = neuralbo.create_study(pruner="threshold:5", space={"x": (0.0, 1.0)}, seed=1)
    trial = study.ask()
    trial.report(3.0, 1)
    assert not trial.should_prune()
    trial.report(6.0, 2)
    assert trial.should_prune()
    told = study.tell(trial, state="pruned")
    assert (told.state, told.value) == ("pruned", 6.0)
    with pytest.raises(RuntimeError, match="trial 0 is not running here: it has ended"):
        trial.report(1.0, 3)


def test_bad_reports() -> None:
    study = neuralbo.create_study(pruner="asha", space={"x": (0.0, 1.0)}, seed=1)
    trial = study.ask()
    trial.report(1.0, 5)
    trial.report(2.0, 5)
    with pytest.raises(ValueError, match="step 4 of `value` is not increasing: trial 0 is at step 5"):
        trial.report(3.0, 4)
    assert trial.intermediate_values == {5: 2.0}

    def diverges(trial: neuralbo.Trial) -> float:
        trial.report(float("nan"), 1)
        if trial.should_prune():
            raise neuralbo.TrialPruned()
        return 0.0

    study.optimize(diverges, n_trials=1)
    assert (study.trials[1].state, study.trials[1].failure) == ("failed", "nonfinite")


def test_the_pruner_is_stored_and_can_be_changed(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", pruner="halving:min=2", space={"x": (0.0, 1.0)}, seed=1)
    assert neuralbo.load_study(storage, "s").pruner == "asha:min=2,factor=3"
    study.pruner = "median:warmup=2"
    assert neuralbo.load_study(storage, "s").pruner == "median:warmup=2"
    study.pruner = None
    assert pickle.loads(pickle.dumps(study)).pruner is None


def test_stopped_trials_that_deserve_it_go_on_from_their_checkpoint(tmp_path: Path) -> None:
    study = neuralbo.create_study(pruner="asha:max=9", method="random", seed=1, checkpoints=tmp_path / "kept")
    done: List[Any] = []

    def resumable(trial: neuralbo.Trial) -> float:
        x = trial.suggest_float("x", 0.0, 1.0)
        assert trial.max_steps == 9 and trial.checkpoint is not None
        saved = Path(trial.checkpoint) / "step"
        first = int(saved.read_text()) if saved.exists() else 0
        assert (first > 0) == (trial.resumes is not None)
        value = float("nan")
        for step in range(first + 1, 10):
            saved.write_text(str(step))
            done.append((trial.checkpoint, step))
            value = x + 1.0 / step
            trial.report(value, step)
            if trial.should_prune():
                raise neuralbo.TrialPruned()
        return value

    study.optimize(resumable, n_trials=60)
    resumed = {trial.number: trial for trial in study.trials if trial.resumes is not None}
    assert resumed and len({trial.resumes for trial in resumed.values()}) == len(resumed)
    for trial in resumed.values():
        before = study.trials[trial.resumes or 0]
        assert before.state == "pruned" and before.params == trial.params and trial.origin == "resumed"
        assert min(trial.intermediate_values) == max(before.intermediate_values) + 1
    assert len(set(done)) == len(done), "no step is done twice"
