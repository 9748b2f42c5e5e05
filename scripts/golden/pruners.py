"""Golden decisions of Optuna's pruners (crates/neuralbo/src/record/pruner): `python scripts/golden/pruners.py`, with optuna.

Trials run one after the other and report random learning curves at every step from 1 on; each entry of `stopped` is the step at
which a trial was pruned, or null.
"""

import json
import math
import random
from pathlib import Path

import optuna

TARGET = Path(__file__).resolve().parents[2] / "crates/neuralbo/tests/data/pruners.json"
STEPS, TRIALS = 12, 40

PRUNERS = {
    "median": lambda: optuna.pruners.MedianPruner(n_startup_trials=0, n_min_trials=4),
    "median:warmup=4,after=1": lambda: optuna.pruners.MedianPruner(n_startup_trials=0, n_warmup_steps=4, n_min_trials=1),
    "percentile:25,after=2": lambda: optuna.pruners.PercentilePruner(25.0, n_startup_trials=0, n_min_trials=2),
    "percentile:80": lambda: optuna.pruners.PercentilePruner(80.0, n_startup_trials=0, n_min_trials=4),
    "asha:min=1,factor=3": lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3),
    "asha:min=2,factor=2": lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=2, reduction_factor=2),
    "asha:min=1,factor=4": lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=4),
}


def curve(rng: random.Random) -> list[float]:
    """A loss that falls towards an asymptote, with noise; in steps of 0.01, so that values tie."""
    end, start, rate = rng.random(), 1 + rng.random(), rng.uniform(0.1, 1.0)
    noisy = (end + (start - end) * math.exp(-rate * step) + 0.03 * rng.gauss(0, 1) for step in range(1, STEPS + 1))
    return [round(value, 2) for value in noisy]


def case(text: str, direction: str, rng: random.Random) -> dict[str, object]:
    sign = 1 if direction == "minimize" else -1
    study = optuna.create_study(direction=direction, pruner=PRUNERS[text]())
    curves, stopped = [[sign * value for value in curve(rng)] for _ in range(TRIALS)], []
    for values in curves:
        trial, end = study.ask(), None
        for step, value in enumerate(values, 1):
            trial.report(value, step)
            if trial.should_prune():
                end = step
                break
        study.tell(trial, values[-1] if end is None else None, state=None if end is None else optuna.trial.TrialState.PRUNED)
        stopped.append(end)
    return {"pruner": text, "direction": direction, "curves": curves, "stopped": stopped}


optuna.logging.set_verbosity(optuna.logging.ERROR)
rng = random.Random(15)
cases = [case(text, direction, rng) for text in PRUNERS for direction in ("minimize", "maximize")]
for one in cases:
    print(one["pruner"], one["direction"], sum(step is not None for step in one["stopped"]), "of", TRIALS, "stopped")
TARGET.write_text(json.dumps({"optuna": optuna.__version__, "cases": cases}, separators=(",", ":")) + "\n")
