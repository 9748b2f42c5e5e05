#!/usr/bin/env python3
"""Other optimizers on noisy functions with the random starts that the example `noisy_bench` gives to ours.

    cargo run --release -p neuralbo-lab --example noisy_bench -- --starts starts.csv --runs 1-10 --noise 0.1 --of sd \\
        --problems ackley-20,levy-20,michalewicz-20
    python3 scripts/synthetic_peers.py --starts starts.csv --at 500,2000 [--optimizers turbo,cma] [--batch 20] > runs.csv

The file of starts has, for every problem and run, the shared first points, what was observed there and the standard deviation of
the noise; the true values in it are compared with the functions here. One line a run, with the columns of `noisy_bench`: the best
true value of all evaluated points after so many evaluations. What peers do not tell (predictions, recommendations) is NaN.

turbo (TuRBO-1, see gp_peers.py) takes the shared points for its first design and asks for `--batch` points at a time, all runs of a
dimension in lockstep on the GPU if there is one; its trust region is around the best posterior mean, as the paper says for noise,
that of turbo-observed around the best observation. cma is pycma from the best shared observation with a first sigma of 0.2 of the
box (cma-0.1: 0.1), restarted at uniform points when it stops. random is uniform.
"""

import argparse
import csv
import gzip
import math
import multiprocessing
import os
import sys
import time
import warnings

import numpy as np


class Spent(Exception):
    """No evaluations are left."""


def ackley(x):
    return 20 * (1 - math.exp(-0.2 * math.sqrt(np.mean(x * x)))) + math.e - math.exp(np.mean(np.cos(2 * math.pi * x)))


def levy(x):
    w = 1 + (x - 1) / 4
    rest, last = w[:-1], w[-1]
    middle = np.sum((rest - 1) ** 2 * (1 + 10 * np.sin(math.pi * rest + 1) ** 2))
    return math.sin(math.pi * w[0]) ** 2 + middle + (last - 1) ** 2 * (1 + math.sin(2 * math.pi * last) ** 2)


def michalewicz(x):
    return -np.sum(np.sin(x) * np.sin(np.arange(1, len(x) + 1) * x * x / math.pi) ** 20)


FUNCTIONS = {"ackley": (ackley, -32.768, 32.768), "levy": (levy, -10.0, 10.0), "michalewicz": (michalewicz, 0.0, math.pi)}


class Run:
    """One problem with its noise over the unit cube: the shared points are evaluated, the others are counted."""

    def __init__(self, problem, number, rows, evaluations):
        self.problem, self.number = problem, number
        self.function, self.low, self.high = FUNCTIONS[problem.split("-")[0]]
        self.sd = float(rows[0]["sd"])
        points = np.array([[float(x) for x in row["x"].split()] for row in rows])
        self.design = (points - self.low) / (self.high - self.low)
        self.observed = np.array([float(row["observed"]) for row in rows])
        self.values = [self.function(x) for x in points]
        told = [float(row["value"]) for row in rows]
        if not np.allclose(self.values, told, rtol=1e-9, atol=1e-9):
            raise ValueError(f"{problem}: the values of the starts are not those of this function")
        self.left = evaluations - len(rows)
        self.errors = np.random.default_rng([number, 1])

    @property
    def dim(self):
        return self.design.shape[1]

    def __call__(self, u):
        if not self.left:
            raise Spent
        self.left -= 1
        self.values.append(self.function(self.low + (self.high - self.low) * np.clip(u, 0, 1)))
        return self.values[-1] + self.sd * self.errors.standard_normal()


class Started:
    """A run for an optimizer that asks for the shared points itself: it gets what was observed there."""

    def __init__(self, run):
        self.run, self.known = run, list(run.observed)

    @property
    def left(self):
        return len(self.known) + self.run.left

    def __call__(self, u):
        return self.known.pop(0) if self.known else self.run(u)


def turbo(runs, batch, observed):
    import gp_peers
    import torch

    torch.set_num_threads(1)
    seeds = [run.number for run in runs]
    optimizer = gp_peers.Turbo([run.design for run in runs], seeds, batch, observed)
    gp_peers.lockstep(optimizer, [Started(run) for run in runs])


def cma_es(sigma):
    def run(objective):
        import cma

        rng = np.random.default_rng([objective.number, 2])
        start = objective.design[np.argmin(objective.observed)]
        while True:
            options = {"bounds": [0, 1], "verbose": -9, "seed": int(rng.integers(1, 2**31))}
            cma.fmin2(objective, start, sigma, options=options)
            start = rng.uniform(size=objective.dim)

    return run


def uniform(run):
    rng = np.random.default_rng([run.number, 2])
    while True:
        run(rng.uniform(size=run.dim))


LOCKSTEP = {"turbo": False, "turbo-observed": True}
SINGLE = {"cma": cma_es(0.2), "cma-0.1": cma_es(0.1), "random": uniform}


def spend(name, runs, batch):
    if name in LOCKSTEP:
        return turbo(runs, batch, LOCKSTEP[name])
    for run in runs:
        try:
            SINGLE[name](run)
        except Spent:
            pass


def rows(task):
    name, starts, at, batch = task
    warnings.filterwarnings("ignore")
    runs = [Run(problem, number, found, max(at)) for (problem, number), found in starts]
    began = time.process_time()
    spend(name, runs, batch)
    ms = 1e3 * (time.process_time() - began) / sum(len(run.values) - len(run.design) for run in runs)
    best = lambda run: [f"{min(run.values[:evaluations]):.4f}" for evaluations in at]
    return [[name, run.problem, run.number, *best(run), *["NaN"] * 4, f"{ms:.2f}"] for run in runs]


def shared_starts(paths):
    """(problem, run) -> its lines."""
    found = {}
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["problem"], int(row["run"])), []).append(row)
    return found


def dim(start):
    return int(start[0][0].rsplit("-", 1)[1])


def tasks(arguments, starts):
    """Of turbo all runs of a dimension at once, of the others one by one; the most dimensions first."""
    found = []
    for name in arguments.optimizers.split(","):
        for of in sorted({dim(start) for start in starts}, reverse=True):
            same = [start for start in starts if dim(start) == of]
            size = arguments.group if name in LOCKSTEP else 1
            found += [(name, same[first : first + size], arguments.at, arguments.batch) for first in range(0, len(same), size)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--starts", nargs="+", required=True, help="from noisy_bench, plain or .gz")
    parser.add_argument("--at", default=[200], type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--optimizers", default="turbo,cma,cma-0.1,random")
    parser.add_argument("--problems", help="of the file these alone")
    parser.add_argument("--batch", type=int, default=5, help="points that turbo asks for at a time")
    parser.add_argument("--group", type=int, default=240, help="runs of turbo in lockstep")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after that long, with the runs that have ended")
    arguments = parser.parse_args()
    wanted = arguments.problems and arguments.problems.split(",")
    starts = [start for start in shared_starts(arguments.starts).items() if not wanted or start[0][0] in wanted]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    best = [f"best_{evaluations}" for evaluations in arguments.at]
    writer.writerow(["method", "problem", "run", *best, "z", "inside90", "recommended", "recommended_z", "ms"])
    end = time.monotonic() + arguments.seconds
    work = tasks(arguments, starts)
    with multiprocessing.Pool(arguments.workers) as pool:
        running = pool.imap_unordered(rows, work)
        try:
            for _ in work:
                writer.writerows(running.next(max(0.0, end - time.monotonic()) if math.isfinite(end) else None))
                sys.stdout.flush()
        except multiprocessing.TimeoutError:
            print("stopped: out of time", file=sys.stderr)
            pool.terminate()


if __name__ == "__main__":
    main()
