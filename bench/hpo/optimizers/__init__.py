"""The optimizers by name, each with its own defaults. A package is imported when its optimizer is made."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from ..space import Space
from .base import Optimizer

# name: (this package's module, what makes it, the packages it needs)
_MAKERS = {
    "neuralbo": ("neuralbo", "Neuralbo", ("neuralbo",)),
    "gp-ei": ("neuralbo", "gp_ei", ("neuralbo",)),
    "tpe": ("optuna", "tpe", ("optuna",)),
    "tpe-multivariate": ("optuna", "tpe_multivariate", ("optuna",)),
    "optuna-gp": ("optuna", "gp", ("optuna", "torch")),
    "smac": ("smac", "Smac", ("smac", "ConfigSpace")),
    "hebo": ("hebo", "Hebo", ("hebo", "torch")),
    "random": ("random", "Random", ()),
}
NAMES = tuple(_MAKERS)


def installed() -> list[str]:
    """The optimizers whose packages are here."""
    return [name for name, (_, _, packages) in _MAKERS.items() if all(find_spec(package) for package in packages)]


def make(name: str, space: Space, seed: int, trials: int) -> Optimizer:
    """An optimizer for `trials` trials; it proposes the same points for the same seed and losses."""
    if name not in _MAKERS:
        raise ValueError(f"unknown optimizer {name!r}; known are {', '.join(NAMES)}")
    module, maker, _ = _MAKERS[name]
    return getattr(import_module(f"{__name__}.{module}"), maker)(space, seed, trials)
