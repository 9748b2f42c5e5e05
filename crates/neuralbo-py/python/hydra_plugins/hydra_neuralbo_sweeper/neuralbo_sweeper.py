"""The class found by Hydra; its implementation is imported when a sweep starts, since Hydra imports all plugins on
startup."""

from __future__ import annotations

from typing import Any, List, Optional

from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

from hydra_plugins.hydra_neuralbo_sweeper.config import NeuralBOSweeperConf


class NeuralBOSweeper(Sweeper):
    """Selects the jobs of a multirun from the results of earlier ones."""

    def __init__(self, **settings: Any) -> None:
        self.settings = NeuralBOSweeperConf(**settings)
        self.hydra_context: Optional[HydraContext] = None
        self.config: Optional[DictConfig] = None
        self.launcher: Optional[Launcher] = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Called by Hydra before the sweep."""
        self.hydra_context = hydra_context
        self.config = config
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: List[str]) -> None:
        """Run the jobs; the result is in ``optimization_results.yaml`` in the sweep folder."""
        from hydra_plugins.hydra_neuralbo_sweeper._sweep import sweep

        sweep(self, arguments)
