"""Integrations with other packages.

* :mod:`neuralbo.integrations.optuna`: ``NeuralBOSampler``, a sampler for Optuna studies;
* :mod:`neuralbo.integrations.ray`: ``NeuralBOSearch``, a searcher for Ray Tune;
* :mod:`neuralbo.integrations.sklearn`: ``NeuralBOSearchCV``, a hyper-parameter search for scikit-learn;
* :mod:`neuralbo.integrations.mlflow`: ``MLflowCallback``, which writes trials as runs of MLflow;
* :mod:`neuralbo.integrations.wandb`: ``WandbCallback``, which logs trials as Weights & Biases does.

``hydra/sweeper=neuralbo`` makes it the sweeper of a Hydra application. Each needs its own package, which is imported
only with the integration::

    from neuralbo.integrations.optuna import NeuralBOSampler
"""
