"""The settings of the sweeper, ``hydra.sweeper.*``.

Annotations are values here: Hydra imports plugins without registering them in `sys.modules`, so dataclasses could not
resolve strings.
"""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from hydra.core.config_store import ConfigStore


@dataclass
class NeuralBOSweeperConf:
    """The configuration of ``hydra/sweeper=neuralbo``."""

    _target_: str = "hydra_plugins.hydra_neuralbo_sweeper.neuralbo_sweeper.NeuralBOSweeper"
    # Total jobs, and jobs per launch.
    n_trials: int = 20
    workers: int = 1
    # Seconds after which no further jobs are launched.
    timeout: Optional[float] = None
    direction: str = "minimize"
    # Several objectives, such as ["loss:minimize", "size:minimize"]; the task returns a dict or a tuple then.
    objectives: List[str] = field(default_factory=list)
    # The method and its options.
    method: str = "neuralbo"
    options: Dict[str, Any] = field(default_factory=dict)
    seed: Optional[int] = None
    # The storage of the study; the same command resumes it.
    storage: Optional[str] = None
    study_name: Optional[str] = None
    # Whether a failing job is a failed trial or ends the sweep.
    catch: bool = False
    # Parameters as overrides, such as {lr: "tag(log, interval(1e-5, 1e-1))"}, and constraints.
    params: Dict[str, str] = field(default_factory=dict)
    constraints: List[str] = field(default_factory=list)


ConfigStore.instance().store(group="hydra/sweeper", name="neuralbo", node=NeuralBOSweeperConf, provider="neuralbo")
