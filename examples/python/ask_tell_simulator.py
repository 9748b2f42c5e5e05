"""Ask and tell with a simulator: tune a controller whose simulation may diverge, two runs at a time, saving half-way.

    python examples/python/ask_tell_simulator.py

The simulator is a heated tank with a delay, the controller has three gains. Too large gains make the loop unstable: the
simulation then raises, and the exception is told in place of a value.
"""

from __future__ import annotations

import json
import math
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Union

import neuralbo

GAINS = neuralbo.Space(
    {
        "proportional": neuralbo.Float(0.1, 30.0, log=True),
        "integral": neuralbo.Float(0.01, 10.0, log=True),
        "derivative": neuralbo.Float(0.0, 5.0),
    }
)
WORKERS = 2


def simulate(gains: dict[str, float]) -> float:
    """Mean absolute error of the temperature while it follows a step; raises if the loop is unstable."""
    step, delay = 0.02, 15
    temperature = rate = integral = total = 0.0
    heating = [0.0] * delay
    last_error = 1.0
    for _ in range(1500):
        error = 1.0 - temperature
        integral += error * step
        slope = (error - last_error) / step
        last_error = error
        wanted = gains["proportional"] * error + gains["integral"] * integral + gains["derivative"] * slope
        heating.append(min(10.0, max(-10.0, wanted)))
        rate += step * (heating.pop(0) - temperature - 1.4 * rate)
        temperature += step * rate
        total += abs(error) * step
        if not abs(temperature) < 3.0:
            raise ArithmeticError(f"the loop is unstable: the temperature reached {temperature:.1f}")
    return total / (1500 * step)


def outcome(future: Future[float]) -> Union[float, Exception]:
    """What to tell: the value, or the exception in its place."""
    error = future.exception()
    return error if isinstance(error, Exception) else future.result()


def run(optimizer: neuralbo.Optimizer, until: int) -> None:
    """Keeps the workers busy until so many results have been told."""
    running: dict[Future[float], dict[str, float]] = {}
    with ThreadPoolExecutor(WORKERS) as pool:
        while optimizer.n_told < until:
            while len(running) < WORKERS and optimizer.n_told + len(running) < until:
                gains = optimizer.ask()
                running[pool.submit(simulate, gains)] = gains
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                optimizer.tell(running.pop(future), outcome(future))


def main() -> None:
    optimizer = neuralbo.Optimizer(GAINS, seed=7)
    run(optimizer, until=20)

    saved = json.dumps(optimizer.state())
    optimizer = neuralbo.Optimizer.from_state(json.loads(saved))
    run(optimizer, until=40)

    failed = sum(trial.state == "failed" for trial in optimizer.trials)
    best = optimizer.best
    assert best is not None and math.isfinite(best.fun)
    print(f"{optimizer.n_told} simulations, {failed} of them unstable; the save has {len(saved)} letters")
    print(f"least mean error {best.fun:.4f} in simulation {best.number}")
    for name, gain in best.x.items():
        print(f"  {name:12} {gain:.4g}")


if __name__ == "__main__":
    main()
