"""MLflow: every trial becomes a run of an experiment.

::

    import neuralbo
    from neuralbo.integrations.mlflow import MLflowCallback

    study = neuralbo.create_study(seed=1)
    study.optimize(objective, n_trials=50, callbacks=[MLflowCallback(experiment="tuning")])
    neuralbo.minimize(f, [(-5, 5)], callback=MLflowCallback(experiment="tuning"))
"""

from __future__ import annotations

import time
from typing import Any, Dict, Mapping, Optional

from neuralbo.integrations._finished import Finished, Source
from neuralbo.integrations._require import require
from neuralbo.trial import Trial

require("mlflow", "mlflow")

import mlflow  # noqa: E402
from mlflow.entities import Metric, Param  # noqa: E402
from mlflow.tracking import MlflowClient  # noqa: E402

__all__ = ["MLflowCallback"]

#: MLflow's run status by trial state.
_STATUS = {"complete": "FINISHED", "pruned": "KILLED", "failed": "FAILED"}


class MLflowCallback:
    """Logs every finished trial as a run: its parameters, measured values, and intermediate values by step.

    Runs are children of the run that is active when the first trial finishes, if any. A failed trial is a failed run
    with the reason as the tag ``neuralbo.failure``.

    Args:
        tracking_uri: MLflow's storage; default ``mlflow.get_tracking_uri()``.
        experiment: the name of the experiment, created if needed; default: that of the active run, or MLflow's
            default.
        tags: added to every run.
    """

    def __init__(
        self, *, tracking_uri: Optional[str] = None, experiment: Optional[str] = None, tags: Optional[Mapping[str, str]] = None
    ) -> None:
        self._client = MlflowClient(tracking_uri or mlflow.get_tracking_uri())
        self._tags = dict(tags or {})
        self._name = experiment
        self._experiment: Optional[str] = None
        self._finished = Finished()

    def __call__(self, source: Source, trial: Optional[Trial] = None) -> None:
        """Called by ``Study.optimize`` with the study and the trial, by ``minimize`` with the result so far."""
        for one in self._finished.new(source, trial):
            self._write(one)

    def _write(self, trial: Trial) -> None:
        asked, started, ended = trial.times_ms
        now = ended or int(time.time() * 1000)
        run = self._client.create_run(
            self._experiment_id(), start_time=started or asked or now, run_name=f"trial {trial.number}", tags=self._tags_of(trial)
        )
        params = [Param(name, str(value)) for name, value in trial.params.items()]
        metrics = [Metric(name, value, now, 0) for name, value in trial.measured.items()]
        metrics += [Metric("intermediate", value, now, step) for step, value in trial.intermediate_values.items()]
        self._client.log_batch(run.info.run_id, params=params, metrics=metrics, tags=[])
        self._client.set_terminated(run.info.run_id, _STATUS.get(trial.state, "FINISHED"), end_time=now)

    def _tags_of(self, trial: Trial) -> Dict[str, Any]:
        about = {"neuralbo.trial": str(trial.number), "neuralbo.state": trial.state}
        about.update({"neuralbo.origin": trial.origin} if trial.origin else {})
        about.update({"neuralbo.failure": trial.message} if trial.message else {})
        active = mlflow.active_run()
        about.update({} if active is None else {"mlflow.parentRunId": active.info.run_id})
        return {**about, **self._tags}

    def _experiment_id(self) -> str:
        if self._experiment is not None:
            return self._experiment
        if self._name is None:
            active = mlflow.active_run()
            self._experiment = "0" if active is None else str(active.info.experiment_id)
        else:
            found = self._client.get_experiment_by_name(self._name)
            self._experiment = str(self._client.create_experiment(self._name) if found is None else found.experiment_id)
        return self._experiment
