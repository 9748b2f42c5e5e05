"""SciPy's local optimizers, started again at uniform points once they stop.

They start at the best known point or at the centre. Coordinates are scaled to a cube whose side is the longest one of the box, so
that a box with equal sides keeps its units; with outcome constraints to the unit cube, because COBYQA stops at infeasible points
where slacks of size 1 have small slopes. Repeated evaluations of a point cost nothing: SciPy asks for the value and the
constraints one after the other, and COBYQA returns to earlier points.
"""

import math
from typing import Any

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize

from .base import Inverted, Objective, Outcome, Start


def _side(start: Start) -> float:
    if start.outcome_constraints:
        return 1.0
    return max(math.log(p.high / p.low) if p.log else p.high - p.low for p in start.space.params)


def _local(start: Start, method: str, options: dict[str, Any]) -> Inverted:
    side, rng = _side(start), np.random.default_rng(start.seed)

    def search(evaluate: Objective) -> None:
        seen: dict[tuple[float, ...], Outcome] = {}

        def at(z: np.ndarray) -> Outcome:
            key = tuple(map(float, z))
            if key not in seen:
                seen[key] = evaluate(np.asarray(z) / side)
            return seen[key]

        limits = NonlinearConstraint(lambda z: np.array(at(z).slacks), 0.0, np.inf)
        point = start.best_known()
        # Slacks are of size 1; a value far larger would outweigh them.
        scale = abs(at(side * point).values[0]) or 1.0 if start.outcome_constraints else 1.0
        while True:
            minimize(
                lambda z: at(z).values[0] / scale,
                side * point,
                method=method,
                bounds=Bounds([0.0] * start.dimension, [side] * start.dimension),
                constraints=[limits] if start.outcome_constraints else (),
                options=options,
            )
            point = rng.random(start.dimension)

    return Inverted(start.space, search)


def cobyqa(start: Start, radius: float = 0.2) -> Inverted:
    """COBYQA with a first trust region of this share of the box."""
    return _local(start, "COBYQA", {"initial_tr_radius": radius * _side(start), "maxfev": start.trials + 1})


def cobyqa_default(start: Start) -> Inverted:
    return _local(start, "COBYQA", {"maxfev": start.trials + 1})


def cobyla(start: Start, radius: float = 0.25) -> Inverted:
    return _local(start, "COBYLA", {"rhobeg": radius * _side(start), "tol": 1e-6 * _side(start), "maxiter": start.trials + 1})


def slsqp(start: Start) -> Inverted:
    return _local(start, "SLSQP", {})
