"""Importances of functions whose Sobol indices are known: by `neuralbo importance`, and by Optuna's fANOVA and PED-ANOVA.

    python scripts/importance_peers.py --neuralbo target/release/neuralbo --seeds 5 > results/.../importance.csv

Every method gets the same trials: uniform points, or those of an Optuna study that optimizes with its default sampler. One row a function, number of
trials, seed and parameter. fANOVA and PED-ANOVA add up to 1 over the parameters; so does `first_share`, the first-order index divided by
the sum of them. Needs optuna and scikit-learn.
"""

import argparse
import csv
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


def peer(study, evaluator):
    return timed(lambda: get_param_importances(study, evaluator=evaluator))


def rows(program, seeds, counts):
    for name, (function, first, total) in FUNCTIONS.items():
        dim = len(first)
        for how in ("uniform", "tpe"):
            for count in counts:
                for seed in range(seeds):
                    study = trials(function, dim, count, how, seed)
                    ours, explained, seconds = of_neuralbo(program, study, dim)
                    fanova, fanova_s = peer(study, FanovaImportanceEvaluator(seed=seed))
                    ped, ped_s = peer(study, PedAnovaImportanceEvaluator())
                    alone = sum(one["first"]["value"] for one in ours.values()) or 1.0
                    for i in range(dim):
                        one = ours[f"x{i}"]
                        yield {
                            "function": name, "trials": count, "how": how, "seed": seed, "parameter": f"x{i}",
                            "true_first": round(first[i], 4), "true_total": round(total[i], 4),
                            "first": round(one["first"]["value"], 4), "first_low": round(one["first"]["low"], 4),
                            "first_high": round(one["first"]["high"], 4),
                            "total": round(one["total"]["value"], 4), "total_low": round(one["total"]["low"], 4),
                            "total_high": round(one["total"]["high"], 4),
                            "first_share": round(one["first"]["value"] / alone, 4),
                            "true_first_share": round(first[i] / (sum(first) or 1.0), 4),
                            "fanova": round(fanova[f"x{i}"], 4), "ped_anova": round(ped[f"x{i}"], 4),
                            "explained": round(explained, 3), "seconds": round(seconds, 2),
                            "fanova_s": round(fanova_s, 2), "ped_s": round(ped_s, 3),
                        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neuralbo", required=True, help="the program")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trials", type=int, nargs="+", default=[50, 200])
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    writer = None
    for row in rows(arguments.neuralbo, arguments.seeds, arguments.trials):
        if writer is None:
            writer = csv.DictWriter(sys.stdout, row)
            writer.writeheader()
        writer.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
