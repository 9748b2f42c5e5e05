"""Methods on the problems with outcome constraints: ours by the command line, random search, SciPy's COBYLA and COBYQA, Optuna's TPE and
GP sampler.

    python scripts/bench/outcomes.py run --methods random,cobyla,cobyqa,tpe,gp --seeds 1-10 --budget 100 --workers 8 --out runs.csv
    python scripts/bench/outcomes.py run --methods neuralbo --binary target/release/neuralbo --workers 8 --out runs.csv
    python scripts/bench/outcomes.py report runs.csv

A run that is in the file already is not repeated. COBYLA and COBYQA begin at the centre and, when they have converged, again at random
points until the budget is spent; every evaluation counts once. A peer's trial counts as feasible when each slack is at least −1e−6
of its median size over the box: local methods end on the border up to rounding. Ours must keep every limit exactly. Needs scipy and
optuna (and torch for `gp`).
"""

import argparse
import csv
import math
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from outcome_problems import PROBLEMS  # noqa: E402

CHECKPOINTS = [5, 10, 20, 50, 100]
FIELDS = ["method", "problem", "dim", "seed", "first_feasible"] + [f"gap{c}" for c in CHECKPOINTS] + ["seconds"]
TOLERANCE = 1e-6
REACHED = 0.01


class Spent(Exception):
    """The budget is spent."""


class Evaluations:
    """Counts evaluations of points of the unit cube and keeps the best feasible value."""

    def __init__(self, problem, budget, free_repeats=False):
        self.problem, self.budget, self.count, self.free_repeats = problem, budget, 0, free_repeats
        self.best, self.first, self.gaps, self.known = math.inf, "", {}, {}
        draw = random.Random(0)
        rows = [problem.slacks(self.point([draw.random() for _ in problem.bounds])) for _ in range(1001)]
        self.units = [statistics.median(abs(row[j]) for row in rows) or 1.0 for j in range(len(rows[0]))]

    def point(self, u):
        return [low + (high - low) * min(max(float(x), 0.0), 1.0) for x, (low, high) in zip(u, self.problem.bounds)]

    def __call__(self, u):
        key = tuple(float(x) for x in u)
        # SciPy asks for value and constraints one after the other, COBYQA also for those of earlier points: that costs nothing.
        if self.free_repeats and key in self.known:
            return self.known[key]
        if self.count >= self.budget:
            raise Spent
        x = self.point(u)
        value, slacks = self.problem.value(x), self.problem.slacks(x)
        if all(slack >= -TOLERANCE * unit for slack, unit in zip(slacks, self.units)):
            self.first = self.count if self.first == "" else self.first
            self.best = min(self.best, value)
        self.count += 1
        per_dim, rest = divmod(self.count, self.problem.dim)
        if rest == 0 and per_dim in CHECKPOINTS:
            self.gaps[per_dim] = (self.best - self.problem.best) / abs(self.problem.best)
        scaled = [slack / unit for slack, unit in zip(slacks, self.units)]
        self.known[key] = (value, scaled)
        return value, scaled


def run_random(evaluate, seed):
    draw = random.Random(seed)
    while True:
        evaluate([draw.random() for _ in evaluate.problem.bounds])


def run_scipy(evaluate, seed, method, options):
    import numpy as np
    from scipy.optimize import Bounds, NonlinearConstraint, minimize

    draw, dim = random.Random(seed), evaluate.problem.dim
    scale = abs(evaluate.problem.best)
    start = [0.5] * dim
    while True:
        limits = NonlinearConstraint(lambda u: np.array(evaluate(u)[1]), 0.0, np.inf)
        minimize(lambda u: evaluate(u)[0] / scale, start, method=method, bounds=Bounds([0.0] * dim, [1.0] * dim),
                 constraints=[limits], options=options)
        start = [draw.random() for _ in range(dim)]


def run_cobyla(evaluate, seed):
    run_scipy(evaluate, seed, "COBYLA", {"rhobeg": 0.25, "tol": 1e-6, "maxiter": evaluate.budget + 1})


def run_cobyqa(evaluate, seed):
    run_scipy(evaluate, seed, "COBYQA", {"initial_tr_radius": 0.25, "final_tr_radius": 1e-6, "maxfev": evaluate.budget + 1})


def run_optuna(evaluate, sampler):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler)

    def objective(trial):
        value, slacks = evaluate([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(evaluate.problem.dim)])
        trial.set_user_attr("constraints", [-slack for slack in slacks])
        return value

    study.optimize(objective, n_trials=evaluate.budget)
    raise Spent


def constraints(trial):
    return trial.user_attrs["constraints"]


def run_tpe(evaluate, seed):
    import optuna

    run_optuna(evaluate, optuna.samplers.TPESampler(seed=seed, constraints_func=constraints))


def run_gp(evaluate, seed):
    import optuna

    run_optuna(evaluate, optuna.samplers.GPSampler(seed=seed, constraints_func=constraints))


def run_neuralbo(task):
    """The command line on the lab's own problem, on one thread."""
    _, name, seed, budget, binary = task
    problem = PROBLEMS[name]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        command = [binary, "run", "--function", name, "--seed", str(seed), "--trials", str(budget * problem.dim), "--trace", str(trace)]
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = sorted(csv.DictReader(trace.open()), key=lambda row: int(row["number"]))
    best, first, gaps = math.inf, "", {}
    for count, row in enumerate(rows, 1):
        if row["feasible"] == "true":
            first = count - 1 if first == "" else first
            best = min(best, float(row["value"]))
        per_dim, rest = divmod(count, problem.dim)
        if rest == 0 and per_dim in CHECKPOINTS:
            gaps[per_dim] = (best - problem.best) / abs(problem.best)
    seconds = sum(float(row["suggest_ms"] or 0) for row in rows) / 1000
    return line("neuralbo", problem, seed, first, gaps, seconds)


def line(method, problem, seed, first, gaps, seconds):
    shown = [f"{gaps[c]:.3e}" if c in gaps else "" for c in CHECKPOINTS]
    return [method, problem.name, problem.dim, seed, first, *shown, f"{seconds:.1f}"]


METHODS = {
    "random": run_random, "cobyla": run_cobyla, "cobyqa": run_cobyqa,
    "tpe": run_tpe, "gp": run_gp,
}


def one_run(task):
    method, name, seed, budget, _ = task
    if method == "neuralbo":
        return run_neuralbo(task)
    warnings.simplefilter("ignore")
    evaluate = Evaluations(PROBLEMS[name], budget * PROBLEMS[name].dim, method in ("cobyla", "cobyqa"))
    start = time.perf_counter()
    try:
        METHODS[method](evaluate, seed)
    except Spent:
        pass
    return line(method, evaluate.problem, seed, evaluate.first, evaluate.gaps, time.perf_counter() - start)


def run(arguments):
    out = Path(arguments.out)
    if not out.exists():
        out.write_text(",".join(FIELDS) + "\n")
    done = {(row["method"], row["problem"], row["seed"]) for row in csv.DictReader(out.open())}
    first, last = map(int, arguments.seeds.split("-"))
    names = arguments.problems.split(",") if arguments.problems else list(PROBLEMS)
    tasks = [(method, name, seed, arguments.budget, arguments.binary) for seed in range(first, last + 1)
             for method in arguments.methods.split(",") for name in names if (method, name, str(seed)) not in done]
    end = time.monotonic() + arguments.limit
    with multiprocessing.Pool(arguments.workers) as pool, out.open("a") as file:
        results = pool.imap_unordered(one_run, tasks)
        for _ in tasks:
            try:
                file.write(",".join(map(str, results.next(timeout=max(0.1, end - time.monotonic())))) + "\n")
                file.flush()
            except multiprocessing.TimeoutError:
                print(f"{arguments.methods}: stopped at the limit")
                pool.terminate()
                return


def shown(gap):
    return "–" if gap == "" else "none" if math.isinf(float(gap)) else f"{float(gap):.1e}"


def report(arguments):
    # The same run with a larger budget takes the place of a shorter one.
    longest = {}
    for row in (row for path in arguments.files for row in csv.DictReader(open(path))):
        key = (row["method"], row["problem"], row["seed"])
        if key not in longest or row["gap100"]:
            longest[key] = row
    rows = list(longest.values())
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for checkpoint in ("gap20", "gap100"):
        print(f"\n{checkpoint[3:]}·D: seeds within 1 % of the best feasible value / seeds, and the median relative gap\n")
        print("| problem | " + " | ".join(methods) + " |\n| --- |" + " --- |" * len(methods))
        totals = {method: [] for method in methods}
        for name in PROBLEMS:
            cells = [cell(rows, method, name, checkpoint, totals) for method in methods]
            print(f"| {name} (D = {PROBLEMS[name].dim}) | " + " | ".join(cells) + " |")
        shares = [f"{100 * statistics.mean(totals[m]):.0f} % of {len(totals[m])} problems" if totals[m] else "–" for m in methods]
        print("| mean share | " + " | ".join(shares) + " |")


def cell(rows, method, name, checkpoint, totals):
    gaps = [float(row[checkpoint]) for row in rows if (row["method"], row["problem"]) == (method, name) and row[checkpoint]]
    if not gaps:
        return "–"
    reached = sum(gap <= REACHED for gap in gaps)
    totals[method].append(reached / len(gaps))
    return f"{reached}/{len(gaps)}, {shown(str(statistics.median(gaps)))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--methods", default="random,cobyla,cobyqa,tpe")
    runner.add_argument("--problems", default="")
    runner.add_argument("--seeds", default="1-10")
    runner.add_argument("--budget", type=int, default=100, help="evaluations per dimension")
    runner.add_argument("--workers", type=int, default=1)
    runner.add_argument("--limit", type=float, default=1e9, help="seconds after which no more results are waited for")
    runner.add_argument("--binary", default="target/release/neuralbo", help="the program of the method neuralbo")
    runner.add_argument("--out", required=True)
    runner.set_defaults(action=run)
    reporter = commands.add_parser("report")
    reporter.add_argument("files", nargs="+")
    reporter.set_defaults(action=report)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
