"""The tasks by name. Those of tuning were chosen before any optimizer was tuned on them; the held-out ones are looked at last."""

from fnmatch import fnmatch
from functools import cache

from . import objectives, outcome_constraints
from .base import Task

HELD_OUT = ("svm-kernels-cancer", "mlp-diabetes", "blend-friedman", "forest-clusters-noisy")
TUNING = (
    *("svm-digits", "svr-diabetes", "knn-digits", "forest-cancer", "boosting-friedman", "hist-boosting-cancer"),
    *("boosting-cancer-noisy", "forest-budget-diabetes", "mlp-digits", "mlp-layers-moons", "sgd-cancer", "family-clusters"),
    *("reduced-digits", "select-pca-svm-clusters", "pipeline20-clusters"),
)
PRUNING = ("linear-digits", "boosting-diabetes", "network-digits")
SUITES = {
    "quick": ("svm-digits", "sgd-cancer", "zdt1-d05", "linear-digits"),
    "tuning": TUNING,
    "held-out": HELD_OUT,
    "objectives": (*objectives.COCO, *objectives.SYNTHETIC, *objectives.MODELS),
    "outcome-constraints": outcome_constraints.NAMES,
    "pruning": PRUNING,
}
# In other dimensions, for tuning this project's methods.
_MORE = ("zdt1-d05", "zdt2-d05", "zdt3-d05", "dtlz2-d04", "dtlz7-d04")
NAMES = (*dict.fromkeys((*TUNING, *HELD_OUT, *SUITES["objectives"], *_MORE, *outcome_constraints.NAMES, *PRUNING)),)


@cache
def _tuning() -> dict[str, Task]:
    from . import estimators, pipelines

    return {task.name: task for module in (estimators, pipelines) for task in module.TASKS}


def get(name: str) -> Task:
    """The task of this name; the packages that it needs are imported now."""
    if name not in NAMES:
        raise ValueError(f"unknown task {name!r}; known are {', '.join(SUITES)} and their tasks, see `python -m bench tasks`")
    if name in outcome_constraints.NAMES:
        return outcome_constraints.get(name)
    if name in PRUNING:
        from . import pruning

        return pruning.get(name)
    if name in TUNING or name in HELD_OUT:
        return _tuning()[name]
    return objectives.get(name)


def group(name: str) -> str:
    """The group in whose table a task is reported; nothing is imported."""
    if name in objectives.COCO:
        return f"objectives, bbob-biobj, D = {int(name[-2:])}"
    suites = {"held-out": "tuning, held out", "objectives": "objectives, others"}
    found = next((suite for suite, names in SUITES.items() if suite != "quick" and name in names), "objectives")
    return suites.get(found, found)


def select(words: list[str]) -> list[str]:
    """Names of tasks by suite, name or pattern, such as `tuning`, `knn-digits` and `bbob-biobj-*-d05`."""
    found: dict[str, None] = {}
    for word in words:
        names = SUITES.get(word) or [name for name in NAMES if fnmatch(name, word)]
        if not names:
            raise ValueError(f"unknown task {word!r}; known are {', '.join(SUITES)} and their tasks, see `python -m bench tasks`")
        found.update(dict.fromkeys(names))
    return list(found)


__all__ = ["HELD_OUT", "NAMES", "SUITES", "Task", "get", "group", "select"]
