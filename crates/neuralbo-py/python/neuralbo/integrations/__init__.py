"""Bridges that put the engine inside the tools people already use.

* :mod:`neuralbo.integrations.optuna`: ``NeuralBOSampler``, a sampler for Optuna studies;
* :mod:`neuralbo.integrations.ray`: ``NeuralBOSearch``, a searcher for Ray Tune;
* :mod:`neuralbo.integrations.sklearn`: ``NeuralBOSearchCV``, a hyper-parameter search for scikit-learn.

Each needs its own package, which is imported only with the bridge itself::

    from neuralbo.integrations.optuna import NeuralBOSampler
"""
