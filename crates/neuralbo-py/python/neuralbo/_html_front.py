"""The part of a card that shows a Pareto front: a table and a small picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .plot._read import Record, front_records, objective_names, records

# Further trials are counted, not listed.
MOST_TRIALS = 10
WIDTH, HEIGHT = 260, 130
CELL = "padding:.05em .9em .05em 0;text-align:right;font-family:ui-monospace,monospace;border:none;background:none"
HEAD = "font-weight:400;padding:.05em .9em .05em 0;text-align:right;opacity:.75;border:none;background:none"
TABLE = "border-collapse:collapse;margin:.5em 0 0;border:none;color:inherit;font-size:inherit;line-height:inherit"


def front_part(source: Any) -> str:
    """The table of the front and its picture; nothing while it is empty."""
    front = front_records(source)
    if not front:
        return ""
    return front_table(source, front) + front_picture(source, front)


def front_table(source: Any, front: Sequence[Record]) -> str:
    """The trials of the front, starting with the best value of the first objective; a selection if there are many."""
    names = [name for name, _ in objective_names(source)] + [one.name for one in source.outcome_constraints]
    names = list(dict.fromkeys(names))
    head = "".join(f'<th style="{HEAD}">{escape(name)}</th>' for name in ("trial", *names))
    rows = "".join(table_row(one, names) for one in spread(front))
    more = f"<div>and {len(front) - MOST_TRIALS} more on the front</div>" if len(front) > MOST_TRIALS else ""
    return f'<table style="{TABLE}"><tr style="background:none">{head}</tr>{rows}</table>{more}'


def spread(front: Sequence[Record]) -> list[Record]:
    """At most ten of them, evenly spaced, including both ends."""
    if len(front) <= MOST_TRIALS:
        return list(front)
    return [front[round(place * (len(front) - 1) / (MOST_TRIALS - 1))] for place in range(MOST_TRIALS)]


def table_row(one: Record, names: Sequence[str]) -> str:
    """One trial."""
    cells = [str(one.number), *(f"{one.values[name]:.6g}" if name in one.values else "" for name in names)]
    return '<tr style="background:none">' + "".join(f'<td style="{CELL}">{escape(text)}</td>' for text in cells) + "</tr>"


def front_picture(source: Any, front: Sequence[Record]) -> str:
    """The plane of the first two objectives: all complete trials as faint dots, the front as full ones."""
    (across, _), (up, _) = objective_names(source)[:2]
    complete = [one for one in records(source) if one.is_complete and across in one.values and up in one.values]
    xs, ys = scaled([one.values[across] for one in complete], WIDTH), scaled([one.values[up] for one in complete], HEIGHT)
    on_front = {one.number for one in front}
    dots = []
    for one, x, y in zip(complete, xs, ys):
        full = one.number in on_front
        look = 'r="3"' if full else 'r="2" opacity=".3"'
        dots.append(f'<circle cx="{x:.1f}" cy="{HEIGHT - y:.1f}" {look} fill="currentColor"/>')
    label = f"Pareto front of {len(front)} trials: {across} from left to right, {up} upwards"
    return picture(label, WIDTH, HEIGHT, f'<path d="M0,0V{HEIGHT}H{WIDTH}" fill="none" stroke="currentColor" opacity=".4"/>{"".join(dots)}')


def picture(label: str, width: int, height: int, content: str) -> str:
    """An SVG with a margin of 4 and a label for screen readers."""
    label, width, height = escape(label, quote=True), width + 8, height + 8
    frame = f'width="{width}" height="{height}" viewBox="-4 -4 {width} {height}" style="display:block;margin-top:.5em"'
    return f'<svg role="img" aria-label="{label}" {frame}><title>{label}</title>{content}</svg>'


def scaled(values: Sequence[float], length: float) -> list[float]:
    """Places from 0 to `length`; in the middle where all are equal."""
    low, high = min(values), max(values)
    return [length * (value - low) / (high - low) if high > low else length / 2.0 for value in values]
