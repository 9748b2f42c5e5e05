"""Outcome constraints per trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from ._read import Record, records
from ._style import BLUE, PALE, VERMILLION, pyplot, tidy


def outcome_constraints(source: Any, *, axes: Optional[Sequence[Any]] = None) -> Any:
    """Plot the measured values of each outcome constraint of a result, study or optimizer over the trials.

    The infeasible region is shaded. Dots satisfy the constraint, crosses violate it; ringed dots are feasible trials.
    Returns the figure, with one axis per constraint.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> measured = lambda x: {"value": x[0] ** 2, "size": 3 * x[0]}
    >>> result = neuralbo.minimize(measured, [(0, 1)], outcome_constraints=["size >= 1"], method="random", n_trials=9, seed=1)
    >>> figure = plot.outcome_constraints(result)
    """
    limits = list(source.outcome_constraints)
    if not limits:
        raise ValueError("outcome_constraints needs a study with outcome constraints, found none")
    if axes is None:
        made = pyplot().subplots(len(limits), 1, figsize=(6.4, 1.0 + 2.2 * len(limits)), sharex=True, squeeze=False, layout="constrained")[1]
        axes = [row[0] for row in made]
    if len(axes) != len(limits):
        raise ValueError(f"axes: found {len(axes)} for {len(limits)} outcome constraints; there must be one for each")
    found = [one for one in records(source) if one.is_complete]
    for ax, limit in zip(axes, limits):
        _panel(ax, found, limit)
    axes[-1].set_xlabel("trial")
    return axes[-1].figure


def _panel(ax: Any, found: Sequence[Record], limit: Any) -> None:
    measured = [one for one in found if limit.name in one.values]
    kept = [one for one in measured if _holds(one, limit)]
    broken = [one for one in measured if not _holds(one, limit)]
    _draw(ax, kept, limit.name, marker="o", color=BLUE, s=18, label=f"satisfied ({len(kept)})")
    _draw(ax, broken, limit.name, marker="x", color=VERMILLION, s=22, label=f"violated ({len(broken)})")
    _draw(ax, [one for one in kept if one.is_feasible], limit.name, marker="o", facecolors="none", edgecolors=BLUE, s=60, linewidths=0.8)
    low, high = ax.get_ylim()
    for bound, edge in ((limit.at_most, high), (limit.at_least, low)):
        if bound is not None:
            ax.axhline(bound, color="black", linewidth=1.0, linestyle="--")
            outside = max(bound, edge) if edge == high else min(bound, edge)
            ax.axhspan(bound, outside + (outside - bound), color=PALE, alpha=0.5, linewidth=0, zorder=0)
    ax.set_ylim(*_limits(low, high, limit))
    ax.set_ylabel(limit.name)
    ax.set_title(limit.text, fontsize="medium", loc="left")
    tidy(ax)
    if measured:
        ax.legend(frameon=False, fontsize="small")


def _holds(one: Record, limit: Any) -> bool:
    value = one.values[limit.name]
    return (limit.at_most is None or value <= limit.at_most) and (limit.at_least is None or value >= limit.at_least)


def _draw(ax: Any, found: Sequence[Record], name: str, **style: Any) -> None:
    if found:
        ax.scatter([one.number for one in found], [one.values[name] for one in found], zorder=3, **style)


def _limits(low: float, high: float, limit: Any) -> tuple[float, float]:
    """The values and all bounds, with some room."""
    bounds = [bound for bound in (limit.at_least, limit.at_most) if bound is not None]
    low, high = min([low, *bounds]), max([high, *bounds])
    room = 0.05 * (high - low)
    return low - room, high + room
