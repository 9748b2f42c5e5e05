"""Runs methods on tasks, each run in a process of one thread; what a file has already is not run again."""

import time
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, TimeoutError, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from . import tasks
from .runs import Run, append, load


class Job(NamedTuple):
    task: str
    method: str
    seed: int
    trials: int

    def __str__(self) -> str:
        return f"{self.method} on {self.task}, seed {self.seed}"


def _work(job: Job) -> Run | str:
    """The error as text if there was one: a peer that breaks must not end the others."""
    try:
        with threadpool_limits(1):
            return tasks.get(job.task).run(job.method, job.seed, job.trials)
    except Exception:  # noqa: BLE001 - whatever a peer raises is its result
        return traceback.format_exc()


def missing(jobs: list[Job], file: Path) -> list[Job]:
    done = {run.key for run in load([file])} if file.exists() else set()
    return [job for job in jobs if tuple(job) not in done]


def run_all(jobs: list[Job], file: Path, processes: int, seconds: float | None, say: Callable[[str], None]) -> list[str]:
    """Runs the jobs in their order and returns the errors. After `seconds` no further job is begun and the running ones are dropped."""
    start, errors = time.monotonic(), []
    waiting = missing(jobs, file)
    say(f"{len(jobs)} runs, {len(jobs) - len(waiting)} of them done")
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        futures = {pool.submit(_work, job): job for job in waiting}
        for number, future in enumerate(as_completed(futures, timeout=seconds), 1):
            job, result, outcome = futures[future], future.result(), "done"
            if isinstance(result, Run):
                append(file, result)
            else:
                errors.append(f"{job}\n{result}")
                outcome = "failed: " + result.strip().splitlines()[-1]
            if number % max(1, len(waiting) // 50) == 0 or outcome != "done":
                say(f"{time.monotonic() - start:6.0f} s  {number}/{len(waiting)}  {job}: {outcome}")
    except TimeoutError:
        say(f"{time.monotonic() - start:6.0f} s  stopped at the time limit")
        for process in list(pool._processes.values()):
            process.terminate()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return errors
