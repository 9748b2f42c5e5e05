"""Ray Tune: the engine as a searcher, so that trials can run on a cluster."""

from neuralbo.integrations._require import require

require("ray.tune", "ray")

from neuralbo.integrations.ray._search import NeuralBOSearch  # noqa: E402

__all__ = ["NeuralBOSearch"]
