"""Runs optimizers on tasks, each run in a process of one thread; what is there already is not run again."""

from __future__ import annotations

import time
import traceback
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, TimeoutError, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from .optimizers import make
from .runs import Row, budgets, file_of, read_rows, write_rows
from .space import Params
from .tasks import TASKS, Task


@dataclass(frozen=True)
class Job:
    task: str
    optimizer: str
    seed: int
    trials: int

    @property
    def label(self) -> str:
        return f"{self.optimizer} on {self.task}, seed {self.seed}"


def derive(*parts: str | int) -> int:
    """32 bits that depend on all parts, on any machine."""
    words = [zlib.crc32(str(part).encode()) for part in parts]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


def run_once(task: Task, optimizer: str, seed: int, trials: int) -> list[Row]:
    """One run; the incumbent is the trial with the lowest loss told so far, for every optimizer."""
    judged = budgets(trials)
    # Below 2**31, which is the most that all optimizers take.
    search = make(optimizer, task.space, derive(task.name, seed) % 2**31, trials)
    incumbent: Params = {}
    best = float("inf")
    true: dict[str, float] = {}
    rows = []
    for trial in range(1, trials + 1):
        start = time.process_time()
        params = search.ask()
        asked = time.process_time()
        task.space.check(params)
        value = task.evaluate(params, derive(task.name, seed, trial))
        evaluated = time.process_time()
        search.tell(params, value)
        seconds = (asked - start) + (time.process_time() - evaluated)
        if value < best:
            best, incumbent = value, params
        loss = _true_loss(task, incumbent, best, true) if trial in judged else None
        rows.append(Row(trial, value, best, loss, seconds))
    return rows


def _true_loss(task: Task, incumbent: Params, best: float, known: dict[str, float]) -> float:
    if not task.noisy:
        return best
    key = repr(sorted(incumbent.items()))
    if key not in known:
        known[key] = task.true_loss(incumbent)
    return known[key]


def _work(job: Job, folder: Path) -> str | None:
    """The error as text, if there was one: a peer that breaks must not end the others."""
    try:
        with threadpool_limits(1):
            rows = run_once(TASKS[job.task], job.optimizer, job.seed, job.trials)
        write_rows(file_of(folder, job.task, job.optimizer, job.seed), rows)
        return None
    except Exception:  # noqa: BLE001 - whatever a peer raises is its result
        return traceback.format_exc()


def missing(jobs: list[Job], folder: Path) -> list[Job]:
    def done(job: Job) -> bool:
        file = file_of(folder, job.task, job.optimizer, job.seed)
        return file.exists() and len(read_rows(file)) == job.trials

    return [job for job in jobs if not done(job)]


def run_all(jobs: list[Job], folder: Path, processes: int, seconds: float | None, say: Callable[[str], None]) -> list[str]:
    """Runs the jobs in their order and returns the errors. After `seconds` no further job is begun and the running ones are dropped."""
    start = time.monotonic()
    waiting = missing(jobs, folder)
    say(f"{len(jobs)} runs, {len(jobs) - len(waiting)} of them done")
    errors: list[str] = []
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        futures = {pool.submit(_work, job, folder): job for job in waiting}
        left = None if seconds is None else max(0.1, seconds)
        for number, future in enumerate(as_completed(futures, timeout=left), 1):
            job, error = futures[future], future.result()
            if error is not None:
                errors.append(f"{job.label}\n{error}")
            if number % max(1, len(waiting) // 50) == 0 or error is not None:
                outcome = "failed: " + error.strip().splitlines()[-1] if error else "done"
                say(f"{time.monotonic() - start:6.0f} s  {number}/{len(waiting)}  {job.label}: {outcome}")
    except TimeoutError:
        say(f"{time.monotonic() - start:6.0f} s  stopped at the time limit")
        for process in list(pool._processes.values()):
            process.terminate()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return errors
