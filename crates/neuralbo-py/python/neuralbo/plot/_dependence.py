"""How the objective depends on one or two parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from neuralbo.importance import Curve, Surface

from ._backend import clear, figure, is_plotly, objects
from ._read import Record, records
from ._scales import Scale, scales, word
from ._style import BLACK, BLUE, GREY, SCALE, axes_of, pyplot, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEAN, BAND, UNCERTAINTY = "mean", "90 % band", "standard deviation"


def slice(
    source: Any,
    parameter: str,
    objective: Optional[str] = None,
    *,
    at_trial: Optional[int] = None,
    grid: int = 50,
    ax: Optional[Axes] = None,
    backend: str = "matplotlib",
) -> Any:
    """Plot the objective along one parameter with its 90 % band and the trials: averaged over the other parameters, or
    with the others fixed to a trial.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> optimizer = neuralbo.Optimizer([(-1, 1), (-1, 1)], seed=1)
    >>> points = [[(i * 0.37) % 2 - 1, (i * 0.71) % 2 - 1] for i in range(20)]
    >>> optimizer.add(points, [3 * x + y for x, y in points])
    >>> ax = plot.slice(optimizer, "x0")
    """
    wants_plotly = is_plotly(backend)
    checked(source, "slice")
    curve = source.partial_dependence(parameter, objective=objective, grid=grid, at_trial=at_trial)
    scale = scale_of(source, parameter)
    dots = observed(source, [parameter], objective)
    if wants_plotly:
        return slice_with_plotly(curve, scale, dots, objective)
    ax = axes_of(ax, (5.6, 3.8))
    return draw_curve(ax, curve, scale, dots, objective)


def contour(
    source: Any,
    x: Optional[str] = None,
    y: Optional[str] = None,
    objective: Optional[str] = None,
    *,
    at_trial: Optional[int] = None,
    grid: int = 20,
    backend: str = "matplotlib",
) -> Any:
    """Plot the model's mean and uncertainty over two parameters, the most important ones by default, with the trials:
    averaged over the other parameters, or with the others fixed to a trial.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> optimizer = neuralbo.Optimizer([(-1, 1), (-1, 1)], seed=1)
    >>> points = [[(i * 0.37) % 2 - 1, (i * 0.71) % 2 - 1] for i in range(20)]
    >>> optimizer.add(points, [3 * x + y for x, y in points])
    >>> figure = plot.contour(optimizer, "x0", "x1", grid=8)
    """
    wants_plotly = is_plotly(backend)
    checked(source, "contour")
    if x is None or y is None:
        found = [name for name in source.importance(objective).total if name not in (x, y)]
        if len(found) + (x is not None) + (y is not None) < 2:
            raise ValueError("contour needs two parameters, found one")
        x = x if x is not None else found.pop(0)
        y = y if y is not None else found.pop(0)
    surface = source.partial_dependence_2d(x, y, objective=objective, grid=grid, at_trial=at_trial)
    axes = (scale_of(source, surface.x), scale_of(source, surface.y))
    dots = observed(source, [surface.x, surface.y], objective)
    return contour_with_plotly(surface, axes, dots) if wants_plotly else draw_surface(surface, axes, dots)


def checked(source: Any, name: str) -> None:
    """Check that the source has a model."""
    if not hasattr(source, "partial_dependence"):
        raise TypeError(f"{name} needs an Optimizer or a Study, found {type(source).__name__}")


def scale_of(source: Any, name: str) -> Scale:
    """The axis of a parameter."""
    return next(scale for scale in scales(source, records(source)) if scale.name == name)


def observed(source: Any, names: Sequence[str], objective: Optional[str]) -> list[tuple[Record, float]]:
    """The complete trials that have these parameters, with their values."""
    found = [one for one in records(source) if one.state == "complete" and set(names) <= set(one.params)]
    pairs = [(one, one.told if objective is None else one.values.get(objective, math.nan)) for one in found]
    return [(one, value) for one, value in pairs if math.isfinite(value)]


def shown_value(scale: Scale, value: Any) -> Any:
    """What Plotly is given: choices by their words."""
    return word(value) if scale.choices is not None else value


def ticks(ax: Axes, scale: Scale, which: str) -> None:
    """The axis of a parameter."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    if scale.choices is not None:
        axis.set_ticks(range(len(scale.choices)), [word(choice) for choice in scale.choices])
    elif scale.log:
        (ax.set_xscale if which == "x" else ax.set_yscale)("log")
    axis.set_label_text(scale.name)


def draw_curve(
    ax: Axes, curve: Curve, scale: Scale, dots: Sequence[tuple[Record, float]], objective: Optional[str]
) -> Axes:
    """Mean, band and trials."""
    places = [scale.place(value) for value in curve.values]
    if scale.choices is not None:
        reach = [[m - low for m, low in zip(curve.mean, curve.low)], [high - m for m, high in zip(curve.mean, curve.high)]]
        ax.errorbar(places, curve.mean, yerr=reach, fmt="o", color=BLUE, capsize=4, label=f"{MEAN} and {BAND}")
    else:
        ax.fill_between(places, curve.low, curve.high, color=BLUE, alpha=0.22, linewidth=0, label=BAND)
        ax.plot(places, curve.mean, color=BLUE, linewidth=1.8, label=MEAN)
    ax.scatter(
        [scale.place(one.params[scale.name]) for one, _ in dots],
        [value for _, value in dots],
        s=12, color=GREY, alpha=0.6, linewidths=0, label="trial", zorder=1.5,
    )
    ticks(ax, scale, "x")
    ax.set_ylabel(objective or "value")
    tidy(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def draw_surface(surface: Surface, axes: tuple[Scale, Scale], dots: Sequence[tuple[Record, float]]) -> Figure:
    """Mean and uncertainty side by side."""
    shown, panels = pyplot().subplots(1, 2, figsize=(10.0, 4.2), layout="constrained", sharex=True, sharey=True)
    xs = [axes[0].place(value) for value in surface.x_values]
    ys = [axes[1].place(value) for value in surface.y_values]
    for ax, heights, label in zip(panels, (surface.mean, surface.sd), (MEAN, UNCERTAINTY)):
        # Contours need a plane, and something to show.
        if axes[0].choices is None and axes[1].choices is None and len({height for row in heights for height in row}) > 1:
            drawn = ax.contourf(xs, ys, heights, levels=14, cmap=SCALE)
        else:
            drawn = ax.pcolormesh(xs, ys, heights, cmap=SCALE, shading="nearest")
        shown.colorbar(drawn, ax=ax, label=label)
        ax.scatter(
            [axes[0].place(one.params[surface.x]) for one, _ in dots],
            [axes[1].place(one.params[surface.y]) for one, _ in dots],
            s=12, color="white", edgecolors=BLACK, linewidths=0.5,
        )
        ticks(ax, axes[0], "x")
        ticks(ax, axes[1], "y")
    return shown  # type: ignore[no-any-return]


def slice_with_plotly(
    curve: Curve, scale: Scale, dots: Sequence[tuple[Record, float]], objective: Optional[str]
) -> Any:
    """The same as `draw_curve`."""
    go = objects()
    places = [shown_value(scale, value) for value in curve.values]
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    traces = [
        go.Scatter(x=places, y=curve.low, showlegend=False, **edge),
        go.Scatter(x=places, y=curve.high, fill="tonexty", fillcolor=clear(BLUE, 0.22), name=BAND, **edge),
        go.Scatter(x=places, y=curve.mean, mode="lines+markers" if scale.choices else "lines", line={"color": BLUE}, name=MEAN),
        go.Scatter(
            x=[shown_value(scale, one.params[scale.name]) for one, _ in dots],
            y=[value for _, value in dots],
            mode="markers", marker={"color": GREY, "opacity": 0.6, "size": 5}, name="trial",
        ),
    ]
    shown = figure(traces, x=scale.name, y=objective or "value")
    if scale.log:
        shown.update_xaxes(type="log")
    return shown


def contour_with_plotly(surface: Surface, axes: tuple[Scale, Scale], dots: Sequence[tuple[Record, float]]) -> Any:
    """Mean with the uncertainty in its labels, and the trials."""
    go = objects()
    text = [[f"± {sd:.4g}" for sd in row] for row in surface.sd]
    names = [[shown_value(scale, value) for value in values] for scale, values in zip(axes, (surface.x_values, surface.y_values))]
    traces = [
        go.Heatmap(x=names[0], y=names[1], z=surface.mean, text=text, colorscale="Cividis", colorbar={"title": MEAN},
                   hovertemplate="%{x}, %{y}: %{z:.5g} %{text}<extra></extra>"),
        go.Scatter(
            x=[shown_value(axes[0], one.params[surface.x]) for one, _ in dots],
            y=[shown_value(axes[1], one.params[surface.y]) for one, _ in dots],
            mode="markers", name="trial",
            marker={"color": "white", "size": 6, "line": {"color": BLACK, "width": 0.5}},
        ),
    ]
    shown = figure(traces, x=surface.x, y=surface.y)
    if axes[0].log:
        shown.update_xaxes(type="log")
    if axes[1].log:
        shown.update_yaxes(type="log")
    return shown
