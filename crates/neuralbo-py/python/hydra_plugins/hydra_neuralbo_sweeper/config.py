"""The settings of the sweeper, ``hydra.sweeper.*``.

Annotations are values here: Hydra imports plugins without making them known, and dataclasses would look in vain for what texts mean.
"""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from hydra.core.config_store import ConfigStore


@dataclass
class NeuralBOSweeperConf:
    """What ``hydra/sweeper=neuralbo`` stands for."""

    _target_: str = "hydra_plugins.hydra_neuralbo_sweeper.neuralbo_sweeper.NeuralBOSweeper"
    # How many jobs there are in all, and how many the launcher gets at a time.
    n_trials: int = 20
    workers: int = 1
    # Seconds after which no further jobs are launched.
    timeout: Optional[float] = None
    direction: str = "minimize"
    # Several objectives, such as ["loss:minimize", "size:minimize"]; the task returns a dict or a tuple then.
    objectives: List[str] = field(default_factory=list)
    # How points are chosen, and the options of the method.
    method: str = "neuralbo"
    options: Dict[str, Any] = field(default_factory=dict)
    seed: Optional[int] = None
    # Where the study is kept; the same command again continues it.
    storage: Optional[str] = None
    study_name: Optional[str] = None
    # Whether a job that fails is a failed trial, or ends the sweep.
    catch: bool = False
    # Parameters as overrides, such as {lr: "tag(log, interval(1e-5, 1e-1))"}, and what every point satisfies.
    params: Dict[str, str] = field(default_factory=dict)
    constraints: List[str] = field(default_factory=list)


ConfigStore.instance().store(group="hydra/sweeper", name="neuralbo", node=NeuralBOSweeperConf, provider="neuralbo")
