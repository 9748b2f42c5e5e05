"""Parameter importance as bars with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from neuralbo.importance import Estimate, Importance

from ._backend import figure, is_plotly, objects
from ._style import BLACK, BLUE, PALE, axes_of, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXIS = "share of the variance"
TOTAL, FIRST = "total: together with others", "first order: alone"


def importance(
    source: Any,
    objective: Optional[str] = None,
    *,
    near_best: Optional[float] = None,
    seed: int = 0,
    ax: Optional[Axes] = None,
    backend: str = "matplotlib",
) -> Any:
    """Plot first-order and total Sobol indices of a study or an optimizer, the most important parameter on top.

    With `near_best` only the region of that share of the trials counts. Returns the axes, or a Plotly figure with
    `backend="plotly"`.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> optimizer = neuralbo.Optimizer([(-1, 1), (-1, 1)], seed=1)
    >>> points = [[(i * 0.37) % 2 - 1, (i * 0.71) % 2 - 1] for i in range(20)]
    >>> optimizer.add(points, [3 * x + y for x, y in points])
    >>> ax = plot.importance(optimizer)
    """
    wants_plotly = is_plotly(backend)
    if not hasattr(source, "importance"):
        raise TypeError(f"importance needs an Optimizer or a Study, found {type(source).__name__}")
    found = source.importance(objective, near_best=near_best, seed=seed)
    return with_plotly(found) if wants_plotly else draw(found, ax)


def title_of(found: Importance) -> str:
    """What the bars are about and how far they can be relied on."""
    share = max(0.0, 100.0 * found.explained)
    return f"{found.objective}: {found.seen} trials, {share:.0f} % explained"


def draw(found: Importance, ax: Optional[Axes]) -> Axes:
    """Two bars per parameter."""
    ax = axes_of(ax, (6.4, 1.2 + 0.5 * len(found.parameters)))
    places = range(len(found.parameters) - 1, -1, -1)
    draw_bars(ax, [one.total for one in found.parameters], [place + 0.2 for place in places], PALE, TOTAL)
    draw_bars(ax, [one.first for one in found.parameters], [place - 0.2 for place in places], BLUE, FIRST)
    ax.set_yticks(list(places), [one.name for one in found.parameters])
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel(AXIS)
    ax.set_title(title_of(found), fontsize="medium")
    tidy(ax)
    ax.legend(frameon=False, fontsize="small", loc="lower right")
    return ax


def draw_bars(ax: Axes, estimates: list[Estimate], places: list[float], colour: str, label: str) -> None:
    """One kind of bars with their intervals."""
    values, reach = reach_of(estimates)
    error = {"elinewidth": 1.2, "capsize": 2.5}
    ax.barh(places, values, height=0.38, color=colour, label=label, xerr=reach, ecolor=BLACK, error_kw=error)


def reach_of(estimates: list[Estimate]) -> tuple[list[float], list[list[float]]]:
    """The values, and how far their intervals reach below and above."""
    below, above = [one.value - one.low for one in estimates], [one.high - one.value for one in estimates]
    return [one.value for one in estimates], [below, above]


def with_plotly(found: Importance) -> Any:
    """The same with Plotly."""
    go = objects()
    names = [one.name for one in found.parameters]
    kinds = ((TOTAL, PALE, [one.total for one in found.parameters]), (FIRST, BLUE, [one.first for one in found.parameters]))
    traces = []
    for label, colour, estimates in kinds:
        values, (below, above) = reach_of(estimates)
        error = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "color": BLACK, "thickness": 1.2}
        traces.append(go.Bar(name=label, y=names, x=values, orientation="h", marker={"color": colour}, error_x=error))
    shown = figure(traces, x=AXIS, title=title_of(found))
    shown.update_yaxes(autorange="reversed")
    shown.update_xaxes(range=[0.0, 1.0])
    return shown
