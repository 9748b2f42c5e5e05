"""Runs optimizers on problems, each run in a process of one thread; what is there already is not run again."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, TimeoutError, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from ..hpo.runner import derive
from .hypervolume import Archive
from .optimizers import Task, make
from .problems import Problem, problem
from .runs import AREAS, FACTORS, Run, append, load


@dataclass(frozen=True)
class Job:
    """One run of `factor` trials per dimension."""

    problem: str
    optimizer: str
    seed: int
    factor: int

    @property
    def key(self) -> tuple[str, str, int]:
        return self.problem, self.optimizer, self.seed

    @property
    def label(self) -> str:
        return f"{self.optimizer} on {self.problem}, seed {self.seed}"


def run_once(chosen: Problem, optimizer: str, seed: int, factor: int) -> Run:
    trials = factor * chosen.dimension
    # Below 2**31, which is the most that all optimizers take.
    task = Task(chosen.space, chosen.objectives, derive(chosen.name, seed) % 2**31, trials)
    search = make(optimizer, task)
    archive = Archive([1.0] * chosen.objectives)
    seconds, volumes = np.empty(trials), np.empty(trials)
    for trial in range(trials):
        start = time.process_time()
        params = search.ask()
        asked = time.process_time()
        chosen.space.check(params)
        values = chosen.evaluate(params)
        evaluated = time.process_time()
        search.tell(params, values)
        seconds[trial] = (asked - start) + (time.process_time() - evaluated)
        volumes[trial] = archive.add(chosen.scaled(values)) / chosen.best
    return Run(
        chosen.name,
        optimizer,
        seed,
        trials,
        1e3 * float(seconds.mean()),
        1e3 * float(seconds[-max(1, trials // 10) :].mean()),
        {area: float(volumes[: area * chosen.dimension].mean()) for area in AREAS if area <= factor},
        {at: float(volumes[at * chosen.dimension - 1]) for at in FACTORS if at <= factor},
    )


def _work(job: Job) -> Run | str:
    """The error as text, if there was one: a peer that breaks must not end the others."""
    try:
        with threadpool_limits(1):
            return run_once(problem(job.problem), job.optimizer, job.seed, job.factor)
    except Exception:  # noqa: BLE001 - whatever a peer raises is its result
        return traceback.format_exc()


def missing(jobs: list[Job], folder: Path) -> list[Job]:
    """The jobs that have no run as long as they ask for."""
    done = {run.key: max(run.hypervolumes) for run in load([folder])}
    return [job for job in jobs if done.get(job.key, 0) < max(at for at in FACTORS if at <= job.factor)]


def run_all(jobs: list[Job], folder: Path, processes: int, seconds: float | None, say: Callable[[str], None]) -> list[str]:
    """Runs the jobs in their order and returns the errors. After `seconds` no further job is begun and the running ones are dropped."""
    start = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    waiting = missing(jobs, folder)
    say(f"{len(jobs)} runs, {len(jobs) - len(waiting)} of them done")
    errors: list[str] = []
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        futures = {pool.submit(_work, job): job for job in waiting}
        left = None if seconds is None else max(0.1, seconds)
        for number, future in enumerate(as_completed(futures, timeout=left), 1):
            job, result = futures[future], future.result()
            outcome = "done"
            if isinstance(result, Run):
                append(folder, result)
            else:
                errors.append(f"{job.label}\n{result}")
                outcome = "failed: " + result.strip().splitlines()[-1]
            if number % max(1, len(waiting) // 50) == 0 or outcome != "done":
                say(f"{time.monotonic() - start:6.0f} s  {number}/{len(waiting)}  {job.label}: {outcome}")
    except TimeoutError:
        say(f"{time.monotonic() - start:6.0f} s  stopped at the time limit")
        for process in list(pool._processes.values()):
            process.terminate()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return errors
