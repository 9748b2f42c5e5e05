"""What crossing from Python to the engine costs.

    python crates/neuralbo-py/bench/boundary.py

Points come from the engine's `random` method, which takes a microsecond or two at the start of a study; so the figures are upper
bounds of the boundary alone. Every figure is given as the least and as the median of several
repetitions: other work on the machine only adds to the least. The last rows show an ask with many points running, where the engine
itself goes through them.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Callable, List, Tuple

import numpy as np

from neuralbo import Float, Int, Optimizer, Space

REPEATS = 15
CALLS = 50
MANY = 10_000


def main() -> None:
    """Prints a table in Markdown."""
    print("| what | least | median | at most |")
    print("|---|---:|---:|---:|")
    bounds = [(0.0, 1.0)] * 10
    space = Space({**{f"x{i}": Float(0, 1) for i in range(8)}, "n": Int(1, 64), "m": Int(1, 9, step=2)})
    for name, given in [("vector of 10", bounds), ("dict of 10", space)]:
        ask, tell = ask_and_tell(given)
        row(f"`ask()`, {name}", ask, "50 µs", "µs")
        row(f"`tell(x, y)`, {name}", tell, "50 µs", "µs")
    row("`best`", best_cost(bounds), "50 µs", "µs")
    row(f"`add(X, y)`, {MANY} × 10 array", batch(bounds, added), "10 ms", "ms")
    row(f"`tell(X, y)`, {MANY} × 10 array", batch(bounds, told), "10 ms", "ms")
    row(f"`tell(X, y)`, {MANY} indices of a pool", pool_batch(), "10 ms", "ms")

    for running in (0, 500, 2_000):
        row(f"`ask()`, vector of 10, {running} running", asks_beside(bounds, running), "engine", "µs")


def asks_beside(given: Any, running: int) -> List[float]:
    """The cost of an ask while many points are running."""
    optimizer = Optimizer(given, method="random", seed=1)
    if running:
        optimizer.add_running(np.random.default_rng(0).uniform(size=(running, len(given))))
    return [microseconds(optimizer.ask) for _ in range(REPEATS)]


def row(what: str, found: List[float], limit: str, unit: str) -> None:
    """One line of the table."""
    scale = 1e-3 if unit == "ms" else 1.0
    least, median = scale * min(found), scale * statistics.median(found)
    print(f"| {what} | {least:.2f} {unit} | {median:.2f} {unit} | {limit} |")


def microseconds(work: Callable[[], Any]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return 1e6 * (time.perf_counter() - started)


def ask_and_tell(given: Any) -> Tuple[List[float], List[float]]:
    """The cost of one ask and of one tell."""
    asks: List[float] = []
    tells: List[float] = []
    for seed in range(20 * REPEATS):
        optimizer = Optimizer(given, method="random", seed=seed)
        points: List[Any] = []
        asks.append(microseconds(lambda: points.extend(optimizer.ask() for _ in range(CALLS))) / CALLS)
        tells.append(microseconds(lambda: [optimizer.tell(x, 1.0) for x in points]) / CALLS)
    return asks, tells


def best_cost(given: Any) -> List[float]:
    """The cost of looking at the best trial."""
    optimizer = Optimizer(given, method="random", seed=1)
    optimizer.tell(optimizer.ask(), 1.0)
    return [microseconds(lambda: [optimizer.best for _ in range(CALLS)]) / CALLS for _ in range(REPEATS)]


def batch(given: Any, work: Callable[[Any, Any, Any], float]) -> List[float]:
    """The cost of many results in one call."""
    X = np.random.default_rng(0).uniform(size=(MANY, len(given)))
    return [work(Optimizer(given, method="random", seed=s), X, X.sum(axis=1)) for s in range(REPEATS)]


def added(optimizer: Any, X: Any, y: Any) -> float:
    """Results from elsewhere."""
    return microseconds(lambda: optimizer.add(X, y))


def told(optimizer: Any, X: Any, y: Any) -> float:
    """Results of running trials."""
    optimizer.add_running(X)
    return microseconds(lambda: optimizer.tell(X, y))


def pool_batch() -> List[float]:
    """Results of a pool."""
    X = np.random.default_rng(0).uniform(size=(MANY, 10))
    found = []
    for seed in range(REPEATS):
        optimizer = Optimizer(pool=X, method="random", seed=seed)
        indices = np.arange(MANY)
        optimizer.add_running(indices)
        found.append(microseconds(lambda: optimizer.tell(indices, X[:, 0])))
    return found


if __name__ == "__main__":
    main()
