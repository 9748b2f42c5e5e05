"""Ray Tune with the neuralbo engine: concurrent trials, a nested space, one failing trial.

Run: python examples/python/ray_tune.py        (needs: pip install neuralbo[ray])
"""

from __future__ import annotations

import logging
import os
import tempfile
from typing import Any, Dict

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray  # noqa: E402
from ray import tune  # noqa: E402

from neuralbo.integrations.ray import NeuralBOSearch  # noqa: E402


def train(config: Dict[str, Any]) -> Dict[str, float]:
    """The loss of a pretended training: best at a learning rate of 0.01 and 64 units."""
    import math

    if config["optimizer"]["rate"] > 0.9:
        raise RuntimeError("the training diverged")
    loss = math.log10(config["optimizer"]["rate"] / 0.01) ** 2 + math.log2(config["units"] / 64) ** 2
    return {"loss": loss + (0.5 if config["optimizer"]["name"] == "sgd" else 0.0)}


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    space = {
        "optimizer": {"name": tune.choice(["sgd", "adam"]), "rate": tune.loguniform(1e-5, 1.0)},
        "units": tune.lograndint(8, 513),
        "epochs": 10,
    }
    first = {"optimizer": {"name": "sgd", "rate": 1.0}, "units": 8}
    search = NeuralBOSearch(seed=7, points_to_evaluate=[first])
    with tempfile.TemporaryDirectory() as folder:
        tuner = tune.Tuner(
            train,
            param_space=space,
            tune_config=tune.TuneConfig(metric="loss", mode="min", search_alg=search, num_samples=12, reuse_actors=True),
            run_config=tune.RunConfig(storage_path=folder, verbose=0),
        )
        results = tuner.fit()
    best = results.get_best_result()
    print(f"{len(results)} trials, {results.num_errors} failed")
    assert best.metrics is not None
    print(f"best loss {best.metrics['loss']:.4f} at {best.config}")
    ray.shutdown()


if __name__ == "__main__":
    main()
