"""Figures of optimizers, results and studies with matplotlib, which is imported when a figure is drawn.

    pip install neuralbo[plot]

| function | shows |
| --- | --- |
| `convergence` | best value so far against evaluations |
| `slices` | the model along each parameter, with its uncertainty |
| `parallel_coordinates` | all trials across all parameters |
| `pareto` | the front of several objectives |
| `hypervolume` | hypervolume of the front over evaluations |
| `outcome_constraints` | outcome constraints per trial |
| `calibration` | observed against nominal coverage of predictions |
| `importance` | parameter importance with intervals |
| `slice` | the objective along one parameter, with a band |
| `contour` | the objective over two parameters and its uncertainty |
| `timeline` | trials per worker over time |
| `learning_curves` | intermediate values of trials |

The last five also draw with Plotly: `backend="plotly"`.

Colours are safe for colour-blind readers and in greyscale; curves also differ in their dashes.
"""

from ._calibration import calibration
from ._convergence import convergence
from ._dependence import contour, slice
from ._importance import importance
from ._learning import learning_curves
from ._outcome_constraints import outcome_constraints
from ._parallel import parallel_coordinates
from ._pareto import hypervolume, pareto
from ._slices import slices
from ._timeline import timeline

__all__ = [
    "calibration",
    "contour",
    "convergence",
    "hypervolume",
    "importance",
    "learning_curves",
    "outcome_constraints",
    "parallel_coordinates",
    "pareto",
    "slice",
    "slices",
    "timeline",
]
