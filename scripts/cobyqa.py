#!/usr/bin/env python3
"""SciPy's COBYQA on COCO's BBOB functions, started at the centre of the box and, once it stops, anew at uniform points.

    python3 scripts/cobyqa.py DIM

Prints, for instances 1 to 3 and 1 to 15, the area under the ECDF and the mean log10 of the final gap after 20·DIM evaluations, as the
lab computes them. Needs SciPy and coco-experiment; writes one small file of COCO's into the working directory.
"""

import pathlib
import sys
import warnings

import cocoex
import numpy as np
from scipy.optimize import minimize

TARGETS = 10 ** np.linspace(2, -8, 51)
FIRST, LAST = np.log10(0.5), np.log10(20)
BEST_PARAMETER = pathlib.Path("._bbob_problem_best_parameter.txt")


class Spent(Exception):
    """No evaluations are left."""


def optimum(problem):
    problem._best_parameter("print")
    return problem(np.loadtxt(BEST_PARAMETER))


def gaps(problem, dim, seed):
    """Best gap after each evaluation."""
    best, values, rng = optimum(problem), [], np.random.default_rng(seed)

    def objective(x):
        if len(values) >= 20 * dim:
            raise Spent
        values.append(problem(np.clip(x, -5, 5)) - best)
        return values[-1]

    start = np.zeros(dim)
    try:
        while True:
            minimize(objective, start, method="COBYQA", bounds=[(-5, 5)] * dim)
            start = rng.uniform(-5, 5, dim)
    except Spent:
        return np.minimum.accumulate(values)


def area(gaps, dim):
    """Share of targets reached, over the logarithm of evaluations per dimension."""
    reached = [np.log10((np.argmax(gaps <= target) + 1) / dim) for target in TARGETS if gaps[-1] <= target]
    return sum((LAST - max(FIRST, at)) / (LAST - FIRST) for at in reached) / len(TARGETS)


def main():
    warnings.filterwarnings("ignore")
    dim, scores = int(sys.argv[1]), {}
    for problem in cocoex.Suite("bbob", "instances: 1-15", f"dimensions: {dim}"):
        function, _, instance = problem.id_triple
        found = gaps(problem, dim, 100 * function + instance)
        scores[function, instance] = area(found, dim), np.log10(max(found[-1], 1e-8))
    for last in (3, 15):
        mean = np.mean([score for (_, instance), score in scores.items() if instance <= last], axis=0)
        print(f"D = {dim}, instances 1 to {last}: {mean[0]:.4f} / {mean[1]:.3f}")


if __name__ == "__main__":
    main()
