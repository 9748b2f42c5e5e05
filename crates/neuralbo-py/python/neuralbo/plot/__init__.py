"""Figures of optimizers, results and studies with matplotlib, which is only imported when a figure is drawn.

    pip install neuralbo[plot]

| function | shows |
| --- | --- |
| `convergence` | best value so far against evaluations |
| `slices` | the model along each parameter, with its uncertainty |
| `parallel_coordinates` | all trials across all parameters |
| `pareto` | the front of several objectives |
| `hypervolume` | how the front's hypervolume grew |
| `constraints` | what outcome constraints limit, trial by trial |
| `calibration` | whether predictions came true as often as they said |
| `importance` | how much each parameter matters, with intervals |
| `slice` | the objective along one parameter, with a band |
| `contour` | the objective over two parameters and its uncertainty |
| `timeline` | who evaluated which trial, and when |
| `learning_curves` | what trials reported on the way |

The last five also draw with Plotly: `backend="plotly"`.

Colours are told apart by the colour-blind and in grey; curves differ in their dashes too.
"""

from ._calibration import calibration
from ._constraints import constraints
from ._convergence import convergence
from ._dependence import contour, slice
from ._importance import importance
from ._learning import learning_curves
from ._parallel import parallel_coordinates
from ._pareto import hypervolume, pareto
from ._slices import slices
from ._timeline import timeline

__all__ = [
    "calibration",
    "constraints",
    "contour",
    "convergence",
    "hypervolume",
    "importance",
    "learning_curves",
    "parallel_coordinates",
    "pareto",
    "slice",
    "slices",
    "timeline",
]
