"""A pool of candidates: find the best of 3000 molecule-like vectors by measuring 80 of them.

    python examples/python/pool_of_molecules.py

Each candidate is a row of 24 descriptors; its activity hangs on a few of them in a way the optimizer is not told. Points are indices into the
pool, so that whatever belongs to a row (a structure, a bottle on a shelf) is found by its number.
"""

from __future__ import annotations

import numpy as np

import neuralbo

CANDIDATES, DESCRIPTORS, BUDGET, BATCH = 3000, 24, 80, 8


def make_pool(rng: np.random.Generator) -> np.ndarray:
    """Descriptors with the correlations that families of molecules have."""
    families = rng.normal(size=(12, DESCRIPTORS))
    return families[rng.integers(12, size=CANDIDATES)] + 0.7 * rng.normal(size=(CANDIDATES, DESCRIPTORS))


def make_activity(pool: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The hidden activity: two smooth descriptors combinations and one pair that must go together."""
    first, second = rng.normal(size=(2, DESCRIPTORS)) / np.sqrt(DESCRIPTORS)
    return np.asarray(np.tanh(pool @ first) * 2.0 - (pool @ second - 0.5) ** 2 + 0.3 * pool[:, 0] * pool[:, 1])


def main() -> None:
    rng = np.random.default_rng(5)
    pool = make_pool(rng)
    activity = make_activity(pool, rng)

    optimizer = neuralbo.Optimizer(pool=pool, direction="maximize", seed=3)
    while optimizer.n_told < BUDGET:
        plate = optimizer.ask(BATCH)  # eight wells are measured at once
        optimizer.tell(plate, activity[plate])

    best = optimizer.best
    assert best is not None
    rank = int((activity > best.fun).sum()) + 1
    by_chance = (CANDIDATES + 1) / (BUDGET + 1)
    print(f"candidate {best.x} with activity {best.fun:.3f}: number {rank} of {CANDIDATES} after {BUDGET} measurements")
    print(f"the best of {BUDGET} random candidates would be number {by_chance:.0f} on average")


if __name__ == "__main__":
    main()
