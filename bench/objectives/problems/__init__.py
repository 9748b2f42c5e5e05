"""The problems by name, and the sets of runs that are made of them.

`tuning` is what methods may be changed by looking at; `report` is measured at the end and holds no instance of it: other instances of
COCO, ZDT and DTLZ in other dimensions, and the models, which are in no other set. `subset` is every sixth function of the first
instance of `report`, for peers that need seconds for one suggestion. `quick` is for tests.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from importlib import import_module
from itertools import combinations_with_replacement

from .base import Problem

# The single-objective functions that the suite pairs, by the property that groups them.
PROPERTIES = {
    1: "separable",
    2: "separable",
    6: "moderate",
    8: "moderate",
    13: "ill-conditioned",
    14: "ill-conditioned",
    15: "multi-modal",
    17: "multi-modal",
    20: "weak structure",
    21: "weak structure",
}
PAIRS = list(combinations_with_replacement(PROPERTIES, 2))
FUNCTIONS, DIMENSIONS = range(1, len(PAIRS) + 1), (2, 3, 5, 10)

# A run is (problem, seed). COCO's instances differ already, and have one seed each.
Run = tuple[str, int]


def _coco(functions: range, instances: range, dimensions: tuple[int, ...] = DIMENSIONS) -> list[Run]:
    return [(f"bbob-biobj-f{f:02}-i{i:02}-d{d:02}", 0) for i in instances for d in dimensions for f in functions]


def _synthetic(zdt: int, dtlz: int) -> list[str]:
    return [f"zdt{k}-d{zdt:02}" for k in (1, 2, 3)] + [f"dtlz{k}-d{dtlz:02}" for k in (2, 7)]


def _seeds(names: list[str], seeds: range) -> list[Run]:
    return [(name, seed) for seed in seeds for name in names]


_OTHERS = [*_synthetic(10, 6), "net-digits", "boosting-cancer"]
SETS = {
    "tuning": _coco(FUNCTIONS, range(1, 3)) + _seeds(_synthetic(5, 4), range(5)),
    "report": _coco(FUNCTIONS, range(3, 6)) + _seeds(_OTHERS, range(100, 110)),
    "subset": _coco(FUNCTIONS[::6], range(3, 4)) + _seeds(_OTHERS, range(100, 102)),
    "quick": _coco(range(1, 2), range(1, 3), (2,)) + _seeds(["zdt1-d05", "dtlz2-d04"], range(2)),
}


def kinds(function: int) -> tuple[str, str]:
    """The properties of the two functions that a function of the suite pairs."""
    first, second = PAIRS[function - 1]
    return PROPERTIES[first], PROPERTIES[second]


def problem(name: str) -> Problem:
    """The problem of this name; the packages that it needs are imported now."""
    coco = re.fullmatch(r"bbob-biobj-f(\d\d)-i(\d\d)-d(\d\d)", name)
    if coco:
        return import_module(f"{__name__}.coco").problem(*map(int, coco.groups()))
    synthetic = re.fullmatch(r"(zdt[123]|dtlz[27])-d(\d\d)", name)
    if synthetic:
        return import_module(f"{__name__}.synthetic").problem(synthetic[1], int(synthetic[2]))
    if name in ("net-digits", "boosting-cancer"):
        return import_module(f"{__name__}.models").problem(name)
    known = "bbob-biobj-fFF-iII-dDD, zdt1-dDD, zdt2-dDD, zdt3-dDD, dtlz2-dDD, dtlz7-dDD, net-digits and boosting-cancer"
    raise ValueError(f"unknown problem {name!r}; known are {known}")


def select(group: str, patterns: list[str] | None = None) -> list[Run]:
    """The runs of a set whose problem's name matches one of the patterns."""
    if group not in SETS:
        raise ValueError(f"unknown set {group!r}; known are {', '.join(SETS)}")
    runs = [run for run in SETS[group] if not patterns or any(fnmatch(run[0], pattern) for pattern in patterns)]
    if not runs:
        raise ValueError(f"no problem of the set {group!r} matches {', '.join(patterns or [])}")
    return runs
