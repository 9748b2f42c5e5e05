#!/usr/bin/env python3
"""Other optimizers on COCO's BBOB functions, started at the centre of the box where they take a start.

    python3 scripts/bbob_peers.py --dims 2,5 --instances 16-25 [--optimizers cobyqa-centre,tpe] [--budget 20] [--noise 0.01] > runs.csv

Local optimizers are started anew at uniform points once they stop. One line a run, with the columns of the example `bbob_bench`:
the area under the ECDF of targets, the best gap after so many evaluations per dimension, and CPU milliseconds per evaluation.
With `--noise` every value has a normal error, its standard deviation this share of the median absolute deviation of the
function's values over the box; gaps are those of the true values. Needs coco-experiment, and SciPy (cobyqa, slsqp), cma, optuna
(tpe, optuna-gp) or BoTorch (turbo, qlognei).

turbo (TuRBO-1) starts with 2·D points and qlognei with 2·D + 1, the centre and scrambled Sobol points; both then ask for `--batch`
points at a time. They take the runs of a dimension in lockstep (see gp_peers.py), up to `--group` of them in a process that uses
the GPU if there is one; the milliseconds of a group are spread evenly over its evaluations.
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


def cma_options():
    """cma would take its seed from the clock; here it comes from the run's."""
    return {"bounds": [-5, 5], "verbose": -9, "seed": np.random.randint(1, 2**31)}


@restarted
def lq_cma(objective, start, _dim):
    import cma

    cma.fmin_lq_surr2(objective, start, 2.0, options=cma_options())


@restarted
def cma_es(objective, start, _dim):
    import cma

    cma.fmin2(objective, start, 2.0, options=cma_options())


def optuna_study(sampler, **options):
    def run(objective, dim, rng):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.create_study(sampler=getattr(optuna.samplers, sampler)(seed=int(rng.integers(2**31)), **options))
        study.enqueue_trial({f"x{i}": 0.0 for i in range(dim)})
        study.optimize(lambda trial: objective([trial.suggest_float(f"x{i}", -5, 5) for i in range(dim)]))

    return run


def turbo(runs, dim, seeds, batch):
    import gp_peers

    designs = [gp_peers.centred_design(2 * dim, dim, seed) for seed in seeds]
    gp_peers.lockstep(gp_peers.Turbo(designs, seeds, batch), runs)


def qlognei(runs, dim, seeds, batch):
    import gp_peers

    designs = [gp_peers.centred_design(2 * dim + 1, dim, seed) for seed in seeds]
    gp_peers.lockstep(gp_peers.LogNei(designs, seeds, batch), runs)


OPTIMIZERS = {
    "cobyqa-centre": scipy_minimize("COBYQA", initial_tr_radius=2.0),
    "cobyqa-centre-default": scipy_minimize("COBYQA"),
    "slsqp-centre": scipy_minimize("SLSQP"),
    "cma-lq-centre": lq_cma,
    "cma-centre": cma_es,
    "tpe": optuna_study("TPESampler", multivariate=True),
    "optuna-gp": optuna_study("GPSampler"),
}
LOCKSTEP = {"turbo": turbo, "qlognei": qlognei}
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


class Run:
    """The objective of one run: counts, adds noise, and keeps the evaluations at which the best true gap improved."""

    def __init__(self, problem, dim, budget, noise, seed):
        self.problem, self.left, self.evaluations = problem, budget * dim, 0
        self.best, self.found = optimum(problem), []
        self.sd = noise * deviation(problem, dim) if noise else 0.0
        self.errors = np.random.default_rng(seed + 1)

    def __call__(self, x):
        if not self.left:
            raise Spent
        self.left, self.evaluations = self.left - 1, self.evaluations + 1
        value = self.problem(np.clip(x, -5, 5))
        if not self.found or value - self.best < self.found[-1][1]:
            self.found.append((self.evaluations, max(value - self.best, 0.0)))
        return value + self.sd * self.errors.standard_normal()


class OfUnitCube:
    """A run whose box is the unit cube."""

    def __init__(self, run):
        self.run = run

    @property
    def left(self):
        return self.run.left

    def __call__(self, u):
        return self.run(10 * u - 5)


def spend(name, runs, dim, seeds, batch):
    if name in LOCKSTEP:
        import torch

        torch.set_num_threads(1)
        return LOCKSTEP[name]([OfUnitCube(run) for run in runs], dim, seeds, batch)
    for run, seed in zip(runs, seeds):
        np.random.seed(seed % 2**32)
        try:
            OPTIMIZERS[name](run, dim, np.random.default_rng(seed))
        except Spent:
            pass


def rows(task):
    import cocoex

    name, dim, problems, budget, noise, batch = task
    warnings.filterwarnings("ignore")
    suites = [cocoex.Suite("bbob", f"instances: {i}", f"dimensions: {dim} function_indices: {f}") for f, i in problems]
    seeds = [100 * function + instance for function, instance in problems]
    runs = [Run(suite[0], dim, budget, noise, seed) for suite, seed in zip(suites, seeds)]
    started = time.process_time()
    spend(name, runs, dim, seeds, batch)
    ms = 1e3 * (time.process_time() - started) / (budget * dim * len(runs))
    return [row(name, dim, problem, run.found, budget, ms) for problem, run in zip(problems, runs)]


def row(name, dim, problem, found, budget, ms):
    gap = lambda at: [g for evaluation, g in found if evaluation <= math.ceil(at * dim)][-1]
    gaps = [f"{gap(at):.3e}" if at <= budget else "" for at in CHECKPOINTS]
    return [name, dim, *problem, f"{area(found, dim):.5f}", *gaps, 0, 0, f"{ms:.2f}"]


def span(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def tasks(arguments):
    """The longest first, then an instance after the other; of an optimizer in lockstep many runs at once."""
    problems = [(function, instance) for instance in arguments.instances for function in arguments.functions]
    found = []
    for name in arguments.optimizers.split(","):
        size = arguments.group if name in LOCKSTEP else 1
        parts = [problems[first : first + size] for first in range(0, len(problems), size)]
        for dim in map(int, arguments.dims.split(",")):
            found += [(name, dim, part, arguments.budget, arguments.noise, arguments.batch) for part in parts]
    return sorted(found, key=lambda task: (-task[1], task[2][0][1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dims", default="2,3,5,10")
    parser.add_argument("--functions", default="1-24", type=span)
    parser.add_argument("--instances", default="16-25", type=span)
    parser.add_argument("--optimizers", default=CENTRED)
    parser.add_argument("--budget", type=int, default=20, help="evaluations per dimension")
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--batch", type=int, default=1, help="points that turbo and qlognei ask for at a time")
    parser.add_argument("--group", type=int, default=240, help="runs of turbo and qlognei in lockstep")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after that long, with the runs that have ended")
    arguments = parser.parse_args()
    if importlib.util.find_spec("cocoex") is None:
        sys.exit("bbob_peers.py needs the package coco-experiment")
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    end = time.monotonic() + arguments.seconds
    wanted = tasks(arguments)
    with multiprocessing.Pool(arguments.workers) as pool:
        running = pool.imap_unordered(rows, wanted)
        try:
            for _ in wanted:
                writer.writerows(running.next(max(0.0, end - time.monotonic()) if math.isfinite(end) else None))
                sys.stdout.flush()
        except multiprocessing.TimeoutError:
            print("stopped: out of time", file=sys.stderr)
            pool.terminate()


if __name__ == "__main__":
    main()
