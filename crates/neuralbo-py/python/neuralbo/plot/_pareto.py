"""The Pareto front of several objectives and its hypervolume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from ._convergence import curve_labels
from ._read import Record, front_records, objective_names, records
from ._style import BLUE, GREY, VERMILLION, axes_of, line_style, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pareto(source: Any, *, objectives: Optional[Sequence[str]] = None, ax: Optional[Axes] = None) -> Axes:
    """Plot the Pareto front of a result, study or optimizer in the plane of two objectives, with all complete trials.

    Infeasible trials are crosses, the reference point of the hypervolume is a star. With more than two objectives the
    front is projected: `objectives` names two, by default the first two. Points that are dominated in this plane are
    better in the other objectives.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> goals = ["a:minimize", "b:minimize"]
    >>> result = neuralbo.minimize(lambda x: (x[0] ** 2, (x[0] - 1) ** 2), [(-2, 2)], objectives=goals, method="random", n_trials=9, seed=1)
    >>> ax = plot.pareto(result)
    """
    pair = _two(source, objectives)
    ax = axes_of(ax, (5.2, 4.4))
    found = [one for one in records(source) if one.is_complete]
    front = front_records(source)
    on_front = {one.number for one in front}
    rest = [one for one in found if one.number not in on_front]
    _dots(ax, [one for one in rest if one.is_feasible], pair, "o", GREY, "trial")
    _dots(ax, [one for one in rest if not one.is_feasible], pair, "x", VERMILLION, "not feasible")
    _staircase(ax, front, pair)
    _dots(ax, front, pair, "o", BLUE, f"Pareto front ({len(front)})", size=34)
    reference = source.reference
    if reference is not None:
        ax.plot(reference[pair[0][0]], reference[pair[1][0]], "k*", markersize=9, label="reference point", linestyle="none")
    across, up = (f"{name} ({'larger' if way == 'maximize' else 'smaller'} is better)" for name, way in pair)
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    tidy(ax)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _two(source: Any, wanted: Optional[Sequence[str]]) -> list[tuple[str, str]]:
    known = objective_names(source)
    if len(known) < 2:
        raise ValueError(f"a Pareto front needs several objectives; found {len(known)}: use plot.convergence")
    if wanted is None:
        return known[:2]
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    unknown = [name for name in names if name not in dict(known)]
    if unknown or len(set(names)) != 2:
        raise ValueError(f"objectives = {names!r} is not allowed; it must be two of {', '.join(name for name, _ in known)}")
    return [(name, dict(known)[name]) for name in names]


def _dots(ax: Axes, found: Sequence[Record], pair: Sequence[tuple[str, str]], marker: str, colour: str, label: str, size: float = 16) -> None:
    if not found:
        return
    across, up = ([one.values[name] for one in found] for name, _ in pair)
    ax.scatter(across, up, s=size, marker=marker, color=colour, label=label, zorder=3 if size > 20 else 2)


def _staircase(ax: Axes, front: Sequence[Record], pair: Sequence[tuple[str, str]]) -> None:
    """The boundary of the dominated region; only with two objectives, where it is one line."""
    (first, way), (second, _) = pair
    if len(front) < 2 or any(len(one.values) < 2 for one in front):
        return
    ordered = sorted(front, key=lambda one: one.values[first], reverse=way == "maximize")
    heights = [one.values[second] for one in ordered]
    if heights == sorted(heights) or heights == sorted(heights, reverse=True):
        ax.step([one.values[first] for one in ordered], heights, where="post", color=BLUE, linewidth=1.2, alpha=0.6)


def hypervolume(*sources: Any, labels: Optional[Sequence[str]] = None, ax: Optional[Axes] = None) -> Axes:
    """Plot the hypervolume of the Pareto front over evaluations, one curve per result, study or optimizer.

    All values of a curve use one reference point: the given one, or the one inferred from the final front. Curves of
    different sources are comparable only with the same reference point, so set one.

    >>> import neuralbo
    >>> from neuralbo import plot
    >>> goals = ["a:minimize", "b:minimize"]
    >>> result = neuralbo.minimize(lambda x: (x[0] ** 2, (x[0] - 1) ** 2), [(-2, 2)], objectives=goals, method="random", n_trials=9, seed=1)
    >>> ax = plot.hypervolume(result, labels=["random"])
    """
    names = curve_labels("hypervolume", sources, labels, "hypervolume")
    for source in sources:
        _two(source, None)
    ax = axes_of(ax, (6.4, 4.0))
    for index, source in enumerate(sources):
        volumes = [volume for _, volume in source.hypervolume_history]
        ax.step(range(1, len(volumes) + 1), volumes, where="post", label=names[index], **line_style(index))
    ax.set_xlabel("evaluations")
    ax.set_ylabel("hypervolume (larger is better)")
    tidy(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax
