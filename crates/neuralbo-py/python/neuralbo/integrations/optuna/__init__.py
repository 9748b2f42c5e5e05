"""Optuna: the engine as a sampler, for use with Optuna's storages, dashboard and pruners."""

from neuralbo.integrations._require import require

require("optuna", "optuna")

from neuralbo.integrations.optuna._sampler import NeuralBOSampler  # noqa: E402

__all__ = ["NeuralBOSampler"]
