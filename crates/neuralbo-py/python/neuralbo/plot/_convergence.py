"""Best value so far against evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from ._read import Record, best_so_far, direction, ended_badly, records
from ._style import GREY, axes_of, is_wide, line_style, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def convergence(
    *sources: Any, labels: Optional[Sequence[str]] = None, ax: Optional[Axes] = None
) -> Axes:
    """Plot the best value so far over evaluations, one curve per result, study or optimizer.

    Failed and pruned trials count as evaluations. A single source also shows its evaluations as dots and its failures
    as crosses at the lower edge. The value axis is logarithmic if values are positive and span more than a factor of
    30.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> result = neuralbo.minimize(lambda x: (x[0] - 1) ** 2, [(-5, 5)], n_trials=10, seed=1)
    >>> ax = plot.convergence(result, labels=["parabola"])
    """
    names = curve_labels("convergence", sources, labels, "best so far")
    ax = axes_of(ax, (6.4, 4.0))
    read = [(records(source), direction(source)) for source in sources]
    curves = [best_so_far(found, way) for found, way in read]
    for index, curve in enumerate(curves):
        draw_curve(ax, curve, sum(one.is_finished for one in read[index][0]), names[index], index)
    set_limits(ax, curves)
    if len(sources) == 1:
        draw_evaluations(ax, read[0][0])
    ax.set_xlabel("evaluations")
    ax.set_ylabel("best value so far" + (" (larger is better)" if read[0][1] == "maximize" else ""))
    tidy(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def curve_labels(what: str, sources: Sequence[Any], labels: Optional[Sequence[str]], alone: str) -> list[str]:
    """A label per curve: the given one, the study's name, or `alone` for a single one and the method with its place for several."""
    if not sources:
        raise ValueError(f"{what} needs at least one result, study or optimizer, found none")
    if labels is None:
        methods = [f"{getattr(source, 'method', 'run')} ({place})" for place, source in enumerate(sources, 1)]
        others = [alone] if len(sources) == 1 else methods
        return [str(getattr(source, "study_name", None) or other) for source, other in zip(sources, others)]
    if len(labels) != len(sources):
        raise ValueError(f"labels: found {len(labels)} for {len(sources)} curves; there must be one for each")
    return list(labels)


def draw_curve(ax: Axes, curve: Sequence[tuple[int, float]], finished: int, label: str, index: int) -> None:
    """One curve of steps with a dot at its end."""
    if not curve:
        ax.plot([], [], label=f"{label} (no value in {finished})", **line_style(index))
        return
    counts, values = zip(*curve)
    ax.step(counts, values, where="post", label=label, **line_style(index))
    ax.plot(counts[-1:], values[-1:], "o", color=line_style(index)["color"], markersize=4)


def set_limits(ax: Axes, curves: Sequence[Sequence[tuple[int, float]]]) -> None:
    """Axis limits that fit the curves, not distant evaluations."""
    values = [value for curve in curves for _, value in curve]
    if not values:
        return
    low, high = min(values), max(values)
    if is_wide(values):
        ax.set_yscale("log")
        ax.set_ylim(low / 1.5, high * 1.5)
    elif high > low:
        ax.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))


def draw_evaluations(ax: Axes, found: Sequence[Record]) -> None:
    """Dots for the values and crosses at the lower edge for failures."""
    finished = [one for one in found if one.is_finished]
    values = [(count, one.told) for count, one in enumerate(finished, start=1) if one.is_complete]
    failed = [count for count, one in enumerate(finished, start=1) if not one.is_complete]
    if values:
        counts, heights = zip(*values)
        ax.scatter(counts, heights, s=12, color=GREY, alpha=0.6, linewidths=0, label="evaluation", zorder=1.5)
    if failed:
        at_edge = ax.get_xaxis_transform()
        ax.plot(failed, [0.02] * len(failed), "kx", markersize=5, transform=at_edge, label=ended_badly(found), clip_on=False)
