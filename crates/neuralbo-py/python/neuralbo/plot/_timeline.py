"""Trials per worker over time."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from ._backend import figure, is_plotly, objects
from ._style import BLACK, BLUE, GREY, ORANGE, VERMILLION, axes_of, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATES = {"complete": BLUE, "pruned": ORANGE, "failed": VERMILLION, "running": GREY}
UNNAMED = "this process"


@dataclass(frozen=True)
class Span:
    """A trial's evaluation in seconds since the first one began."""

    worker: str
    number: int
    state: str
    start: float
    end: float


def timeline(source: Any, *, ax: Optional[Axes] = None, backend: str = "matplotlib") -> Any:
    """Plot when each trial of a study was evaluated, one row per worker; colours and hatches show its state.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=3)
    >>> ax = plot.timeline(study)
    """
    wants_plotly = is_plotly(backend)
    if not hasattr(source, "trials"):
        raise TypeError(f"timeline needs an Optimizer or a Study, found {type(source).__name__}")
    found = spans(source)
    return with_plotly(found) if wants_plotly else draw(found, ax)


def spans(source: Any) -> list[Span]:
    """The evaluations that have started; running ones last until now."""
    now = datetime.datetime.now(datetime.timezone.utc).timestamp()
    raw = [(trial, *trial.times_ms) for trial in source.trials]
    begun = [(trial, started or asked, finished) for trial, asked, started, finished in raw if started or asked]
    first = min((start for _, start, _ in begun), default=0)
    return [
        Span(
            worker=trial.worker or UNNAMED,
            number=trial.number,
            state=str(trial.state),
            start=(start - first) / 1e3,
            end=max(start, finished if finished is not None else 1e3 * now) / 1e3 - first / 1e3,
        )
        for trial, start, finished in begun
    ]


def draw(found: list[Span], ax: Optional[Axes]) -> Axes:
    """Bars on rows of workers."""
    workers = list(dict.fromkeys(span.worker for span in found))
    ax = axes_of(ax, (7.5, 1.4 + 0.4 * len(workers)))
    hatches = {"failed": "xxx", "pruned": "///"}
    for state in dict.fromkeys(span.state for span in found):
        own = [span for span in found if span.state == state]
        ax.barh(
            [workers.index(span.worker) for span in own],
            [span.end - span.start for span in own],
            left=[span.start for span in own],
            height=0.7, color=STATES.get(state, BLACK), edgecolor="white", linewidth=0.5, label=state, hatch=hatches.get(state),
        )
    ax.set_yticks(range(len(workers)), workers)
    ax.set_xlabel("seconds since the first trial began")
    tidy(ax)
    if found:
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def with_plotly(found: list[Span]) -> Any:
    """The same with Plotly."""
    go = objects()
    traces = []
    for state in dict.fromkeys(span.state for span in found):
        own = [span for span in found if span.state == state]
        traces.append(
            go.Bar(
                name=state, orientation="h", y=[span.worker for span in own], base=[span.start for span in own],
                x=[span.end - span.start for span in own], marker={"color": STATES.get(state, BLACK)},
                text=[f"trial {span.number}" for span in own], hovertemplate="%{text}: %{x:.3g} s<extra></extra>",
            )
        )
    return figure(traces, x="seconds since the first trial began", barmode="overlay")
