"""The meter, the trainings and the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..methods import Meter, Spent
from ..report import table
from ..tasks import TASKS, _split

PARAMS = {
    "linear-digits": {"loss": "log_loss", "alpha": 1e-4, "eta0": 0.01, "power_t": 0.25, "l1_ratio": 0.15},
    "boosting-diabetes": {"learning_rate": 0.05, "max_depth": 3, "subsample": 0.7, "min_samples_leaf": 5, "max_features": 0.5},
    "network-digits": {"rate": 0.05, "momentum": 0.9, "width": 32, "decay": 1e-4, "batch": 32, "scale": 1.0},
}


@pytest.mark.parametrize("name", TASKS)
def test_trainings_learn_and_are_repeatable(name: str) -> None:
    pytest.importorskip("sklearn")
    curves = [[training.step() for _ in range(5)] for training in (TASKS[name].begin(PARAMS[name], 3) for _ in range(2))]
    assert curves[0] == pytest.approx(curves[1], rel=1e-6) and curves[0][-1] < curves[0][0]
    assert set(PARAMS[name]) == set(TASKS[name].space)


def test_columns_that_never_vary_stay_small() -> None:
    pytest.importorskip("sklearn")
    train, test, _, _ = _split("digits", 0)
    never = train.std(0) < 1e-6
    assert never.any() and abs(test[:, never]).max() <= 16


def test_the_meter_stops_at_the_budget() -> None:
    class Training:
        def step(self) -> float:
            return 1.0

    meter = Meter(3)
    for _ in range(3):
        meter.step(Training())
    with pytest.raises(Spent):
        meter.step(Training())
    meter.complete = [(1, 5.0), (3, 2.0)]
    assert (meter.best(2), meter.best(3)) == (5.0, 2.0)


def test_the_table_has_means_and_pairs(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    rows = ["task,method,seed,trials,complete,half,loss,seconds"]
    rows += [f"t,neuralbo+asha,{seed},9,3,2.0,1.0,1" for seed in range(3)] + [f"t,tpe,{seed},9,3,2.0,2.0,1" for seed in range(3)]
    file.write_text("\n".join(rows) + "\n")
    shown = table(file)
    assert "| tpe | 3 | 9 | 3 | 2.0000 | 2.0000 ± 0.0000 | +69.3 ± 0.0 % |" in shown
