"""The model along each parameter through one point, with its uncertainty and nearby observations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._read import Record, best_record, direction, named, records, space_names
from ._scales import Scale, scales, word
from ._style import BLACK, BLUE, VERMILLION, Z_90, pyplot, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Root mean square distance (of 1 across the space) at which an observation is drawn at 1/e of full strength.
NEAR = 0.2
FAINT = 0.07
COLUMNS = 4
# Bands are clipped beyond this share of the remaining height on either side.
MOST_BAND = 0.8
# Up to this many values of an int are marked individually.
FEW_LEVELS = 12
# Labels of choices longer than this are slanted.
MANY_LETTERS = 24


@dataclass(frozen=True)
class Cut:
    """The prediction along one parameter."""

    scale: Scale
    values: list[Any]
    mean: list[float]
    low: list[float]
    high: list[float]


def slices(source: Any, at: Any = None, points: int = 100) -> Figure:
    """Plot the model along each parameter through the point `at`, by default the best one.

    The line is the predicted mean, the band contains 90 % of the objective's values (without noise), the dots are
    observations, fainter with distance from the slice. Only the parameters of the point are shown, with the trials
    that have all of them; the line stops where another value would activate further parameters.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> optimizer = neuralbo.Optimizer([(-5, 5), (0, 1)], seed=1)
    >>> for _ in range(12):
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, float((x[0] - 1) ** 2 + x[1]))
    >>> figure = plot.slices(optimizer, points=30)
    """
    if points < 2:
        raise ValueError(f"points: found {points}; there must be at least 2")
    if not hasattr(source, "predict") or not hasattr(source, "trials"):
        raise TypeError(f"slices needs an Optimizer or a Study, found {type(source).__name__}")
    if getattr(source, "space", None) is None:
        raise ValueError("slices needs parameters; the rows of a pool have none")
    found = [one for one in records(source) if one.is_complete and set(source.space.active(one.params)) == set(one.params)]
    centre = centre_of(source, found, at)
    axes = [scale for scale in scales(source, found) if scale.name in centre]
    cuts = [cut_along(source, scale, centre, points) for scale in axes]
    return draw(cuts, [one for one in found if set(centre) <= set(one.params)], axes, centre)


def centre_of(model: Any, found: Sequence[Record], at: Any) -> dict[str, Any]:
    """The point of the slices, by name."""
    if at is not None:
        centre = named(at, space_names(model))
        names = model.space.active(centre)
        if set(centre) != set(names):
            raise ValueError(f"at: found the parameters {list(centre)}, a point like this has {names}")
        return centre
    best = best_record(found, direction(model))
    if best is None:
        raise ValueError("slices needs at least one complete trial, or a point given as `at`")
    return best.params


def cut_along(model: Any, scale: Scale, centre: Mapping[str, Any], points: int) -> Cut:
    """The prediction with one parameter varied."""
    varied = [(value, {**centre, scale.name: value}) for value in scale.grid(points)]
    needed = [(value, row, model.space.active(row)) for value, row in varied]
    values = [value for value, row, names in needed if set(names) <= set(row)]
    rows = [{name: row[name] for name in names} for _, row, names in needed if set(names) <= set(row)]
    # As the optimizer takes points: dicts, or vectors for boxes.
    given = rows if isinstance(model.trials[0].x, Mapping) else [list(row.values()) for row in rows]
    means, sds = model.predict(given)
    bands = [(float(mean), Z_90 * float(sd)) for mean, sd in zip(means, sds)]
    return Cut(
        scale=scale,
        values=values,
        mean=[mean for mean, _ in bands],
        low=[mean - half for mean, half in bands],
        high=[mean + half for mean, half in bands],
    )


def draw(cuts: Sequence[Cut], found: Sequence[Record], axes: Sequence[Scale], centre: Mapping[str, Any]) -> Figure:
    """All cuts in a grid with one common axis of values."""
    rows = math.ceil(len(cuts) / COLUMNS)
    columns = math.ceil(len(cuts) / rows)
    size = (max(4.0, 2.9 * columns), 2.6 * rows + 0.5)
    figure, grid = pyplot().subplots(rows, columns, figsize=size, sharey=True, squeeze=False, layout="constrained")
    panels = list(grid.flat)
    for index, (ax, cut) in enumerate(zip(panels, cuts)):
        strengths = [strength(one, cut.scale, axes, centre) for one in found]
        draw_cut(ax, cut, centre)
        draw_observations(ax, cut, found, strengths)
        if index % columns == 0:
            ax.set_ylabel("value")
    for ax in panels[len(cuts):]:
        ax.set_visible(False)
    panels[0].set_ylim(*limits(cuts, found, axes, centre))
    handles, labels = panels[0].get_legend_handles_labels()
    ncols = 4 if columns > 2 else 2
    figure.legend(handles, labels, loc="outside upper center", ncols=ncols, frameon=False, fontsize="small")
    return figure  # type: ignore[no-any-return]


def strength(one: Record, along: Scale, axes: Sequence[Scale], centre: Mapping[str, Any]) -> float:
    """The opacity of an observation: 1 on the slice, decreasing with distance in the other parameters."""
    others = [scale.distance(one.params[scale.name], centre[scale.name]) for scale in axes if scale.name != along.name]
    if not others:
        return 1.0
    mean_square = sum(distance**2 for distance in others) / len(others)
    return max(FAINT, math.exp(-mean_square / NEAR**2))


def draw_cut(ax: Axes, cut: Cut, centre: Mapping[str, Any]) -> None:
    """Mean, band and the place of the point."""
    if cut.scale.choices is not None:
        draw_choices(ax, cut, centre)
        return
    ax.fill_between(cut.values, cut.low, cut.high, color=BLUE, alpha=0.22, linewidth=0, label="90 % band")
    marker = "." if cut.scale.whole and len(cut.values) <= FEW_LEVELS else ""
    ax.plot(cut.values, cut.mean, color=BLUE, linewidth=1.8, marker=marker, markersize=9, label="mean")
    ax.axvline(centre[cut.scale.name], color=VERMILLION, linestyle="--", linewidth=1.1, label="the point cut through")
    if cut.scale.log:
        ax.set_xscale("log")
    elif cut.scale.whole:
        ax.locator_params(axis="x", integer=True)
    ax.set_xlabel(cut.scale.name)
    tidy(ax)


def draw_choices(ax: Axes, cut: Cut, centre: Mapping[str, Any]) -> None:
    """Mean and band of each choice, with a tick for each."""
    places = [cut.scale.index(value) for value in cut.values]
    half = [high - mean for high, mean in zip(cut.high, cut.mean)]
    ax.errorbar(places, cut.mean, yerr=half, fmt="none", ecolor=BLUE, elinewidth=9, alpha=0.22, label="90 % band")
    ax.plot(places, cut.mean, "_", color=BLUE, markersize=14, markeredgewidth=2, label="mean")
    here = cut.scale.index(centre[cut.scale.name])
    ax.axvline(here, color=VERMILLION, linestyle="--", linewidth=1.1, label="the point cut through")
    words = [word(choice) for choice in cut.values]
    ax.set_xticks(places, words)
    if len("".join(words)) > MANY_LETTERS:
        ax.set_xticks(places, words, rotation=35, ha="right", rotation_mode="anchor")
    ax.set_xlim(-0.6, len(cut.scale.choices or ()) - 0.4)
    ax.set_xlabel(cut.scale.name)
    tidy(ax)


def draw_observations(ax: Axes, cut: Cut, found: Sequence[Record], strengths: Sequence[float]) -> None:
    """The observations, the nearest on top."""
    order = sorted(range(len(found)), key=lambda index: strengths[index])
    places = [cut.scale.place(found[index].params[cut.scale.name]) for index in order]
    values = [found[index].told for index in order]
    greys = [(0.0, 0.0, 0.0, strengths[index]) for index in order]
    ax.scatter(places, values, s=16, c=greys, linewidths=0, zorder=3)
    ax.scatter([], [], s=16, color=BLACK, linewidths=0, label="observation (faint: far)")


def limits(
    cuts: Sequence[Cut], found: Sequence[Record], axes: Sequence[Scale], centre: Mapping[str, Any]
) -> tuple[float, float]:
    """Axis limits that fit the means, nearby observations and, unless too wide, the bands."""
    near = [one.told for one in found if any(strength(one, cut.scale, axes, centre) > 0.5 for cut in cuts)]
    shown = [*(value for cut in cuts for value in cut.mean), *near]
    low, high = min(shown), max(shown)
    room = MOST_BAND * (high - low) or math.inf
    low = max(low - room, min(low, *(value for cut in cuts for value in cut.low)))
    high = min(high + room, max(high, *(value for cut in cuts for value in cut.high)))
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin
