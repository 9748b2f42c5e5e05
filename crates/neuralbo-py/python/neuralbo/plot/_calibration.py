"""Observed against nominal coverage of predictions.

Symbols: y value, μ and σ mean and standard deviation predicted when the trial was chosen, s standard deviation of the
evaluation noise, q nominal share. The central interval of share q holds y exactly when 2Φ(|y − μ|/√(σ² + s²)) − 1 ≤ q.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from ._read import Record, records
from ._style import BLUE, GREY, PALE, VERMILLION, Z_90, axes_of, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOMINAL = 0.9


def calibration(source: Any, *, noise: float = 0.0, ax: Optional[Axes] = None) -> Axes:
    """Plot the observed against the nominal coverage of the predicted central intervals.

    Uses the complete trials suggested by a model, with the mean and standard deviation of the suggestion. On the
    diagonal coverage is nominal; below it the predictions are overconfident. The grey band contains 90 % of the curves
    of exact predictions, pointwise. The predicted standard deviation includes the noise if the model estimates it
    (`neuralbo` and the Gaussian processes do); for other methods pass the standard deviation of the noise as `noise`.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> optimizer = neuralbo.Optimizer([(-5, 5)], seed=1)
    >>> for _ in range(12):
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, float((x[0] - 1) ** 2))
    >>> ax = plot.calibration(optimizer)
    """
    if not (math.isfinite(noise) and noise >= 0.0):
        raise ValueError(f"noise: found {noise!r}; it must be a finite standard deviation of at least 0")
    levels = sorted(level(*prediction, noise) for prediction in predictions(records(source)))
    if not levels:
        raise ValueError("no complete trial was suggested by a model, so there are no predictions to compare")
    ax = axes_of(ax, (4.6, 4.6))
    draw_reference(ax, len(levels))
    draw_coverage(ax, levels)
    ax.set(xlim=(0, 1), ylim=(0, 1.005), xlabel="nominal share of the interval", ylabel="observed share inside")
    ax.set_aspect("equal")
    tidy(ax)
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    return ax


def predictions(found: Sequence[Record]) -> list[tuple[float, float, float]]:
    """(y, μ, σ) of the complete trials suggested by a model."""
    return [(one.told, one.mean, one.sd) for one in found if one.is_complete and one.mean is not None and one.sd is not None]


def level(y: float, mean: float, sd: float, noise: float) -> float:
    """The share of the smallest central interval that holds y: erf(|z|/√2)."""
    spread = math.hypot(sd, noise)
    if spread == 0.0:
        return 0.0 if y == mean else 1.0
    return math.erf(abs(y - mean) / spread / math.sqrt(2.0))


def share_inside(levels: Sequence[float], nominal: float) -> float:
    """The share of trials within their interval of this nominal share."""
    return sum(one <= nominal for one in levels) / len(levels)


def draw_reference(ax: Axes, count: int) -> None:
    """The diagonal with the band of exact predictions."""
    nominal = [i / 100 for i in range(101)]
    spread = [Z_90 * math.sqrt(q * (1 - q) / count) for q in nominal]
    low = [max(0.0, q - s) for q, s in zip(nominal, spread)]
    high = [min(1.0, q + s) for q, s in zip(nominal, spread)]
    ax.fill_between(nominal, low, high, color=PALE, alpha=0.6, linewidth=0, label="exact predictions, 90 %")
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)


def draw_coverage(ax: Axes, levels: Sequence[float]) -> None:
    """The observed coverage, with a dot at 90 %."""
    nominal = [0.0, *levels, 1.0]
    observed = [0.0, *((i + 1) / len(levels) for i in range(len(levels))), 1.0]
    ax.step(nominal, observed, where="post", color=BLUE, linewidth=1.8, label=f"{len(levels)} trials")
    inside = share_inside(levels, NOMINAL)
    label = f"inside 90 %: {100 * inside:.0f} %"
    ax.plot([NOMINAL], [inside], "D", color=VERMILLION, markeredgecolor="black", markersize=7, label=label, zorder=3)
