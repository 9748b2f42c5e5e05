"""The time that one suggestion takes when a study has many trials."""

from __future__ import annotations

import time

import numpy as np
from threadpoolctl import threadpool_limits

from .optimizers import Task, make
from .problems import problem


def measure(optimizer: str, name: str, trials: int, repeats: int) -> str:
    """One line: CPU milliseconds of one core for a suggestion after `trials` trials, the mean of `repeats` of them.

    The initial design has `trials` points where its size can be chosen, so that slow optimizers need not choose all of them.
    """
    chosen = problem(name)
    search = make(optimizer, Task(chosen.space, chosen.objectives, 1, trials + repeats, initial=trials))
    seconds = []
    with threadpool_limits(1):
        for trial in range(trials + repeats):
            start = time.process_time()
            params = search.ask()
            asked = time.process_time()
            values = chosen.evaluate(params)
            evaluated = time.process_time()
            search.tell(params, values)
            if trial >= trials:
                seconds.append((asked - start) + (time.process_time() - evaluated))
    return f"{optimizer} on {name} after {trials} trials: {1e3 * np.mean(seconds):.1f} ms ({', '.join(f'{1e3 * s:.1f}' for s in seconds)})"
