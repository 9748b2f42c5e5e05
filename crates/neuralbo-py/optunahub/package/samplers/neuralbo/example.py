"""A conditional study with NeuralBO's sampler from OptunaHub."""

from __future__ import annotations

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        return abs(trial.suggest_float("C", 1e-3, 1e3, log=True) - 1)
    return 0.1 * trial.suggest_int("depth", 1, 9)


if __name__ == "__main__":
    module = optunahub.load_module("samplers/neuralbo")
    study = optuna.create_study(sampler=module.NeuralBOSampler(seed=1))
    study.optimize(objective, n_trials=30)
    print(study.best_params, study.best_value)
