"""Integrations with other packages: each module is the integration with the package of its name.

A module imports its package, which the extra of the same name installs (``pip install neuralbo[optuna]``)::

    from neuralbo.integrations.optuna import NeuralBOSampler

``hydra/sweeper=neuralbo`` makes neuralbo the sweeper of a Hydra application.
"""
