"""The optimizers by name. A package is imported when its optimizer is made."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from .base import Optimizer, Task

# name: (this package's module, what makes it, the packages it needs)
_MAKERS = {
    "neuralbo": ("neuralbo", "Neuralbo", ("neuralbo",)),
    "nsga2": ("neuralbo", "nsga2", ("neuralbo",)),
    "random": ("plain", "Random", ()),
    "sobol": ("plain", "Sobol", ("scipy",)),
    "optuna-nsga2": ("optuna", "nsga2", ("optuna",)),
    "optuna-nsga2-small": ("optuna", "nsga2_small", ("optuna",)),
    "tpe": ("optuna", "tpe", ("optuna",)),
    "tpe-multivariate": ("optuna", "tpe_multivariate", ("optuna",)),
    "optuna-gp": ("optuna", "gp", ("optuna", "torch")),
    "pymoo-nsga2": ("pymoo", "nsga2", ("pymoo",)),
    "pymoo-nsga2-small": ("pymoo", "nsga2_small", ("pymoo",)),
    "qlognehvi": ("botorch", "QLogNehvi", ("botorch", "torch")),
}
NAMES = tuple(_MAKERS)
# Peers that need a large part of a second, or more, for one suggestion: they run on fewer problems.
SLOW = ("optuna-gp", "qlognehvi")


def installed() -> list[str]:
    """The optimizers whose packages are here."""
    return [name for name, (_, _, packages) in _MAKERS.items() if all(find_spec(package) for package in packages)]


def make(name: str, task: Task) -> Optimizer:
    """An optimizer that proposes the same points for the same seed and objectives."""
    if name not in _MAKERS:
        raise ValueError(f"unknown optimizer {name!r}; known are {', '.join(NAMES)}")
    module, maker, _ = _MAKERS[name]
    return getattr(import_module(f"{__name__}.{module}"), maker)(task)
