"""Optimize a Python function in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional

from neuralbo import _arrays, _callbacks, _check, _engine
from neuralbo._check import Catch
from neuralbo._executors import elsewhere, worker_count
from neuralbo._form import form_of
from neuralbo._goals import Objectives, OutcomeConstraints, Reference, goals
from neuralbo._options import checked_seed, option_texts
from neuralbo.errors import NoModel
from neuralbo.optimizer import Optimizer
from neuralbo.result import Result
from neuralbo.space import Constraint
from neuralbo.trial import Best, Trial

if TYPE_CHECKING:
    from concurrent.futures import Executor


def minimize(
    f: Callable[..., Any],
    bounds: Any,
    *,
    n_trials: int = 100,
    method: str = "neuralbo",
    seed: Optional[int] = None,
    x0: Any = None,
    noise: Optional[float] = None,
    callback: Optional[Callable[[Result], Optional[bool]]] = None,
    workers: Optional[int] = None,
    executor: Optional[Executor] = None,
    timeout: Optional[float] = None,
    catch: Catch = (),
    constraints: Iterable[Constraint] = (),
    objectives: Optional[Objectives] = None,
    outcome_constraints: OutcomeConstraints = (),
    reference: Optional[Reference] = None,
    pruner: Optional[str] = None,
    **options: Any,
) -> Result:
    """Minimize `f` within `bounds`.

    >>> import neuralbo
    >>> result = neuralbo.minimize(lambda x: (x[0] - 1) ** 2 + x[1] ** 2, [(-5, 5), (-5, 5)], n_trials=30, seed=1)
    >>> result.fun < 0.01
    True

    Args:
        f: takes a vector, or a dict if `bounds` is a :class:`~neuralbo.Space`; returns a number, or ``None`` or NaN if
            the evaluation failed.
        bounds: a list of pairs (low, high), or a space.
        n_trials: number of calls of `f`, including the points `x0`.
        method: one of :func:`neuralbo.methods`; pass its options as further arguments.
        seed: makes the run reproducible; if ``None``, a random one is used and returned in the result.
        x0: one or several points to evaluate first.
        noise: a switch: any value above 0 allows a point to be evaluated again if the method supports it (the option
            ``replicates``). The models estimate the noise from the data, so the size of the number has no effect. With
            noise, use the result's `x_model`.
        callback: called with the result so far after every evaluation; returning ``True`` ends the run.
        workers: number of concurrent calls of `f`, in threads; -1 means one per core.
        executor: evaluates `f` instead of threads: any :class:`concurrent.futures.Executor`, such as a process pool,
            joblib's loky or Dask. It gets as many concurrent evaluations as it has workers, unless `workers` is given.
        timeout: seconds for the whole run; afterwards no evaluation starts.
        catch: exceptions of `f` that count as failed evaluations; all others end the run and propagate.
        pruner: the rule for early stopping, such as ``"asha:min=1,factor=3"``. `f` then receives the trial as a second
            argument, calls ``trial.report(value, step)`` and raises :class:`~neuralbo.TrialPruned` if
            ``trial.should_prune()``.
        constraints: constraints on the parameters: expressions such as ``"x0 + x1 <= 1"`` over the names of the space
            (``x0``, ``x1``, … for a vector), or functions that take the same argument as `f` and return a bool.
        objectives: several objectives by name, ``["loss:minimize", "accuracy:maximize"]`` or ``{"loss": "minimize",
            …}``. `f` then returns a dict with a number for each, or a tuple in their order, and the answer is the
            result's `front`.
        outcome_constraints: outcome constraints, such as ``["memory <= 4e9"]``; `f` returns these quantities after the
            objectives, or by name (a single objective is called ``value`` unless `objectives` names it).
        reference: the reference point of the hypervolume, ``{"loss": 1.0}``; inferred from the front by default.

    >>> def f(x):
    ...     return {"near_0": x[0] ** 2, "near_2": (x[0] - 2) ** 2, "size": abs(x[0])}
    >>> goals = {"near_0": "minimize", "near_2": "minimize"}
    >>> result = neuralbo.minimize(f, [(-5, 5)], objectives=goals, outcome_constraints=["size <= 1.5"], method="sobol", n_trials=40, seed=1)
    >>> all(abs(trial.x[0]) <= 1.5 for trial in result.front)
    True
    """
    _check.other_names(options)
    _check.function(f, "f")
    if callback is not None:
        _check.function(callback, "callback")
    _check.count(n_trials, "n_trials", 1)
    there = elsewhere(executor)
    if there is not None and pruner not in (None, "none"):
        raise ValueError(f"pruner = {pruner!r} cannot stop the evaluations of an executor; leave out one of them")
    count = worker_count(workers, there)
    _check.not_negative(timeout, "timeout")
    _check.not_negative(noise, "noise")
    catch = _check.catch(catch)
    if "direction" in options:
        raise TypeError(f"direction is not an argument here: minimize and maximize are two functions; found {options['direction']!r}")
    if noise and "replicates" not in options and any(name == method and "replicates" in known for name, _, known in _engine.methods()):
        options = {**options, "replicates": "yes"}
    text = _check.pruner(pruner)
    given = goals("minimize", objectives, outcome_constraints, reference)
    optimizer = Optimizer._pruned(form_of(bounds, None, constraints), given, method, checked_seed(seed), option_texts(options), text)
    form, core, ended = optimizer._form, optimizer._core, [False]
    if x0 is not None:
        core.enqueue_points([form.one(x0)] if form.is_single(x0) else form.many(x0))

    def evaluate(record: _engine.Trial) -> Any:
        point = form.user(core.x(record))
        if there is not None:
            return _scalar(there.call(f, point))
        return _scalar(f(point) if text is None else f(point, Trial(record)))

    has_log = _callbacks.logs_trials()

    def told(record: _engine.Trial) -> None:
        if has_log:
            _callbacks.log_trial(optimizer, optimizer._trial(record))
        if callback is not None and callback(_result(optimizer, "running")):
            ended[0] = True
            raise StopIteration

    run = _engine.Run(core, evaluate, told if callback is not None or has_log else None, catch, "the value of f")
    try:
        _, message, _ = run.drive(count, n_trials, _check.seconds(timeout))
    finally:
        if there is not None:
            there.cancel()
    return _result(optimizer, "the callback ended the run" if ended[0] else message, final=True)


def maximize(
    f: Callable[..., Any],
    bounds: Any,
    *,
    n_trials: int = 100,
    method: str = "neuralbo",
    seed: Optional[int] = None,
    x0: Any = None,
    noise: Optional[float] = None,
    callback: Optional[Callable[[Result], Optional[bool]]] = None,
    workers: Optional[int] = None,
    executor: Optional[Executor] = None,
    timeout: Optional[float] = None,
    catch: Catch = (),
    constraints: Iterable[Constraint] = (),
    outcome_constraints: OutcomeConstraints = (),
    pruner: Optional[str] = None,
    **options: Any,
) -> Result:
    """Maximize `f` within `bounds`; the arguments are those of :func:`minimize`, which also accepts several objectives
    with their own directions.

    >>> import neuralbo
    >>> neuralbo.maximize(lambda x: 3 - x[0] ** 2, [(-5, 5)], n_trials=20, seed=1).fun > 2.99
    True
    """
    for name in ("objectives", "reference"):
        if name in options:
            raise TypeError(f"{name}: objectives have their own directions; give them to minimize, such as objectives=['accuracy:maximize']")
    return minimize(
        f, bounds, n_trials=n_trials, method=method, seed=seed, x0=x0, noise=noise, callback=callback, workers=workers, executor=executor,
        timeout=timeout, catch=catch, constraints=constraints, objectives=["value:maximize"], outcome_constraints=outcome_constraints,
        pruner=pruner, **options,
    )  # fmt: skip


def _result(optimizer: Optimizer, message: str, *, final: bool = False) -> Result:
    several = optimizer._several()
    best = None if several else optimizer.best
    front = optimizer.front if several or best is not None else []
    counts = optimizer._counts()
    recommended = _recommended(optimizer) if final and best is not None else None
    if final and not front:
        nothing = "no evaluation returned a value" if optimizer.least_violation is None else optimizer._none_best()
        message = f"{message}; {nothing}"
    return Result(
        x=None if best is None else best.x,
        fun=None if best is None else best.fun,
        nfev=optimizer.n_told,
        nfail=counts["failed"],
        message=message,
        success=bool(front),
        seed=optimizer.seed,
        method=optimizer.method,
        direction=None if several else optimizer.direction,
        space=optimizer.space,
        x_model=None if recommended is None else recommended.x,
        fun_model=None if recommended is None else recommended.fun,
        front=front,
        objectives=optimizer.objectives,
        outcome_constraints=optimizer.outcome_constraints,
        hypervolume=optimizer.hypervolume if several else None,
        reference=optimizer.reference if several else None,
        least_violation=None if front else optimizer.least_violation,
        _fetch=lambda: optimizer.trials,
        _fetch_volumes=lambda: optimizer.hypervolume_history if several else [],
    )


def _recommended(optimizer: Optimizer) -> Optional[Best]:
    try:
        return optimizer.recommend()
    except NoModel:
        return None


def _scalar(returned: Any) -> Any:
    """The value returned by `f`; for an array of one number, as SciPy's functions return, the number."""
    return returned.reshape(()).item() if _arrays.is_array(returned) and returned.size == 1 else returned
