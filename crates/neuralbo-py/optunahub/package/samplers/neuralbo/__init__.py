"""NeuralBO's sampler as a package of OptunaHub."""

from __future__ import annotations

from neuralbo.integrations.optuna import NeuralBOSampler

__all__ = ["NeuralBOSampler"]
