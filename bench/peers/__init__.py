"""The peers by name, each with its own defaults. A package is imported when its peer is built."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .base import Outcome, Peer, Start


@dataclass(frozen=True)
class Entry:
    """The module and function that build a peer, the packages it needs, what it takes, and options of the function.

    `takes`: `mixed` spaces (categories, conditions, constraints on parameters), several `objectives`, outcome constraints
    (`outcome_constraints`), and points that are `known` at the start.
    """

    module: str
    maker: str
    packages: tuple[str, ...]
    takes: frozenset[str]
    slow: bool
    options: dict[str, Any]


def _entry(path: str, packages: str, takes: str, slow: bool = False, **options: Any) -> Entry:
    module, maker = path.split(".")
    return Entry(module, maker, tuple(packages.split()), frozenset(takes.split()), slow, options)


PEERS = {
    "neuralbo": _entry("neuralbo.Neuralbo", "neuralbo", "mixed objectives outcome_constraints known"),
    "gp-ei": _entry("neuralbo.Neuralbo", "neuralbo", "mixed known", method="gp-ei"),
    "nsga2": _entry("neuralbo.Neuralbo", "neuralbo", "mixed objectives known", method="nsga2"),
    "random": _entry("designs.Random", "numpy", "mixed objectives outcome_constraints known"),
    "sobol": _entry("designs.Sobol", "scipy", "mixed objectives outcome_constraints known"),
    "tpe": _entry("optuna.tpe", "optuna", "mixed objectives outcome_constraints known"),
    "tpe-multivariate": _entry("optuna.tpe_multivariate", "optuna", "mixed objectives outcome_constraints known"),
    "optuna-nsga2": _entry("optuna.nsga2", "optuna", "objectives outcome_constraints known"),
    "optuna-gp": _entry("optuna.gp", "optuna torch", "mixed objectives outcome_constraints known", slow=True),
    "cobyqa": _entry("scipy.cobyqa", "scipy", "outcome_constraints known"),
    "cobyqa-default": _entry("scipy.cobyqa_default", "scipy", "outcome_constraints known"),
    "cobyla": _entry("scipy.cobyla", "scipy", "outcome_constraints known"),
    "slsqp": _entry("scipy.slsqp", "scipy", "known"),
    "cma": _entry("cma.cma_es", "cma", "known"),
    "cma-lq": _entry("cma.lq_cma_es", "cma", "known"),
    "pymoo-nsga2": _entry("pymoo.Nsga2", "pymoo", "objectives outcome_constraints"),
    "turbo": _entry("turbo.Turbo", "scipy", "known", slow=True),
    "botorch": _entry("botorch.Botorch", "botorch torch", "objectives known", slow=True),
    "smac": _entry("smac.Smac", "smac ConfigSpace", "mixed", slow=True),
    "hebo": _entry("hebo.Hebo", "hebo torch", "mixed", slow=True),
}


def installed() -> list[str]:
    """The peers whose packages are here."""
    return [name for name, entry in PEERS.items() if all(find_spec(package) for package in entry.packages)]


def parse(text: str) -> tuple[str, dict[str, float]]:
    """Name and options of `turbo:batch=20`.

    >>> parse("turbo:batch=20")
    ('turbo', {'batch': 20})
    """
    name, _, rest = text.partition(":")
    if name not in PEERS:
        raise ValueError(f"unknown peer {name!r}; known are {', '.join(PEERS)}")
    options = dict(pair.split("=", 1) for pair in rest.split(",") if pair)
    return name, {key: float(value) if "." in value else int(value) for key, value in options.items()}


def make(text: str, start: Start) -> Peer:
    """A peer for a run; it proposes the same points for the same seed and outcomes. Options follow the name: `cma:sigma=0.1`."""
    name, options = parse(text)
    entry = PEERS[name]
    needs = {"mixed": not start.space.plain, "objectives": start.objectives > 1, "known": start.known}
    needs["outcome_constraints"] = start.outcome_constraints > 0
    lacking = [word for word, needed in needs.items() if needed and word not in entry.takes]
    if lacking:
        raise ValueError(f"the peer {name} does not take what this task has: {', '.join(lacking)}")
    return getattr(import_module(f"{__name__}.{entry.module}"), entry.maker)(start, **entry.options | options)


__all__ = ["PEERS", "Outcome", "Peer", "Start", "installed", "make", "parse"]
