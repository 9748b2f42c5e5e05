"""The plotting library: matplotlib, or Plotly if installed. Both use the same colours on white."""

from __future__ import annotations

from typing import Any

from ._style import PALE

BACKENDS = ("matplotlib", "plotly")
INSTALL = 'backend="plotly" needs Plotly: pip install plotly'


def is_plotly(backend: str) -> bool:
    """Whether Plotly is requested; rejects unknown backends."""
    if backend not in BACKENDS:
        raise ValueError(f"backend: found {backend!r}; it must be one of {', '.join(map(repr, BACKENDS))}")
    return backend == "plotly"


def objects() -> Any:
    """plotly.graph_objects, or an error with installation instructions."""
    try:
        import plotly.graph_objects as go  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return go


def figure(traces: list[Any], *, x: str = "", y: str = "", **layout: Any) -> Any:
    """A figure in the style of the matplotlib ones: white, with a light grid."""
    shown = objects().Figure(traces)
    shown.update_layout(template="plotly_white", font={"color": "black"}, margin={"t": 40}, **layout)
    shown.update_xaxes(title=x, gridcolor=PALE, zeroline=False)
    shown.update_yaxes(title=y, gridcolor=PALE, zeroline=False)
    return shown


def clear(colour: str, alpha: float) -> str:
    """A translucent colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"
