"""Intermediate values of trials against their steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from ._backend import figure, is_plotly, objects
from ._read import best_record, direction, records
from ._style import BLUE, GREY, VERMILLION, axes_of, is_wide, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {"best": (BLUE, "-", 2.2), "complete": (GREY, "-", 0.9), "pruned": (VERMILLION, "--", 0.9)}
OTHER = (GREY, ":", 0.9)


@dataclass(frozen=True)
class Learning:
    """The reports of one trial."""

    number: int
    kind: str
    steps: list[int]
    values: list[float]


def learning_curves(source: Any, *, most: int = 500, ax: Optional[Axes] = None, backend: str = "matplotlib") -> Any:
    """Plot the intermediate values of trials: the best one in front, pruned ones dashed.

    At most `most` trials are drawn, the newest and always the best.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> study = neuralbo.create_study(seed=1)
    >>> def train(trial):
    ...     x = trial.suggest_float("x", -1, 1)
    ...     for step in range(3):
    ...         trial.report(x**2 + 1 / (step + 1), step)
    ...     return x**2
    >>> study.optimize(train, n_trials=3)
    >>> ax = plot.learning_curves(study)
    """
    wants_plotly = is_plotly(backend)
    if not hasattr(source, "trials"):
        raise TypeError(f"learning_curves needs a Study, found {type(source).__name__}")
    found = curves(source, most)
    return with_plotly(found) if wants_plotly else draw(found, ax)


def curves(source: Any, most: int) -> list[Learning]:
    """The trials with reports, the best last."""
    best = best_record(records(source), direction(source))
    top = None if best is None else best.number
    trials = list(source.trials)
    wanted = trials[-most:] + [trial for trial in trials[:-most] if trial.number == top]
    found = []
    for trial in wanted:
        reports = sorted(trial.intermediate_values.items())
        if reports:
            kind = "best" if trial.number == top else str(trial.state)
            steps, values = [step for step, _ in reports], [value for _, value in reports]
            found.append(Learning(trial.number, kind, steps, values))
    return sorted(found, key=lambda one: one.kind == "best")


def draw(found: Sequence[Learning], ax: Optional[Axes]) -> Axes:
    """One line per trial."""
    ax = axes_of(ax, (6.4, 4.0))
    labelled: set[str] = set()
    for one in found:
        colour, dashes, width = STYLES.get(one.kind, OTHER)
        label = None if one.kind in labelled else one.kind
        labelled.add(one.kind)
        marker = "o" if len(one.steps) == 1 else ""
        ax.plot(one.steps, one.values, color=colour, linestyle=dashes, linewidth=width, marker=marker, markersize=3, label=label)
    if is_wide([value for one in found for value in one.values]):
        ax.set_yscale("log")
    ax.set_xlabel("step")
    ax.set_ylabel("reported value")
    tidy(ax)
    if found:
        ax.legend(frameon=False, fontsize="small")
    return ax


def with_plotly(found: Sequence[Learning]) -> Any:
    """The same with Plotly."""
    go = objects()
    names = {"-": "solid", "--": "dash", ":": "dot"}
    traces, labelled = [], set()
    for one in found:
        colour, dashes, width = STYLES.get(one.kind, OTHER)
        shown = one.kind not in labelled
        labelled.add(one.kind)
        line = {"color": colour, "dash": names[dashes], "width": width}
        traces.append(
            go.Scatter(
                x=one.steps, y=one.values, mode="lines+markers" if len(one.steps) == 1 else "lines", line=line, name=one.kind,
                legendgroup=one.kind, showlegend=shown, hovertext=f"trial {one.number}",
            )
        )
    return figure(traces, x="step", y="reported value")
