"""Weights & Biases and compatible loggers: one row per trial.

::

    import neuralbo, wandb
    from neuralbo.integrations.wandb import WandbCallback

    with wandb.init(project="tuning") as run:
        neuralbo.minimize(f, [(-5, 5)], callback=WandbCallback(run))
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Protocol

from neuralbo.integrations._finished import Finished, Source, best_value
from neuralbo.trial import Trial

__all__ = ["Run", "WandbCallback"]


class Run(Protocol):
    """The required interface of a run, as returned by ``wandb.init()`` and compatible packages."""

    def log(self, data: Dict[str, Any]) -> Any:
        """Stores one row."""


class WandbCallback:
    """Logs a row for every finished trial: ``trial``, ``state``, the measured values by name, ``params/<name>`` and ``best_value``.

    A row of a failed trial has no value. `run` needs only a method ``log`` that takes a dict; Weights & Biases is not
    imported.

    >>> import neuralbo
    >>> class Rows(list):
    ...     def log(self, data):
    ...         self.append(data)
    >>> rows = Rows()
    >>> result = neuralbo.minimize(lambda x: x[0] ** 2, [(-1, 1)], n_trials=3, seed=1, callback=WandbCallback(rows))
    >>> [row["trial"] for row in rows], rows[-1]["best_value"] == result.fun
    ([0, 1, 2], True)
    """

    def __init__(self, run: Run) -> None:
        if not callable(getattr(run, "log", None)):
            raise TypeError(f"run must have a method log(dict), as wandb.init() returns it; found {type(run).__name__}")
        self._run = run
        self._finished = Finished()

    def __call__(self, source: Source, trial: Optional[Trial] = None) -> None:
        """Called by ``Study.optimize`` with the study and the trial, by ``minimize`` with the result so far."""
        for one in self._finished.new(source, trial):
            best = best_value(source)
            row = {"trial": one.number, "state": one.state, **one.measured, **{f"params/{key}": value for key, value in one.params.items()}}
            self._run.log(row if best is None else {**row, "best_value": best})
