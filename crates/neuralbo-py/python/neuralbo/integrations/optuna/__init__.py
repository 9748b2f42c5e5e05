"""Optuna: the engine as a sampler, for use with Optuna's storages, dashboard and pruners.

::

    import optuna
    from neuralbo.integrations.optuna import NeuralBOSampler

    study = optuna.create_study(sampler=NeuralBOSampler(seed=7))
    study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=20)
"""

from neuralbo.integrations._require import require

require("optuna", "optuna")

from neuralbo.integrations.optuna._sampler import NeuralBOSampler  # noqa: E402

__all__ = ["NeuralBOSampler"]
