"""Trials in MLflow, by its real file store, and in Weights & Biases, by its real offline mode and by anything that has `log`."""

import os
from pathlib import Path
from typing import Any, Dict, List

import pytest

import neuralbo
from neuralbo.integrations.wandb import WandbCallback

# MLflow asks for consent to its plain files.
os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")


def objective(trial: Any) -> float:
    x = trial.suggest_float("x", -1, 1)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    trial.report(x, 1)
    trial.report(x**2, 2)
    if trial.number == 2:
        raise ArithmeticError("diverged")
    if trial.number == 3:
        raise neuralbo.TrialPruned()
    return float(x**2 + (kind == "b"))


def plain(x: Any) -> Any:
    return None if x[0] > 0.9 else float(x[0] ** 2)


class Rows:
    """Anything that logs like Weights & Biases."""

    def __init__(self) -> None:
        self.rows: List[Dict[str, Any]] = []

    def log(self, data: Dict[str, Any]) -> None:
        self.rows.append(data)


def runs(uri: str, experiment: str) -> Dict[int, Any]:
    """The runs of an experiment by the numbers of their trials."""
    client = pytest.importorskip("mlflow.tracking").MlflowClient(uri)
    found = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    return {int(run.data.tags["neuralbo.trial"]): run for run in found}


def test_every_trial_of_a_study_is_a_run_of_mlflow(tmp_path: Path) -> None:
    pytest.importorskip("mlflow")
    from neuralbo.integrations.mlflow import MLflowCallback

    uri = tmp_path.as_uri()
    study = neuralbo.create_study(seed=1)
    callback = MLflowCallback(tracking_uri=uri, experiment="tuning", tags={"team": "a"})
    study.optimize(objective, n_trials=5, callbacks=[callback], catch=ArithmeticError)
    found = runs(uri, "tuning")
    assert sorted(found) == [0, 1, 2, 3, 4]
    for trial in study.trials:
        data, info = found[trial.number].data, found[trial.number].info
        assert data.params == {name: str(value) for name, value in trial.params.items()}
        assert data.metrics.get("value") == trial.measured.get("value")
        assert data.metrics["intermediate"] == trial.intermediate_values[2]
        assert data.tags["team"] == "a" and data.tags["neuralbo.state"] == trial.state
        assert info.status == {2: "FAILED", 3: "KILLED"}.get(trial.number, "FINISHED")
        assert info.start_time <= info.end_time and info.run_name == f"trial {trial.number}"
    assert "diverged" in found[2].data.tags["neuralbo.failure"]


def test_runs_are_children_of_the_active_one(tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    from neuralbo.integrations.mlflow import MLflowCallback

    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("nested")
    with mlflow.start_run() as parent:
        result = neuralbo.minimize(plain, [(-1, 1)], n_trials=4, seed=1, callback=MLflowCallback())
    client = mlflow.tracking.MlflowClient()
    found = client.search_runs([parent.info.experiment_id], f"tags.mlflow.parentRunId = '{parent.info.run_id}'")
    values = {int(run.data.tags["neuralbo.trial"]): run.data.metrics.get("value") for run in found}
    assert values == {trial.number: trial.value for trial in result.history}


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_have_trials_and_the_best_value(workers: int) -> None:
    log = Rows()
    result = neuralbo.minimize(plain, [(-1, 1)], n_trials=8, seed=1, workers=workers, callback=WandbCallback(log))
    assert sorted(row["trial"] for row in log.rows) == list(range(8))
    for row in log.rows:
        trial = result.history[row["trial"]]
        assert row.get("value") == trial.value and row["state"] == trial.state and row["params/x0"] == trial.x[0]
    assert log.rows[-1]["best_value"] == result.fun


def test_rows_of_several_objectives_have_each_value() -> None:
    log = Rows()
    study = neuralbo.create_study(objectives=["loss:minimize", "size:minimize"], method="random", seed=1)
    study.optimize(lambda trial: {"loss": trial.suggest_float("x", 0, 1), "size": 2.0}, n_trials=2, callbacks=[WandbCallback(log)])
    assert [(row["loss"], row["size"], "best_value" in row) for row in log.rows] == [
        (trial.params["x"], 2.0, False) for trial in study.trials
    ]


def test_a_real_offline_run_of_weights_and_biases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(project="tuning", mode="offline", dir=str(tmp_path)) as run:
        result = neuralbo.minimize(plain, [(-1, 1)], n_trials=4, seed=1, callback=WandbCallback(run))
        assert run.summary["best_value"] == result.fun and run.summary["trial"] == 3
    assert list(tmp_path.rglob("*.wandb"))


def test_what_cannot_log_is_refused() -> None:
    wrong: Any = object()
    with pytest.raises(TypeError, match="method log"):
        WandbCallback(wrong)
