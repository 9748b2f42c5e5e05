#!/usr/bin/env python3
"""Hypervolumes, non-dominated sorts and crowding distances of pymoo, as golden values of neuralbo::pareto and nsga2.

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install pymoo==0.6.2
    /tmp/golden/bin/python scripts/golden/pareto.py crates/neuralbo/tests/data/pareto

pymoo minimizes; the files hold rewards (larger is better), its values with the sign turned.
"""

import pathlib
import sys

import numpy as np
from pymoo.indicators.hv import HV
from pymoo.operators.survival.rank_and_crowding.metrics import calc_crowding_distance
from pymoo.util.nds.fast_non_dominated_sort import fast_non_dominated_sort


def spherical(rng, count, dim):
    """Rewards near the positive part of a sphere: most of them are on the front."""
    rows = np.abs(rng.normal(size=(count, dim)))
    return -rows / np.linalg.norm(rows, axis=1, keepdims=True) * rng.uniform(0.9, 1.0, size=(count, 1))


def hypervolumes(folder, dim):
    rng = np.random.default_rng(dim)
    lines = [f"# pymoo 0.6.2, HV with the reference point 1.1 in all {dim} objectives (minimized), scripts/golden/pareto.py"]
    for count in (1, 5, 20, 50):
        for rewards in (spherical(rng, count, dim), rng.uniform(-1.2, 0.0, size=(count, dim))):
            lines += [",".join(repr(float(x)) for x in row) for row in rewards]
            lines.append(f"hypervolume,{float(HV(ref_point=np.full(dim, 1.1))(-rewards))!r}")
    (folder / f"hypervolume{dim}.csv").write_text("\n".join(lines) + "\n")


def ranks(folder):
    rng = np.random.default_rng(7)
    lines = ["# pymoo 0.6.2, non-dominated rank and crowding distance in its rank of each row of rewards, scripts/golden/pareto.py"]
    for dim, count in ((2, 30), (3, 40), (4, 20)):
        rewards = rng.uniform(0.0, 1.0, size=(count, dim))
        for rank, front in enumerate(fast_non_dominated_sort(-rewards)):
            crowding = calc_crowding_distance(-rewards[front])
            lines += [",".join([str(dim), str(rank), repr(float(c))] + [repr(float(x)) for x in rewards[i]]) for i, c in zip(front, crowding)]
    (folder / "ranks.csv").write_text("\n".join(lines) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for dim in (2, 3, 4):
        hypervolumes(folder, dim)
    ranks(folder)


if __name__ == "__main__":
    main()
