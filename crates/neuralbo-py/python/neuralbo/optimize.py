"""Optimizing a Python function in one call."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from neuralbo import _arrays, _check
from neuralbo._check import Catch
from neuralbo._workers import Workers
from neuralbo.optimizer import Optimizer
from neuralbo.result import Result


def minimize(
    f: Callable[[Any], Any],
    bounds: Any,
    *,
    max_evals: int = 100,
    method: str = "neuralbo",
    seed: Optional[int] = None,
    x0: Any = None,
    noise: Optional[float] = None,
    callback: Optional[Callable[[Result], Optional[bool]]] = None,
    workers: int = 1,
    timeout: Optional[float] = None,
    catch: Catch = (),
    **options: Any,
) -> Result:
    """The smallest value of `f` within `bounds`, and where it is.

    >>> import neuralbo
    >>> result = neuralbo.minimize(lambda x: (x[0] - 1) ** 2 + x[1] ** 2, [(-5, 5), (-5, 5)], max_evals=30, seed=1)
    >>> result.fun < 0.01
    True

    Args:
        f: gets a vector, or a dict where `bounds` is a :class:`~neuralbo.Space`; returns a number, and ``None`` or NaN when the
            evaluation has failed.
        bounds: a list of pairs (low, high), or a space.
        max_evals: how often `f` is called, the points `x0` included.
        method: one of :func:`neuralbo.methods`; its options may follow as further arguments.
        seed: makes the run repeatable; drawn, and returned in the result, when it is ``None``.
        x0: a point or several that are evaluated first.
        noise: standard deviation of the noise in the values of `f`. It is a switch: above 0 the same point may be evaluated
            again where the method can (the option ``replicates``); the models estimate the noise from the data, so the size of
            the number changes nothing. With noise the point to rely on is the result's `x_model`.
        callback: is called with the result so far after every evaluation; when it returns ``True`` the run ends.
        workers: how many calls of `f` run at the same time, in threads.
        timeout: seconds after which no further evaluation is started.
        catch: exceptions of `f` that make an evaluation a failed one; all others end the run and reach the caller.
    """
    return _optimize("minimize", f, bounds, max_evals, method, seed, x0, noise, callback, workers, timeout, catch, options)


def maximize(
    f: Callable[[Any], Any],
    bounds: Any,
    *,
    max_evals: int = 100,
    method: str = "neuralbo",
    seed: Optional[int] = None,
    x0: Any = None,
    noise: Optional[float] = None,
    callback: Optional[Callable[[Result], Optional[bool]]] = None,
    workers: int = 1,
    timeout: Optional[float] = None,
    catch: Catch = (),
    **options: Any,
) -> Result:
    """The largest value of `f` within `bounds`; all arguments are those of :func:`minimize`.

    >>> import neuralbo
    >>> neuralbo.maximize(lambda x: 3 - x[0] ** 2, [(-5, 5)], max_evals=20, seed=1).fun > 2.99
    True
    """
    return _optimize("maximize", f, bounds, max_evals, method, seed, x0, noise, callback, workers, timeout, catch, options)


def _optimize(
    direction: str,
    f: Callable[[Any], Any],
    bounds: Any,
    max_evals: int,
    method: str,
    seed: Optional[int],
    x0: Any,
    noise: Optional[float],
    callback: Optional[Callable[[Result], Optional[bool]]],
    workers: int,
    timeout: Optional[float],
    catch: Catch,
    options: Dict[str, Any],
) -> Result:
    _check.function(f, "f")
    if callback is not None:
        _check.function(callback, "callback")
    _check.count(max_evals, "max_evals", 1)
    _check.count(workers, "workers", 1)
    _check.not_negative(timeout, "timeout")
    _check.not_negative(noise, "noise")
    catch = _check.catch(catch)
    if "direction" in options:
        raise TypeError(f"direction is not an argument here: minimize and maximize are two functions; found {options['direction']!r}")
    if noise and "replicates" not in options and _has_replicates(method):
        options = {**options, "replicates": "yes"}
    optimizer = Optimizer(bounds, method=method, direction=direction, seed=seed, **options)
    run = _Run(optimizer, max_evals, timeout, callback, _points(optimizer, x0))
    with Workers(f, workers, catch) as pool:
        message = run.drive(pool)
    return run.result(message, final=True)


class _Run:
    """One optimization under way."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_evals: int,
        timeout: Optional[float],
        callback: Optional[Callable[[Result], Optional[bool]]],
        first: List[Any],
    ) -> None:
        self.optimizer = optimizer
        self.max_evals = max_evals
        self.callback = callback
        self.first = first
        self.end = math.inf if timeout is None else time.monotonic() + timeout
        self.timeout = timeout
        self.started = 0
        self.finished = 0
        self.failed = 0

    def drive(self, pool: Workers) -> str:
        """Evaluates until something says stop; returns what."""
        message: Optional[str] = None
        while True:
            while message is None and pool.free():
                message = self.start_next(pool)
            if not pool.busy():
                return message or "nothing to do"
            x, returned = pool.wait()
            value = _value(returned)
            self.optimizer.tell(x, value)
            self.finished += 1
            self.failed += int(not (isinstance(value, float) and math.isfinite(value)))
            if self.callback is not None and self.callback(self.result("running", final=False)):
                message = message or "the callback ended the run"

    def start_next(self, pool: Workers) -> Optional[str]:
        """Starts one evaluation, or says why there is none."""
        if self.started >= self.max_evals:
            return f"all {self.max_evals} evaluations are done"
        if time.monotonic() >= self.end:
            return f"the time of {self.timeout} s is over"
        if self.first:
            x = self.first.pop(0)
            self.optimizer.add_running(x)
        else:
            try:
                x = self.optimizer.ask()
            except RuntimeError as error:
                if "every point of the space" not in str(error):
                    raise
                return str(error) if not pool.busy() else None
        self.started += 1
        pool.start(x)
        return None

    def result(self, message: str, *, final: bool) -> Result:
        """The result so far."""
        optimizer = self.optimizer
        best = optimizer.best
        believed = _recommended(optimizer) if final and best is not None else None
        return Result(
            x=None if best is None else best.x,
            fun=None if best is None else best.fun,
            nfev=self.finished,
            nfail=self.failed,
            history=lambda: optimizer.trials,
            message=message if best is not None or not final else f"{message}; no evaluation returned a value",
            success=best is not None,
            seed=optimizer.seed,
            method=optimizer.method,
            direction=optimizer.direction,
            space=optimizer.space,
            x_model=None if believed is None else believed[0],
            fun_model=None if believed is None else believed[1],
        )


def _recommended(optimizer: Optimizer) -> Optional[Tuple[Any, float]]:
    try:
        believed = optimizer.recommend()
    except RuntimeError:
        return None
    return believed.x, believed.fun


def _points(optimizer: Optimizer, x0: Any) -> List[Any]:
    """The points to start with, checked before anything runs."""
    if x0 is None:
        return []
    points = [x0] if optimizer._form.is_single(x0) else list(x0)
    probe = Optimizer.from_state({**optimizer.state(), "method": "random", "options": {}})
    for point in points:
        probe.add_running(point)
    return [trial.x for trial in probe.trials]


def _value(returned: Any) -> Union[float, BaseException, None]:
    """What `f` returned: a number, or None or an exception for a failure; also an array of one number, as of SciPy's functions."""
    if returned is None or isinstance(returned, BaseException):
        return returned
    if _arrays.is_array(returned) and returned.size == 1:
        returned = returned.reshape(())
    return _check.number(returned, "the value of f", allowed="a number, or None or NaN for a failure")


def _has_replicates(method: str) -> bool:
    from neuralbo import methods

    return "replicates" in methods().get(method, {}).get("options", {})
