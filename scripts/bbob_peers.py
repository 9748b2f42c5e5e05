#!/usr/bin/env python3
"""Other optimizers on COCO's BBOB functions, started at the centre of the box where they take a start.

    python3 scripts/bbob_peers.py --dims 2,5 --instances 16-25 [--optimizers cobyqa-centre,tpe] [--budget 20] [--noise 0.01] > runs.csv

Local optimizers are started anew at uniform points once they stop. One line a run, with the columns of the example `bbob_bench`:
the area under the ECDF of targets, the best gap after so many evaluations per dimension, and CPU milliseconds per evaluation.
With `--noise` every value has a normal error, its standard deviation this share of the median absolute deviation of the
function's values over the box; gaps are those of the true values. Needs coco-experiment, and SciPy (cobyqa, slsqp), cma or
optuna (tpe).
"""

import argparse
import csv
import importlib.util
import math
import multiprocessing
import os
import sys
import tempfile
import time
import warnings

import numpy as np

from bbob_table import area

CHECKPOINTS = [0.5, 1, 2, 3, 5, 10, 20, 100]
COLUMNS = ["method", "dim", "function", "instance", "area", *(f"gap_{at:g}" for at in CHECKPOINTS), "inside90", "predicted", "ms"]
SPREAD_POINTS = 1001


class Spent(Exception):
    """No evaluations are left."""


def restarted(descend):
    """An optimizer that descends from the centre, then from uniform points."""

    def run(objective, dim, rng):
        start = np.zeros(dim)
        while True:
            descend(objective, start, dim)
            start = rng.uniform(-5, 5, dim)

    return run


def scipy_minimize(method, **options):
    def descend(objective, start, dim):
        from scipy.optimize import minimize

        minimize(objective, start, method=method, bounds=[(-5, 5)] * dim, options=options)

    return restarted(descend)


@restarted
def lq_cma(objective, start, _dim):
    import cma

    cma.fmin_lq_surr2(objective, start, 2.0, options={"bounds": [-5, 5], "verbose": -9})


@restarted
def cma_es(objective, start, _dim):
    import cma

    cma.fmin2(objective, start, 2.0, options={"bounds": [-5, 5], "verbose": -9})


def tpe(objective, dim, rng):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=int(rng.integers(2**31)), multivariate=True))
    study.enqueue_trial({f"x{i}": 0.0 for i in range(dim)})
    study.optimize(lambda trial: objective([trial.suggest_float(f"x{i}", -5, 5) for i in range(dim)]))


OPTIMIZERS = {
    "cobyqa-centre": scipy_minimize("COBYQA", initial_tr_radius=2.0),
    "cobyqa-centre-default": scipy_minimize("COBYQA"),
    "slsqp-centre": scipy_minimize("SLSQP"),
    "cma-lq-centre": lq_cma,
    "cma-centre": cma_es,
    "tpe": tpe,
}
CENTRED = "cobyqa-centre,cobyqa-centre-default,slsqp-centre,cma-lq-centre"


def optimum(problem):
    """COCO tells it through a file in the working directory only."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            problem._best_parameter("print")
            return problem(np.loadtxt("._bbob_problem_best_parameter.txt"))
        finally:
            os.chdir(before)


def deviation(problem, dim):
    """The median absolute deviation of the function's values over the box."""
    values = np.array([problem(x) for x in np.random.default_rng(1).uniform(-5, 5, (SPREAD_POINTS, dim))])
    return np.median(np.abs(values - np.median(values)))


def improvements(problem, optimizer, dim, budget, noise, seed):
    """Evaluations at which the best true gap improved, and that gap."""
    best, found, rng = optimum(problem), [], np.random.default_rng(seed)
    sd = noise * deviation(problem, dim) if noise else 0.0
    errors = np.random.default_rng(seed + 1)
    np.random.seed(seed % 2**32)
    evaluations = 0

    def objective(x):
        nonlocal evaluations
        if evaluations >= budget * dim:
            raise Spent
        evaluations += 1
        value = problem(np.clip(x, -5, 5))
        if not found or value - best < found[-1][1]:
            found.append((evaluations, max(value - best, 0.0)))
        return value + sd * errors.standard_normal()

    try:
        optimizer(objective, dim, rng)
    except Spent:
        pass
    return found


def run(task):
    import cocoex

    name, dim, function, instance, budget, noise = task
    warnings.filterwarnings("ignore")
    problem = cocoex.Suite("bbob", f"instances: {instance}", f"dimensions: {dim} function_indices: {function}")[0]
    started = time.process_time()
    found = improvements(problem, OPTIMIZERS[name], dim, budget, noise, 100 * function + instance)
    ms = 1e3 * (time.process_time() - started) / (budget * dim)
    gap = lambda at: [g for evaluation, g in found if evaluation <= math.ceil(at * dim)][-1]
    gaps = [f"{gap(at):.3e}" if at <= budget else "" for at in CHECKPOINTS]
    return [name, dim, function, instance, f"{area(found, dim):.5f}", *gaps, 0, 0, f"{ms:.2f}"]


def span(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dims", default="2,3,5,10")
    parser.add_argument("--functions", default="1-24", type=span)
    parser.add_argument("--instances", default="16-25", type=span)
    parser.add_argument("--optimizers", default=CENTRED)
    parser.add_argument("--budget", type=int, default=20, help="evaluations per dimension")
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no run after that long")
    arguments = parser.parse_args()
    if importlib.util.find_spec("cocoex") is None:
        sys.exit("bbob_peers.py needs the package coco-experiment")
    dims = sorted(map(int, arguments.dims.split(",")), reverse=True)
    tasks = [
        (name, dim, function, instance, arguments.budget, arguments.noise)
        for dim in dims
        for instance in arguments.instances
        for name in arguments.optimizers.split(",")
        for function in arguments.functions
    ]
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    end = time.monotonic() + arguments.seconds
    with multiprocessing.Pool(arguments.workers) as pool:
        running = pool.imap_unordered(run, tasks)
        try:
            for _ in tasks:
                writer.writerow(running.next(max(0.0, end - time.monotonic()) if math.isfinite(end) else None))
                sys.stdout.flush()
        except multiprocessing.TimeoutError:
            print("stopped: out of time", file=sys.stderr)
            pool.terminate()


if __name__ == "__main__":
    main()
