"""Shared styles: colours safe for colour-blind readers and greyscale, lines that differ without colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSTALL = "neuralbo.plot needs matplotlib: pip install neuralbo[plot]"

# Okabe and Ito's palette, ordered so that neighbours also differ in lightness.
COLOURS = ("#0072b2", "#e69f00", "#000000", "#56b4e9", "#d55e00", "#009e73", "#cc79a7")
DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))
BLUE, ORANGE, BLACK, VERMILLION = COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[4]
GREY, PALE = "#767676", "#d0d0d0"
# Perceptually uniform, readable in greyscale and by colour-blind readers.
SCALE = "cividis"
# 95 % quantile of the normal distribution: a central band of 90 % reaches so many standard deviations to either side.
Z_90 = 1.6448536269514722
# Above this ratio a linear axis hides all but the largest values.
WIDE = 30.0


def pyplot() -> Any:
    """matplotlib.pyplot, or an error with installation instructions."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return plt


def axes_of(ax: Optional[Axes], size: tuple[float, float]) -> Axes:
    """The given axes, or new ones of this size in inches."""
    if ax is not None:
        return ax
    made: Axes = pyplot().subplots(figsize=size, layout="constrained")[1]
    return made


def line_style(index: int) -> dict[str, Any]:
    """Colour and dashes of the curve with this index."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.8}


def is_wide(values: Sequence[float]) -> bool:
    """Whether values are positive and span a range that needs a logarithmic axis."""
    return bool(values) and min(values) > 0.0 and max(values) / min(values) >= WIDE


def tidy(ax: Axes) -> None:
    """A light grid behind the data and no frame on the right and on top."""
    ax.grid(True, color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
