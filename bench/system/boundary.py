"""What crossing from Python to the engine costs, as a table in Markdown.

    python bench/system/boundary.py

Points come from the engine's `random` method, which takes a microsecond or two at the start of a study; so the figures are upper
bounds of the boundary alone. Each figure is the minimum and the median of several repetitions: other work on the machine only adds
to the minimum. The last rows show an ask with many running points, which the engine itself goes through.
"""

import statistics
import time
from typing import Any, Callable

import numpy as np

from neuralbo import Float, Int, Optimizer, Space

REPEATS, CALLS, MANY = 15, 50, 10_000
BOUNDS = [(0.0, 1.0)] * 10
SPACE = Space({**{f"x{i}": Float(0, 1) for i in range(8)}, "n": Int(1, 64), "m": Int(1, 9, step=2)})
X = np.random.default_rng(0).uniform(size=(MANY, 10))


def main() -> None:
    print("| what | least | median | at most |\n|---|---:|---:|---:|")
    for name, given in [("vector of 10", BOUNDS), ("dict of 10", SPACE)]:
        asks, tells = ask_and_tell(given)
        row(f"`ask()`, {name}", asks, "50 µs")
        row(f"`tell(x, y)`, {name}", tells, "50 µs")
    known = optimizer(BOUNDS)
    known.tell(known.ask(), 1.0)
    row("`best`", repeated(lambda: [known.best for _ in range(CALLS)], CALLS), "50 µs")
    y = X.sum(axis=1)
    row(f"`add(X, y)`, {MANY} × 10 array", [microseconds(lambda o=optimizer(BOUNDS): o.add(X, y)) for _ in range(REPEATS)], "10 ms")
    row(f"`tell(X, y)`, {MANY} × 10 array", [told(optimizer(BOUNDS), X) for _ in range(REPEATS)], "10 ms")
    pools = (Optimizer(pool=X, method="random", seed=1) for _ in range(REPEATS))
    row(f"`tell(X, y)`, {MANY} indices of a pool", [told(pool, np.arange(MANY)) for pool in pools], "10 ms")
    for running in (0, 500, 2_000):
        beside = optimizer(BOUNDS)
        if running:
            beside.add_running(X[:running])
        row(f"`ask()`, vector of 10, {running} running", repeated(beside.ask), "engine")


def optimizer(given: Any, seed: int = 1) -> Optimizer:
    return Optimizer(given, method="random", seed=seed)


def microseconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return 1e6 * (time.perf_counter() - began)


def repeated(work: Callable[[], Any], calls: int = 1) -> list[float]:
    return [microseconds(work) / calls for _ in range(REPEATS)]


def row(what: str, found: list[float], limit: str) -> None:
    scale, unit = (1e-3, "ms") if limit.endswith("ms") else (1.0, "µs")
    print(f"| {what} | {scale * min(found):.2f} {unit} | {scale * statistics.median(found):.2f} {unit} | {limit} |")


def ask_and_tell(given: Any) -> tuple[list[float], list[float]]:
    """The cost of one ask and of one tell."""
    asks, tells = [], []
    for seed in range(20 * REPEATS):
        fresh, points = optimizer(given, seed), []
        asks.append(microseconds(lambda: points.extend(fresh.ask() for _ in range(CALLS))) / CALLS)
        tells.append(microseconds(lambda: [fresh.tell(x, 1.0) for x in points]) / CALLS)
    return asks, tells


def told(fresh: Optimizer, points: Any) -> float:
    """The cost of telling many results of running trials at once."""
    fresh.add_running(points)
    return microseconds(lambda: fresh.tell(points, X[:, 0]))


if __name__ == "__main__":
    main()
