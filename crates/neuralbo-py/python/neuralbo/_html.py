"""Small HTML cards for notebooks: result, progress, seed.

Colours are the notebook's own (`currentColor`, half-transparent borders), so that cards fit light and dark themes alike. All
text is escaped; styles are inline, so that a card changes nothing around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log
from typing import Any

from .plot._read import Record, best_record, best_so_far, direction, front_records, named, objective_names, records, space_names
from .plot._style import is_wide

CARD = (
    "display:inline-block;max-width:44em;padding:.7em 1em;border:1px solid rgba(128,128,128,.45);border-radius:6px;"
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;color:inherit;background:transparent"
)
HEAD = "font-weight:600;margin-bottom:.35em"
TABLE = "border-collapse:collapse;margin:0;border:none;color:inherit;font-size:inherit;line-height:inherit"
NAME = "font-weight:400;padding:.05em 1.2em .05em 0;text-align:left;vertical-align:top;opacity:.75;border:none;background:none"
CELL = "padding:.05em 0;text-align:left;font-family:ui-monospace,monospace;overflow-wrap:anywhere;border:none;background:none"
FRONT_TABLE = "border-collapse:collapse;margin:.5em 0 0;border:none;color:inherit;font-size:inherit;line-height:inherit"
FRONT_HEAD = "font-weight:400;padding:.05em .9em .05em 0;text-align:right;opacity:.75;border:none;background:none"
FRONT_CELL = "padding:.05em .9em .05em 0;text-align:right;font-family:ui-monospace,monospace;border:none;background:none"
# Further parameters, and further trials of a front, are counted, not listed.
MOST_ROWS, MOST_TRIALS = 12, 10
MOST_LETTERS = 80
WIDTH, HEIGHT, FRONT_HEIGHT = 260, 56, 130


def result_card(result: Any) -> str:
    """A `Result` as HTML: value, point, counts, seed and a sketch of the best value so far.

    >>> import neuralbo
    >>> from neuralbo._html import result_card
    >>> card = result_card(neuralbo.minimize(lambda x: x[0] ** 2, [(-1, 1)], n_trials=5, seed=1))
    >>> card.startswith("<div")
    True
    """
    found = records(result)
    title = "succeeded" if result.success else "found nothing"
    evaluations = f"{result.nfev}, {result.nfail} of them failed" if result.nfail else str(result.nfev)
    told = [("evaluations", evaluations), ("message", result.message), ("seed", result.seed)]
    if len(result.objectives) > 1:
        return card(f"neuralbo result: {title}", [*front_rows(result), *told], front_part(result))
    best = [] if result.x is None else parameter_rows(named(result.x, space_names(result)))
    return card(f"neuralbo result: {title}", [("best value", result.fun), *best, *told], sketch(found, direction(result)))


def study_card(study: Any) -> str:
    """A `Study` as HTML: name, method, counts of its trials, the best one and a sketch of the best value so far.

    >>> import neuralbo
    >>> from neuralbo._html import study_card
    >>> study = neuralbo.create_study(study_name="tuning", seed=1)
    >>> "tuning" in study_card(study)
    True
    """
    found = records(study)
    way = direction(study)
    name = f"neuralbo study: {study.study_name}"
    told: list[tuple[str, Any]] = [("method", study.method), ("trials", states(found) or "none yet")]
    seed = ("seed", study.seed)
    if len(study.objectives) > 1:
        return card(name, [*front_rows(study), *told, seed], front_part(study))
    best = best_record(found, way)
    if best is not None:
        told += [("best value", best.value), ("best trial", best.number), *parameter_rows(best.params)]
    return card(name, [("direction", way), *told, seed], sketch(found, way))


def front_rows(source: Any) -> list[tuple[str, Any]]:
    """The objectives, the outcome constraints and the hypervolume."""
    objectives = ", ".join(f"{one.name}:{one.direction}" for one in source.objectives)
    limits = ", ".join(one.text for one in source.outcome_constraints) or None
    reference = source.reference
    shown = None if reference is None else ", ".join(f"{name} = {value:.6g}" for name, value in reference.items())
    return [("objectives", objectives), ("outcome constraints", limits), ("hypervolume", source.hypervolume), ("reference", shown)]


def card(title: str, rows: Sequence[tuple[str, Any]], picture: str) -> str:
    """The frame around a title, a table and a picture; rows without a value are omitted."""
    lines = "".join(row(name, value) for name, value in rows if value is not None)
    table = f'<table style="{TABLE}">{lines}</table>'
    return f'<div style="{CARD}"><div style="{HEAD}">{escape(title)}</div>{table}{picture}</div>'


def row(name: str, value: Any) -> str:
    """One row of the table."""
    return f'<tr style="background:none"><th style="{NAME}">{escape(name)}</th><td style="{CELL}">{escape(text(value))}</td></tr>'


def text(value: Any) -> str:
    """A value in few letters; numbers keep six digits."""
    is_number = hasattr(value, "__float__") and not isinstance(value, int)
    shown = f"{float(value):.6g}" if is_number else str(value)
    return shown if len(shown) <= MOST_LETTERS else shown[: MOST_LETTERS - 1] + "…"


def parameter_rows(params: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """One row per parameter; if there are many, the first ones and the number of others."""
    shown = list(params.items())
    if len(shown) <= MOST_ROWS:
        return shown
    return [*shown[: MOST_ROWS - 1], ("…", f"and {len(shown) - MOST_ROWS + 1} more parameters")]


def states(found: Sequence[Record]) -> str:
    """The number of trials per state."""
    names = dict.fromkeys(one.state for one in found)
    return ", ".join(f"{sum(one.state == name for one in found)} {name}" for name in names)


def sketch(found: Sequence[Record], way: str) -> str:
    """The best value so far as a small step curve; empty for fewer than two values."""
    curve = best_so_far(found, way)
    if len(curve) < 2:
        return ""
    heights = unit_heights([value for _, value in curve])
    across = WIDTH / (len(curve) - 1)
    steps = [f"M0,{heights[0]:.1f}", *(f"H{index * across:.1f}V{heights[index]:.1f}" for index in range(1, len(curve)))]
    label = f"best value so far after {curve[0][0]} to {curve[-1][0]} evaluations"
    line = f'<path d="{"".join(steps)}" fill="none" stroke="currentColor" stroke-width="1.6"/>'
    return picture(label, HEIGHT, f'{line}<circle cx="{WIDTH}" cy="{heights[-1]:.1f}" r="2.6" fill="currentColor"/>')


def unit_heights(values: Sequence[float]) -> list[float]:
    """Heights in the picture, larger values higher up; on a log scale for wide ranges."""
    scaled = [log(value) for value in values] if is_wide(values) else list(values)
    low, high = min(scaled), max(scaled)
    if high == low:
        return [HEIGHT / 2.0] * len(scaled)
    return [HEIGHT * (high - value) / (high - low) for value in scaled]


def front_part(source: Any) -> str:
    """The table of the front, starting with the best value of the first objective, and its picture; nothing while it is empty."""
    front = front_records(source)
    if not front:
        return ""
    names = list(dict.fromkeys(one.name for one in (*source.objectives, *source.outcome_constraints)))
    head = "".join(f'<th style="{FRONT_HEAD}">{escape(name)}</th>' for name in ("trial", *names))
    rows = ""
    for one in spread(front):
        cells = [str(one.number), *(f"{one.values[name]:.6g}" if name in one.values else "" for name in names)]
        rows += '<tr style="background:none">' + "".join(f'<td style="{FRONT_CELL}">{escape(text)}</td>' for text in cells) + "</tr>"
    more = f"<div>and {len(front) - MOST_TRIALS} more on the front</div>" if len(front) > MOST_TRIALS else ""
    return f'<table style="{FRONT_TABLE}"><tr style="background:none">{head}</tr>{rows}</table>{more}{front_picture(source, front)}'


def spread(front: Sequence[Record]) -> list[Record]:
    """At most ten of them, evenly spaced, including both ends."""
    if len(front) <= MOST_TRIALS:
        return list(front)
    return [front[round(place * (len(front) - 1) / (MOST_TRIALS - 1))] for place in range(MOST_TRIALS)]


def front_picture(source: Any, front: Sequence[Record]) -> str:
    """The plane of the first two objectives: all complete trials as faint dots, the front as full ones."""
    (across, _), (up, _) = objective_names(source)[:2]
    complete = [one for one in records(source) if one.is_complete and across in one.values and up in one.values]
    xs, ys = (scaled([one.values[name] for one in complete], length) for name, length in ((across, WIDTH), (up, FRONT_HEIGHT)))
    on_front = {one.number for one in front}
    dots = []
    for one, x, y in zip(complete, xs, ys):
        full = one.number in on_front
        look = 'r="3"' if full else 'r="2" opacity=".3"'
        dots.append(f'<circle cx="{x:.1f}" cy="{FRONT_HEIGHT - y:.1f}" {look} fill="currentColor"/>')
    label = f"Pareto front of {len(front)} trials: {across} from left to right, {up} upwards"
    return picture(label, FRONT_HEIGHT, f'<path d="M0,0V{FRONT_HEIGHT}H{WIDTH}" fill="none" stroke="currentColor" opacity=".4"/>{"".join(dots)}')


def picture(label: str, height: int, content: str) -> str:
    """An SVG with a margin of 4 and a label for screen readers."""
    label, width, height = escape(label, quote=True), WIDTH + 8, height + 8
    frame = f'width="{width}" height="{height}" viewBox="-4 -4 {width} {height}" style="display:block;margin-top:.5em"'
    return f'<svg role="img" aria-label="{label}" {frame}><title>{label}</title>{content}</svg>'


def scaled(values: Sequence[float], length: float) -> list[float]:
    """Places from 0 to `length`; in the middle where all are equal."""
    low, high = min(values), max(values)
    return [length * (value - low) / (high - low) if high > low else length / 2.0 for value in values]
