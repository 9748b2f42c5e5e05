"""Evaluations pycma needs on the problems of the CMA-ES tests. Needs: pip install cma numpy."""

import cma
import numpy as np

DIM, FIRST_STEP, TARGET = 10, 0.5, 1e-8


def sphere(x):
    return float(np.sum((np.asarray(x) - 0.3) ** 2))


def rotated_ellipsoid(x):
    z = [v - 0.2 for v in x]
    sin, cos = np.sin(0.7), np.cos(0.7)
    for j in range(1, len(z)):
        z[j - 1], z[j] = cos * z[j - 1] - sin * z[j], sin * z[j - 1] + cos * z[j]
    return float(sum(10 ** (6 * j / (len(z) - 1)) * v * v for j, v in enumerate(z)))


def rosenbrock(x):
    u = 2 * np.asarray(x)
    return float(np.sum(100 * (u[1:] - u[:-1] ** 2) ** 2 + (1 - u[:-1]) ** 2))


def evaluations(loss, seed):
    options = {"seed": seed, "verbose": -9, "maxfevals": 20_000, "tolfun": 0, "tolx": 0, "tolfunhist": 0}
    strategy = cma.CMAEvolutionStrategy([0] * DIM, FIRST_STEP, options)
    count = 0
    while not strategy.stop():
        rows = strategy.ask()
        values = [loss(row) for row in rows]
        below = [i for i, value in enumerate(values) if value < TARGET]
        if below:
            return count + below[0] + 1
        count += len(rows)
        strategy.tell(rows, values)
    return None


for problem in (sphere, rotated_ellipsoid, rosenbrock):
    print(problem.__name__, [evaluations(problem, seed) for seed in range(1, 8)])
