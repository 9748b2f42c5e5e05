"""The best known hypervolume of a problem without a closed form: what long runs of pymoo's NSGA-II find together."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from threadpoolctl import threadpool_limits

from .hypervolume import hypervolume
from .optimizers import Task, make
from .problems import problem
from .problems.base import Values


def _values(name: str, trials: int, seed: int) -> list[Values]:
    chosen = problem(name)
    search = make("pymoo-nsga2", Task(chosen.space, chosen.objectives, seed, trials))
    found = []
    with threadpool_limits(1):
        for _ in range(trials):
            params = search.ask()
            values = chosen.evaluate(params)
            search.tell(params, values)
            found.append(chosen.scaled(values))
    return found


def best_known(name: str, trials: int, seeds: int) -> float:
    """The hypervolume of all fronts together, one process for each seed."""
    with ProcessPoolExecutor(seeds, mp_context=get_context("spawn")) as pool:
        runs = list(pool.map(_values, [name] * seeds, [trials] * seeds, range(1000, 1000 + seeds)))
    points = [point for run in runs for point in run]
    return hypervolume(points, [1.0] * problem(name).objectives)
