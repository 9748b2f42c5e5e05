"""Ray Tune: the engine as a searcher, so that trials can run on a cluster.

::

    from ray import tune
    from neuralbo.integrations.ray import NeuralBOSearch

    tuner = tune.Tuner(
        train,
        param_space={"lr": tune.loguniform(1e-5, 1e-1)},
        tune_config=tune.TuneConfig(metric="loss", mode="min", search_alg=NeuralBOSearch(seed=7), num_samples=20),
    )
    results = tuner.fit()
"""

from neuralbo.integrations._require import require

require("ray.tune", "ray")

from neuralbo.integrations.ray._search import NeuralBOSearch  # noqa: E402

__all__ = ["NeuralBOSearch"]
