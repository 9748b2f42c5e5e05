"""pycma's CMA-ES and lq-CMA-ES in the unit cube, from the best known point or the centre; started again at uniform points."""

from collections.abc import Callable
from typing import Any

import cma
import numpy as np

from .base import Inverted, Objective, Start


def _restarted(start: Start, descend: Callable[..., Any], sigma: float) -> Inverted:
    rng = np.random.default_rng(start.seed)

    def search(evaluate: Objective) -> None:
        point = start.best_known()
        while True:
            # pycma would take its seed from the clock.
            options = {"bounds": [0, 1], "verbose": -9, "seed": int(rng.integers(1, 2**31))}
            descend(lambda u: evaluate(u).values[0], point, sigma, options=options)
            point = rng.random(start.dimension)

    return Inverted(start.space, search)


def cma_es(start: Start, sigma: float = 0.2) -> Inverted:
    return _restarted(start, cma.fmin2, sigma)


def lq_cma_es(start: Start, sigma: float = 0.2) -> Inverted:
    return _restarted(start, cma.fmin_lq_surr2, sigma)
