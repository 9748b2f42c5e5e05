"""MLflow: every trial becomes a run of an experiment.

::

    import neuralbo
    from neuralbo.integrations.mlflow import MLflowCallback

    study = neuralbo.create_study(seed=1)
    study.optimize(objective, n_trials=50, callbacks=[MLflowCallback(experiment="tuning")])
    neuralbo.minimize(f, [(-5, 5)], callback=MLflowCallback(experiment="tuning"))
"""

from neuralbo.integrations._require import require

require("mlflow", "mlflow")

from neuralbo.integrations.mlflow._callback import MLflowCallback  # noqa: E402

__all__ = ["MLflowCallback"]
