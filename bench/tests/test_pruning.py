"""The meter and the trainings."""

import math

import pytest

from bench.tasks import get
from bench.tasks.pruning import Meter, Spent
from bench.tasks.trainings import TRAININGS, _split

PARAMS = {
    "linear-digits": {"loss": "log_loss", "alpha": 1e-4, "eta0": 0.01, "power_t": 0.25, "l1_ratio": 0.15},
    "boosting-diabetes": {"learning_rate": 0.05, "max_depth": 3, "subsample": 0.7, "min_samples_leaf": 5, "max_features": 0.5},
    "network-digits": {"rate": 0.05, "momentum": 0.9, "width": 32, "decay": 1e-4, "batch": 32, "scale": 1.0},
}


@pytest.mark.parametrize("name", TRAININGS)
def test_trainings_learn_and_are_repeatable(name):
    task = get(name)
    task.space.check(PARAMS[name])
    curves = [[training.step() for _ in range(5)] for training in (task.begin(PARAMS[name], 3) for _ in range(2))]
    assert curves[0] == pytest.approx(curves[1], rel=1e-6) and curves[0][-1] < curves[0][0]


def test_columns_that_never_vary_stay_small():
    train, test, _, _ = _split("digits", 0)
    never = train.std(0) < 1e-6
    assert never.any() and abs(test[:, never]).max() <= 16


def test_the_meter_stops_at_the_budget_and_knows_the_best_complete_training():
    class Training:
        def step(self):
            return 1.0

    meter = Meter(3)
    for _ in range(3):
        meter.step(Training())
    with pytest.raises(Spent):
        meter.step(Training())
    meter.complete = [(1, 5.0), (3, 2.0)]
    assert (meter.best(0.5), meter.best(2), meter.best(3)) == (math.inf, 5.0, 2.0)
