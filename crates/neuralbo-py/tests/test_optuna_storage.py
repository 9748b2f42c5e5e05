"""The Optuna bridge on real storages, with several workers and pruners, and over long studies."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

from optuna.distributions import FloatDistribution  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402

from neuralbo.integrations.optuna import NeuralBOSampler  # noqa: E402


def quadratic(trial: Any) -> float:
    x = trial.suggest_float("x", -5.0, 5.0)
    y = trial.suggest_float("y", -5.0, 5.0)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    return float((x - 1.0) ** 2 + (y + 2.0) ** 2 + (kind == "b"))


def sqlite(folder: Path) -> str:
    return f"sqlite:///{folder / 'study.db'}"


def test_a_study_in_sqlite_goes_on_in_a_new_process_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    for _ in range(3):
        study = optuna.create_study(
            storage=sqlite(tmp_path), study_name="s", load_if_exists=True, sampler=NeuralBOSampler(seed=4)
        )
        study.optimize(quadratic, n_trials=5)
    whole = optuna.create_study(sampler=NeuralBOSampler(seed=4))
    whole.optimize(quadratic, n_trials=15)
    assert [t.params for t in study.trials] == [t.params for t in whole.trials]


def test_two_jobs_on_sqlite(tmp_path: Path) -> None:
    study = optuna.create_study(storage=sqlite(tmp_path), sampler=NeuralBOSampler(seed=4))
    study.optimize(quadratic, n_trials=16, n_jobs=2)
    assert len(study.trials) == 16
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
    # Different points, but that one of the two best may be repeated once, to see whether there is noise.
    first: dict[Any, int] = {}
    repeated = [trial for trial in study.trials if first.setdefault(tuple(trial.params.values()), trial.number) != trial.number]
    assert len(repeated) <= 1
    for trial in repeated:
        assert trial.value in sorted(earlier.value for earlier in study.trials[: trial.number])[:2]
    assert study.best_value < 2.0


def test_a_journal_gives_what_memory_gives(tmp_path: Path) -> None:
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    stored = optuna.create_study(storage=optuna.storages.JournalStorage(backend), sampler=NeuralBOSampler(seed=4))
    kept = optuna.create_study(sampler=NeuralBOSampler(seed=4))
    for study in (stored, kept):
        study.optimize(quadratic, n_trials=10)
    assert [t.params for t in stored.trials] == [t.params for t in kept.trials]


WORKER = """
import sys, time, optuna
from neuralbo.integrations.optuna import NeuralBOSampler

study = optuna.load_study(study_name="shared", storage=sys.argv[1], sampler=NeuralBOSampler(seed=int(sys.argv[2])))
running = []

def objective(trial):
    x = trial.suggest_float("x", -5.0, 5.0)
    time.sleep(0.2)
    engine = study.sampler._memory(study).engine
    running.append(0 if engine is None else engine._optimizer.n_running)
    return (x - 1.0) ** 2

study.optimize(objective, n_trials=6)
print(max(running))
"""


def test_two_processes_share_a_study_and_see_each_others_running_trials(tmp_path: Path) -> None:
    study = optuna.create_study(storage=sqlite(tmp_path), study_name="shared")
    study.optimize(lambda trial: (trial.suggest_float("x", -5.0, 5.0) - 1.0) ** 2, n_trials=1)
    commands = [[sys.executable, "-c", WORKER, sqlite(tmp_path), str(seed)] for seed in (1, 2)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    most_running = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert max(most_running) == 2
    assert len(study.trials) == 13 and study.best_value < 0.1


def learning(trial: Any) -> float:
    """A learning curve that falls towards the objective."""
    final = quadratic(trial)
    for step in range(5):
        trial.report(final + 10.0 / (step + 1), step)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return final


@pytest.mark.parametrize(
    "pruner", [optuna.pruners.MedianPruner(n_startup_trials=3), optuna.pruners.HyperbandPruner(max_resource=5)], ids=["median", "hyperband"]
)
def test_pruners_work(pruner: Any) -> None:
    study = optuna.create_study(sampler=NeuralBOSampler(seed=4), pruner=pruner)
    study.optimize(learning, n_trials=25)
    pruned = study.get_trials(states=(TrialState.PRUNED,))
    assert pruned and study.best_value < 1.0
    assert study.best_value <= min(trial.intermediate_values[max(trial.intermediate_values)] for trial in pruned)


def test_long_studies_cost_no_more_than_a_glance_per_trial() -> None:
    space = {name: FloatDistribution(-5.0, 5.0) for name in "xyz"}
    sampler = NeuralBOSampler(method="random", seed=4)
    study = optuna.create_study(sampler=sampler)
    points = [{"x": -5 + i / 100, "y": i / 1000, "z": -i / 500} for i in range(1000)]
    study.add_trials([create_trial(params=p, distributions=space, value=float(i)) for i, p in enumerate(points)])
    study.ask(space)
    start = time.perf_counter()
    for _ in range(20):
        study.tell(study.ask(space), 1.0)
    each = (time.perf_counter() - start) / 20
    assert sampler._memory(study).engine.builds == 1
    assert each < 0.05, each
