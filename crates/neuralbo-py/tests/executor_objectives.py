"""What the executors' tests evaluate: processes import it, so it has a module of its own."""

import os
import threading
from typing import Any


def parabola(x: Any) -> float:
    return float((x[0] - 1) ** 2)


def named(params: Any) -> float:
    return float((params["a"] - 0.3) ** 2)


def branches(trial: Any) -> float:
    x = trial.suggest_float("x", -5, 5)
    offset = trial.suggest_int("n", 1, 4) if trial.suggest_categorical("kind", ["a", "b"]) == "a" else 0
    trial.report(x, 3)
    trial.set_user_attr("process", os.getpid())
    trial.set_user_attr("thread", threading.get_ident())
    return float((x - 1) ** 2 + offset)


def looks(trial: Any) -> float:
    return float(trial.params["x"] ** 2)


def fails(trial: Any) -> float:
    raise ZeroDivisionError(f"at {trial.suggest_float('x', 0, 1)}")


def wants_everything(trial: Any) -> float:
    try:
        return float(trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1))
    except Exception:  # must not catch the question for a new parameter
        return 7.0
