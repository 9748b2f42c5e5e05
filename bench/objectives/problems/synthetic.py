"""ZDT1 to ZDT3 (Zitzler, Deb and Thiele, 2000), DTLZ2 and DTLZ7 with three objectives (Deb, Thiele, Laumanns and Zitzler, 2005).

Reference points are BoTorch's: 11 in every objective of ZDT, 1.1 of DTLZ2, 15 of DTLZ7. The ideal point is 0 for all but the objectives
that become negative (ZDT3) or stay above 0 (DTLZ7). The best hypervolume is that of the true front.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ...hpo.space import Params, Space, real
from .base import Problem, Values

STEPS = 200_001


def _zdt(x: np.ndarray, shape: Callable[[float, float], float]) -> Values:
    g = 1.0 + 9.0 * float(np.mean(x[1:]))
    return float(x[0]), g * shape(float(x[0]), g)


def zdt1(x: np.ndarray) -> Values:
    return _zdt(x, lambda f, g: 1.0 - np.sqrt(f / g))


def zdt2(x: np.ndarray) -> Values:
    return _zdt(x, lambda f, g: 1.0 - (f / g) ** 2)


def zdt3(x: np.ndarray) -> Values:
    return _zdt(x, lambda f, g: 1.0 - np.sqrt(f / g) - f / g * np.sin(10.0 * np.pi * f))


def dtlz2(x: np.ndarray) -> Values:
    radius = 1.0 + float(np.sum((x[2:] - 0.5) ** 2))
    a, b = 0.5 * np.pi * x[:2]
    return tuple(float(radius * v) for v in (np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)))


def dtlz7(x: np.ndarray) -> Values:
    g = 1.0 + 9.0 * float(np.mean(x[2:]))
    h = 3.0 - sum(f / (1.0 + g) * (1.0 + np.sin(3.0 * np.pi * f)) for f in x[:2])
    return float(x[0]), float(x[1]), float((1.0 + g) * h)


def _below(front: Callable[[np.ndarray], np.ndarray], reference: float) -> tuple[float, float]:
    """The lowest value of a front over [0, 1], and its running minimum integrated from 0 to the reference."""
    lowest = np.minimum.accumulate(front(np.linspace(0.0, 1.0, STEPS)))
    return float(lowest[-1]), float(np.trapezoid(lowest, dx=1.0 / (STEPS - 1)) + (reference - 1.0) * lowest[-1])


def _zdt_best(front: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float]:
    """The lowest second objective and the hypervolume of the front in the objectives' own units."""
    low, integral = _below(front, 11.0)
    return low, 11.0 * 11.0 - integral


def _dtlz7_best() -> tuple[float, float]:
    """On the front the third objective is 6 - p(f1) - p(f2); what is below it adds up over the two others."""
    low, integral = _below(lambda f: -f * (1.0 + np.sin(3.0 * np.pi * f)), 15.0)
    return 6.0 + 2.0 * low, (15.0 - 6.0) * 15.0**2 - 2.0 * 15.0 * integral


def _shape(name: str) -> tuple[Callable[[np.ndarray], Values], Values, Values, float]:
    """The function, ideal point, reference point and hypervolume of the front."""
    if name == "dtlz2":
        return dtlz2, (0.0,) * 3, (1.1,) * 3, 1.1**3 - np.pi / 6.0
    if name == "dtlz7":
        low, volume = _dtlz7_best()
        return dtlz7, (0.0, 0.0, low), (15.0,) * 3, volume
    function, front = {
        "zdt1": (zdt1, lambda f: 1.0 - np.sqrt(f)),
        "zdt2": (zdt2, lambda f: 1.0 - f**2),
        "zdt3": (zdt3, lambda f: 1.0 - np.sqrt(f) - f * np.sin(10.0 * np.pi * f)),
    }[name]
    low, volume = _zdt_best(front)
    return function, (0.0, low), (11.0,) * 2, volume


NAMES = ("zdt1", "zdt2", "zdt3", "dtlz2", "dtlz7")


@cache
def problem(name: str, dimension: int) -> Problem:
    function, ideal, reference, volume = _shape(name)
    names = [f"x{i}" for i in range(dimension)]

    def evaluate(params: Params) -> Values:
        return function(np.array([params[name] for name in names]))

    return Problem(
        name=f"{name}-d{dimension:02}",
        space=Space(tuple(real(name, 0.0, 1.0) for name in names)),
        evaluate=evaluate,
        ideal=ideal,
        reference=reference,
        best=volume / float(np.prod(np.subtract(reference, ideal))),
    )
