"""One run, in a module of its own: worker processes import it by its name, which they cannot do with ``__main__``."""

from __future__ import annotations

import time

from .methods import METHODS, Meter, Spent
from .tasks import TASKS


def run_once(task: str, method: str, seed: int, budget: int) -> dict[str, object]:
    meter, start = Meter(budget), time.process_time()
    try:
        METHODS[method](TASKS[task], seed, meter)
    except Spent:
        pass
    row = {"trials": meter.trials, "complete": len(meter.complete), "half": meter.best(budget // 2), "loss": meter.best(budget)}
    return {"task": task, "method": method, "seed": seed, **row, "seconds": round(time.process_time() - start, 2)}
