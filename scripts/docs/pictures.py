#!/usr/bin/env python3
"""Draws the pictures of the concepts and the gallery with the package itself; needs matplotlib and numpy.

    python3 scripts/docs/pictures.py docs/pictures

The same seed gives the same pictures, but for the times in `parallel`. The dashboard's are made by crates/neuralbo-dashboard/browser/screenshots.py.
"""

import math
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "neuralbo", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})

import matplotlib.pyplot as plt
import numpy as np

import neuralbo
from neuralbo import plot

BLUE, RED, GREY, GREEN = "#2c6fbb", "#c0392b", "#888888", "#3a7d44"


def wave(x: float) -> float:
    return math.sin(3 * x) + 0.4 * x


def after(points: list[float]) -> neuralbo.Optimizer:
    optimizer = neuralbo.Optimizer([(-2.0, 2.0)], seed=1)
    optimizer.add([[x] for x in points], [wave(x) for x in points])
    return optimizer


def surrogate() -> plt.Figure:
    """Few and more observations: sampled functions, and the mean with its band."""
    figure, axes = plt.subplots(2, 2, figsize=(8, 4.6), sharex=True, sharey=True)
    grid = np.linspace(-2, 2, 161)
    rows = [[float(x)] for x in grid]
    for column, points in enumerate([[-1.7, -0.4, 0.5, 1.6], [-1.7, -1.2, -0.8, -0.4, 0.1, 0.5, 1.1, 1.6]]):
        optimizer = after(points)
        mean, sd = optimizer.predict(rows)
        top, bottom = axes[0][column], axes[1][column]
        for function in optimizer.sample(6, seed=3):
            top.plot(grid, function(rows), color=BLUE, linewidth=0.8, alpha=0.7)
        top.set_title(f"{len(points)} trials: six sampled functions")
        bottom.fill_between(grid, mean - 1.645 * sd, mean + 1.645 * sd, color=BLUE, alpha=0.2, linewidth=0)
        bottom.plot(grid, mean, color=BLUE)
        bottom.set_title("mean and 90 % band")
        for axis in (top, bottom):
            axis.plot(grid, [wave(x) for x in grid], color=GREY, linestyle="--", linewidth=1)
            axis.plot(points, [wave(x) for x in points], "o", color="black", markersize=4)
            axis.set_ylim(-3.2, 3.2)
    figure.tight_layout()
    return figure


def valley(x: float, y: float) -> float:
    return math.log1p(2 * (y - x * x) ** 2 + 0.3 * (1 - x) ** 2)


def trust_region() -> plt.Figure:
    """The trials of a run over the objective, and how far each one is from the best point before it."""
    result = neuralbo.minimize(lambda x: valley(x[0], x[1]), [(-2, 2), (-1, 3)], seed=4, n_trials=45)
    points = np.array([trial.x for trial in result.history])
    values = np.array([trial.value for trial in result.history])
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4))
    x, y = np.meshgrid(np.linspace(-2, 2, 61), np.linspace(-1, 3, 61))
    left.contour(x, y, np.vectorize(valley)(x, y), levels=9, colors=GREY, linewidths=0.5)
    shown = left.scatter(points[:, 0], points[:, 1], c=range(len(points)), cmap="viridis", s=18, zorder=3)
    left.plot(*result.x, marker="*", color=RED, markersize=11, zorder=4)
    left.set_title("trials, by their number")
    figure.colorbar(shown, ax=left)
    best = [int(np.argmin(values[:number])) for number in range(1, len(points))]
    steps = [float(np.linalg.norm(points[number + 1] - points[at])) for number, at in enumerate(best)]
    right.semilogy(range(1, len(points)), np.maximum(steps, 1e-4), "o-", color=BLUE, markersize=3, linewidth=0.8)
    right.set_title("distance from the best trial before")
    right.set_xlabel("trial")
    figure.tight_layout()
    return figure


def noise() -> plt.Figure:
    """Under noise the best value seen is a lucky one."""
    rng = np.random.default_rng(1)
    truth = lambda x: 1.5 * (1 - np.exp(-((x - 0.7) ** 2)))
    result = neuralbo.minimize(lambda x: truth(x[0]) + rng.normal(0, 0.3), [(-2, 2)], seed=1, n_trials=40, method="gp-ei")
    grid = np.linspace(-2, 2, 101)
    figure, axis = plt.subplots(figsize=(6, 3.2))
    axis.plot(grid, truth(grid), color=GREY, linestyle="--", label="the objective without noise")
    axis.plot([trial.x[0] for trial in result.history], [trial.value for trial in result.history], "o", color="black", markersize=3, label="trials")
    axis.plot(result.x[0], result.fun, "v", color=RED, markersize=9, label="best value seen")
    axis.plot(result.x_model[0], result.fun_model, "*", color=GREEN, markersize=13, label="recommended, with the model's value")
    axis.legend(frameon=False)
    figure.tight_layout()
    return figure


def failures() -> plt.Figure:
    """Failed trials say where not to go."""

    def simulate(x: "np.ndarray") -> float | None:
        return None if x[0] + x[1] > 1 else (x[0] - 0.3) ** 2 + (x[1] - 0.62) ** 2

    result = neuralbo.minimize(simulate, [(0, 1), (0, 1)], seed=1, n_trials=50)
    figure, axis = plt.subplots(figsize=(4.2, 3.6))
    axis.fill([0, 1, 1], [1, 0, 1], color=RED, alpha=0.12, linewidth=0)
    for state, marker, color in (("complete", "o", BLUE), ("failed", "x", RED)):
        chosen = [trial.x for trial in result.history if trial.state == state]
        axis.plot([x[0] for x in chosen], [x[1] for x in chosen], marker, color=color, markersize=4, linestyle="", label=f"{len(chosen)} {state}")
    axis.plot(*result.x, "*", color=GREEN, markersize=12, label="best")
    axis.legend(frameon=False, loc="upper right")
    figure.tight_layout()
    return figure


def parallel() -> plt.Figure:
    """Four workers: a new trial begins as soon as one has ended."""

    def slow(trial: neuralbo.Trial) -> float:
        x = trial.suggest_float("x", -2, 2)
        time.sleep(0.05 + 0.05 * abs(x))
        return wave(x)

    study = neuralbo.create_study(seed=1)
    study.optimize(slow, n_trials=32, workers=4)
    trials = sorted(study.trials, key=lambda trial: trial.datetime_start)
    begin = trials[0].datetime_start
    figure, axis = plt.subplots(figsize=(7, 2))
    free = [0.0] * 4
    for trial in trials:
        start, end = ((moment - begin).total_seconds() for moment in (trial.datetime_start, trial.datetime_complete))
        row = next((row for row, until in enumerate(free) if until <= start), min(range(4), key=free.__getitem__))
        free[row] = end
        axis.barh(row, end - start, left=start, height=0.7, color=BLUE, edgecolor="white")
        axis.text((start + end) / 2, row, str(trial.number), ha="center", va="center", color="white", fontsize=7)
    axis.set_yticks(range(4), [f"worker {row + 1}" for row in range(4)])
    axis.set_xlabel("seconds")
    figure.tight_layout()
    return figure


def front() -> plt.Figure:
    """Two objectives: the Pareto front and how its hypervolume grew."""

    def both(x: "np.ndarray") -> dict[str, float]:
        return {"error": (x[0] - 0.2) ** 2 + 0.3 * x[1] ** 2, "cost": (x[0] - 0.9) ** 2 + 0.2 * (x[1] - 0.5) ** 2}

    result = neuralbo.minimize(both, [(0, 1), (0, 1)], objectives=["error:minimize", "cost:minimize"], seed=1, n_trials=40)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    plot.pareto(result, ax=left)
    plot.hypervolume(result, ax=right)
    figure.tight_layout()
    return figure


def pruning() -> plt.Figure:
    """What trials reported, and where they were stopped."""

    def train(trial: neuralbo.Trial) -> float:
        rate = trial.suggest_float("rate", 0.01, 1.0, log=True)
        loss = 1.0
        for step in range(1, 28):
            loss = loss * (1 - 0.2 * rate) + 0.004
            trial.report(loss, step)
            if trial.should_prune():
                raise neuralbo.TrialPruned()
        return loss

    study = neuralbo.create_study(pruner="asha:min=1,factor=3,max=27", method="random", seed=2)
    study.optimize(train, n_trials=30)
    return plot.learning_curves(study).figure


PICTURES = (surrogate, trust_region, noise, failures, parallel, front, pruning)


def main(folder: Path, names: list[str]) -> None:
    for picture in PICTURES:
        name = picture.__name__.replace("_", "-")
        if not names or name in names:
            picture().savefig(folder / f"{name}.svg", metadata={"Date": None})
            plt.close("all")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
