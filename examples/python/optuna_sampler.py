"""Optuna with the neuralbo engine: a study in SQLite, a pruner, and a comparison with random search.

Run: python examples/python/optuna_sampler.py        (needs: pip install neuralbo[optuna])
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import optuna

from neuralbo.integrations.optuna import NeuralBOSampler


def objective(trial: optuna.Trial) -> float:
    """The loss of a pretended training: best at a rate of 0.01, three layers, `gelu`."""
    rate = trial.suggest_float("rate", 1e-5, 1.0, log=True)
    layers = trial.suggest_int("layers", 1, 8)
    activation = trial.suggest_categorical("activation", ["relu", "gelu", "tanh"])
    final = math.log10(rate / 0.01) ** 2 + 0.1 * (layers - 3) ** 2 + 0.3 * (activation != "gelu")
    for epoch in range(5):
        trial.report(final + 2.0 / (epoch + 1), epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return final


def run(sampler: optuna.samplers.BaseSampler, storage: str) -> optuna.Study:
    study = optuna.create_study(storage=storage, sampler=sampler, pruner=optuna.pruners.MedianPruner(n_startup_trials=5))
    study.optimize(objective, n_trials=25)
    return study


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{Path(folder) / 'studies.db'}"
        ours = run(NeuralBOSampler(seed=7), storage)
        random = run(optuna.samplers.RandomSampler(seed=7), storage)
        pruned = sum(trial.state == optuna.trial.TrialState.PRUNED for trial in ours.trials)
        print(f"neuralbo: {ours.best_value:.4f} at {ours.best_params} ({pruned} of {len(ours.trials)} trials pruned)")
        print(f"random:   {random.best_value:.4f} at {random.best_params}")


if __name__ == "__main__":
    main()
