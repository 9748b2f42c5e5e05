"""Calibration: coverage is counted against tables of the normal distribution."""

from types import SimpleNamespace

import pytest
from conftest import driven

import neuralbo

pytest.importorskip("matplotlib")

from neuralbo import plot  # noqa: E402
from neuralbo.plot._calibration import level, share_inside  # noqa: E402


def predicted(pairs: list[tuple[float, float, float]]) -> SimpleNamespace:
    trials = [
        SimpleNamespace(number=i, params={}, value=value, state="complete", mean=mean, sd=sd, measured={}, feasible=True)
        for i, (value, mean, sd) in enumerate(pairs)
    ]
    return SimpleNamespace(trials=trials)


def test_level_of_an_interval() -> None:
    # Tables of the normal distribution: 68.27 %, 90 % and 95 % lie within 1, 1.6449 and 1.95996 deviations.
    assert level(1.0, 0.0, 1.0, 0.0) == pytest.approx(0.6826894921)
    assert level(-1.6448536270, 0.0, 1.0, 0.0) == pytest.approx(0.9)
    assert level(1.9599639845 * 5, 0.0, 3.0, 4.0) == pytest.approx(0.95)
    assert level(1.0, 1.0, 0.0, 0.0) == 0.0
    assert level(2.0, 1.0, 0.0, 0.0) == 1.0


def test_share_inside() -> None:
    assert share_inside([0.1, 0.5, 0.9, 0.95], 0.9) == 0.75


def test_calibration_counts_what_the_model_chose() -> None:
    source = predicted([(0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (3.0, 0.0, 1.0), (-1.5, 0.0, 1.0)])
    source.trials[0].mean = None
    ax = plot.calibration(source)
    ax.figure.canvas.draw()
    labels = ax.get_legend_handles_labels()[1]
    assert "3 trials" in labels
    assert "inside 90 %: 67 %" in labels


def test_calibration_knows_of_noise() -> None:
    source = predicted([(2.0, 0.0, 0.5)] * 4)
    assert "inside 90 %: 0 %" in plot.calibration(source).get_legend_handles_labels()[1]
    assert "inside 90 %: 100 %" in plot.calibration(source, noise=2.0).get_legend_handles_labels()[1]
    with pytest.raises(ValueError, match="noise"):
        plot.calibration(source, noise=-1.0)


def test_calibration_of_an_optimizer_and_of_a_method_without_a_model() -> None:
    box = driven(neuralbo.Optimizer([(-2.0, 2.0), (0.0, 1.0)], seed=3), lambda point: float((point[0] - 1) ** 2 + point[1]), 12)
    chosen = sum(trial.mean is not None for trial in box.trials)
    assert chosen > 0
    assert f"{chosen} trials" in plot.calibration(box).get_legend_handles_labels()[1]
    with pytest.raises(ValueError, match="no complete trial was suggested by a model"):
        plot.calibration(neuralbo.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=3, method="random", seed=1))
