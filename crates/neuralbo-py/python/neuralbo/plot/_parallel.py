"""Parallel coordinates: one vertical axis for each parameter and one for the value, one line for each trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from ._read import Record, best_record, direction, ended_badly, records
from ._scales import Scale, scales
from ._style import GREY, SCALE, VERMILLION, axes_of, is_wide, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def parallel_coordinates(source: Any, *, ax: Optional[Axes] = None) -> Axes:
    """Plot each complete trial as a line across one axis per parameter to its value on the right.

    Darker lines are better trials; the best is thick with dots. Failed and pruned trials are dotted and end
    at the last parameter. Log parameters have logarithmic axes, choices one tick each.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> space = neuralbo.Space({"lr": neuralbo.Float(1e-4, 1.0, log=True), "kind": neuralbo.Categorical(["a", "b"])})
    >>> result = neuralbo.minimize(lambda p: p["lr"] + (p["kind"] == "a"), space, n_trials=10, seed=1)
    >>> ax = plot.parallel_coordinates(result)
    """
    found = [one for one in records(source) if one.is_finished]
    complete = [one for one in found if one.is_complete]
    if not complete:
        raise ValueError("parallel_coordinates needs at least one complete trial, found none")
    axes = scales(source, found)
    way = direction(source)
    ax = axes_of(ax, (max(4.8, 1.5 * len(axes) + 2.4), 4.2))
    told = [one.told for one in complete]
    values = Scale("value", min(told), max(told), log=is_wide(told))
    for one in found:
        if not one.is_complete:
            ax.plot(range(len(axes)), heights(one, axes), color=GREY, linestyle=":", linewidth=0.9, zorder=1)
    draw_complete(ax, complete, axes, values, way)
    draw_axes(ax, [*axes, values])
    if len(found) > len(complete):
        ax.plot([], [], color=GREY, linestyle=":", label=f"{ended_badly(found)} ({len(found) - len(complete)})")
    better = "larger" if way == "maximize" else "smaller"
    ax.plot([], [], color=pyplot().get_cmap(SCALE)(0.0), label=f"darker: better ({better})")
    ax.legend(frameon=False, fontsize="small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return ax


def heights(one: Record, axes: Sequence[Scale]) -> list[float]:
    """Where the line crosses the axes; a parameter that the trial does not have leaves a gap."""
    nan = float("nan")
    return [scale.position(one.params[scale.name]) if scale.name in one.params else nan for scale in axes]


def draw_complete(ax: Axes, complete: Sequence[Record], axes: Sequence[Scale], values: Scale, way: str) -> None:
    """Lines from the worst to the best, so that the best lie on top."""
    palette = pyplot().get_cmap(SCALE)
    ranked = sorted(complete, key=lambda one: one.told, reverse=way != "maximize")
    best = best_record(complete, way)
    for rank, one in enumerate(ranked):
        line = [*heights(one, axes), values.position(one.value)]
        share = rank / max(1, len(ranked) - 1)
        if one is not best:
            colour = palette(0.92 * (1.0 - share))
            strength: dict[str, Any] = {"linewidth": 0.8 + 0.6 * share, "alpha": 0.45 + 0.45 * share, "zorder": 2 + share}
            ax.plot(range(len(line)), line, color=colour, **strength)
    if best is not None:
        line = [*heights(best, axes), values.position(best.value)]
        marker: dict[str, Any] = {"marker": "o", "markersize": 5, "markeredgecolor": "black"}
        ax.plot(range(len(line)), line, color=VERMILLION, linewidth=2.6, zorder=4, label="best", **marker)


def draw_axes(ax: Axes, shown: Sequence[Scale]) -> None:
    """The vertical axes with their ticks, whose labels have a pale background, so that they are readable over lines."""
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
    ax.set_xlim(-0.15, len(shown) - 0.6)
    ax.set_ylim(-0.04, 1.04)
    ax.set_yticks([])
    ax.set_xticks(range(len(shown)), [scale.name for scale in shown])
    ax.tick_params(axis="x", length=0, pad=8)
    for spine in ax.spines.values():
        spine.set_visible(False)
    for place, scale in enumerate(shown):
        ax.plot([place, place], [0, 1], color="black", linewidth=1, zorder=3)
        for height, word in scale.ticks():
            ax.plot([place, place + 0.03], [height, height], color="black", linewidth=1, zorder=3)
            ax.text(place + 0.05, height, word, va="center", ha="left", fontsize="x-small", zorder=5, bbox=ground)
