"""Importances of functions whose Sobol indices are known: by `neuralbo importance`, and by Optuna's fANOVA and PED-ANOVA.

    python -m bench.importance --neuralbo target/release/neuralbo --seeds 5 > importance.csv

Every method gets the same trials: uniform points, or those of an Optuna study that optimizes with its default sampler. One row per
function, number of trials, seed and parameter. fANOVA and PED-ANOVA add up to 1 over the parameters; so does `first_share`, the
first-order index divided by their sum. Needs optuna and scikit-learn.
"""

import argparse
import csv
import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import optuna
from optuna.importance import FanovaImportanceEvaluator, PedAnovaImportanceEvaluator, get_param_importances


def ishigami(u):
    x = [math.pi * (2 * one - 1) for one in u]
    return math.sin(x[0]) + 7 * math.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * math.sin(x[0])


def additive(u):
    return sum(weight * one for weight, one in zip((4, 3, 2, 1, 0), u))


def product(u):
    return (u[0] - 0.5) * (u[1] - 0.5) + 0.0 * u[2]


def friedman(u):
    return 10 * math.sin(math.pi * u[0] * u[1]) + 20 * (u[2] - 0.5) ** 2 + 10 * u[3] + 5 * u[4]


# Truth: first order and total; those of Friedman's by quadrature.
FUNCTIONS = {
    "ishigami": (ishigami, (0.3139, 0.4424, 0.0), (0.5576, 0.4424, 0.2437)),
    "additive": (additive, (16 / 30, 9 / 30, 4 / 30, 1 / 30, 0.0), (16 / 30, 9 / 30, 4 / 30, 1 / 30, 0.0)),
    "product": (product, (0.0, 0.0, 0.0), (1.0, 1.0, 0.0)),
    "friedman8": (
        friedman,
        (0.1973, 0.1973, 0.0933, 0.3498, 0.0874, 0.0, 0.0, 0.0),
        (0.2722, 0.2722, 0.0933, 0.3498, 0.0874, 0.0, 0.0, 0.0),
    ),
}


def trials(function, dim, count, how, seed):
    """An Optuna study with these trials."""
    sampler = optuna.samplers.RandomSampler(seed=seed) if how == "uniform" else optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: function([trial.suggest_float(f"x{i}", 0, 1) for i in range(dim)]), n_trials=count)
    return study


def timed(work):
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def of_neuralbo(program, study, dim):
    """The answer for the same trials."""
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder) / "known.csv"
        with known.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([f"x{i}" for i in range(dim)] + ["value"])
            for trial in study.trials:
                writer.writerow([repr(trial.params[f"x{i}"]) for i in range(dim)] + [repr(trial.value)])
        storage = ["--storage", str(Path(folder) / "study.db")]
        params = [part for i in range(dim) for part in ("--param", f"x{i}=float(0,1)")]
        subprocess.run([program, "run", "--study", "s", *storage, *params, "--known", known], check=True, capture_output=True)
        (done, seconds) = timed(
            lambda: subprocess.run([program, "importance", "s", *storage, "--json"], check=True, capture_output=True)
        )
        found = json.loads(done.stdout)["whole"]
        return {one["name"]: one for one in found["parameters"]}, found["explained"], seconds


def rows(program, function, how, count, seed):
    """One dictionary per parameter of a function."""
    objective, first, total = FUNCTIONS[function]
    study = trials(objective, len(first), count, how, seed)
    ours, explained, seconds = of_neuralbo(program, study, len(first))
    evaluators = {"fanova": FanovaImportanceEvaluator(seed=seed), "ped": PedAnovaImportanceEvaluator()}
    peers = {name: timed(lambda: get_param_importances(study, evaluator=evaluator)) for name, evaluator in evaluators.items()}
    alone = sum(one["first"]["value"] for one in ours.values()) or 1.0
    for i, name in enumerate(f"x{i}" for i in range(len(first))):
        one = ours[name]
        estimates = {f"{order}_{end}": one[order][end] for order in ("first", "total") for end in ("value", "low", "high")}
        shares = {"first_share": one["first"]["value"] / alone, "true_first_share": first[i] / (sum(first) or 1.0)}
        theirs = {peer: found[name] for peer, (found, _) in peers.items()} | {f"{peer}_s": spent for peer, (_, spent) in peers.items()}
        figures = {"true_first": first[i], "true_total": total[i], **estimates, **shares, **theirs, "explained": explained, "seconds": seconds}
        yield {"function": function, "trials": count, "how": how, "seed": seed, "parameter": name} | {
            key: round(value, 4) for key, value in figures.items()
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neuralbo", required=True, help="the program")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trials", type=int, nargs="+", default=[50, 200])
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    cases = itertools.product(FUNCTIONS, ("uniform", "tpe"), arguments.trials, range(arguments.seeds))
    writer = None
    for row in (row for case in cases for row in rows(arguments.neuralbo, *case)):
        if writer is None:
            writer = csv.DictWriter(sys.stdout, row)
            writer.writeheader()
        writer.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
