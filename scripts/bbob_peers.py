#!/usr/bin/env python3
"""SciPy's COBYQA and SLSQP and pycma's lq-CMA-ES on COCO's BBOB functions, started at the centre of the box.

    python3 scripts/bbob_peers.py --dims 2,5 --instances 16-25 [--optimizers cobyqa-centre,slsqp-centre] [--budget 20] > runs.csv

Each optimizer is started anew at uniform points once it stops. One line for every improvement: optimizer, dim, function, instance,
evaluation, gap, as `scripts/bbob_table.py --peers` reads them. Needs SciPy, cma and coco-experiment; writes one small file of
COCO's into the working directory.
"""

import argparse
import pathlib
import sys
import warnings

import cocoex
import numpy as np
from scipy.optimize import minimize

BEST_PARAMETER = pathlib.Path("._bbob_problem_best_parameter.txt")


class Spent(Exception):
    """No evaluations are left."""


def cobyqa(objective, start, dim):
    minimize(objective, start, method="COBYQA", bounds=[(-5, 5)] * dim, options={"initial_tr_radius": 2.0})


def cobyqa_default(objective, start, dim):
    minimize(objective, start, method="COBYQA", bounds=[(-5, 5)] * dim)


def slsqp(objective, start, dim):
    minimize(objective, start, method="SLSQP", bounds=[(-5, 5)] * dim)


def lq_cma(objective, start, dim):
    import cma

    cma.fmin_lq_surr2(objective, start, 2.0, options={"bounds": [-5, 5], "verbose": -9})


OPTIMIZERS = {"cobyqa-centre": cobyqa, "cobyqa-centre-default": cobyqa_default, "slsqp-centre": slsqp, "cma-lq-centre": lq_cma}


def optimum(problem):
    problem._best_parameter("print")
    return problem(np.loadtxt(BEST_PARAMETER))


def improvements(problem, optimizer, dim, budget, seed):
    """Evaluations at which the best gap improved, and that gap."""
    best, found, rng = optimum(problem), [], np.random.default_rng(seed)
    np.random.seed(seed % 2**32)
    evaluations = 0

    def objective(x):
        nonlocal evaluations
        if evaluations >= budget * dim:
            raise Spent
        evaluations += 1
        value = problem(np.clip(x, -5, 5))
        if not found or value - best < found[-1][1]:
            found.append((evaluations, value - best))
        return value

    start = np.zeros(dim)
    try:
        while True:
            optimizer(objective, start, dim)
            start = rng.uniform(-5, 5, dim)
    except Spent:
        return found


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dims", default="2,3,5,10")
    parser.add_argument("--instances", default="16-25")
    parser.add_argument("--optimizers", default=",".join(OPTIMIZERS))
    parser.add_argument("--budget", type=int, default=20)
    arguments = parser.parse_args()
    print("optimizer,dim,function,instance,evaluation,gap")
    for dim in map(int, arguments.dims.split(",")):
        for problem in cocoex.Suite("bbob", f"instances: {arguments.instances}", f"dimensions: {dim}"):
            function, _, instance = problem.id_triple
            for name in arguments.optimizers.split(","):
                seed = 100 * function + instance
                for evaluation, gap in improvements(problem, OPTIMIZERS[name], dim, arguments.budget, seed):
                    print(f"{name},{dim},{function},{instance},{evaluation},{max(gap, 0):.6e}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
