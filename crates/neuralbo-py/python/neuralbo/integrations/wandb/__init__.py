"""Weights & Biases and compatible loggers: one row per trial.

::

    import neuralbo, wandb
    from neuralbo.integrations.wandb import WandbCallback

    with wandb.init(project="tuning") as run:
        neuralbo.minimize(f, [(-5, 5)], callback=WandbCallback(run))
"""

from neuralbo.integrations.wandb._callback import Run, WandbCallback

__all__ = ["Run", "WandbCallback"]
