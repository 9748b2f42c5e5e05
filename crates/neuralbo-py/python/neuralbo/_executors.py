"""Evaluations by a `concurrent.futures.Executor`: threads, processes or a cluster."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple

from neuralbo import _check, _engine
from neuralbo._domains import Spec
from neuralbo.trial import FixedTrial, Trial

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

#: A parameter without its condition, and its value.
_Known = Dict[str, Tuple[Tuple[Any, ...], Any]]


class Elsewhere:
    """Calls functions through an executor and waits for their results."""

    def __init__(self, executor: Executor) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(f"executor must be a concurrent.futures.Executor, found {_check.shown(executor)}")
        self._executor = executor
        self._waiting: Set[Future[Any]] = set()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The function's result; its exceptions are raised here."""
        future = self._executor.submit(function, *arguments)
        self._waiting.add(future)
        try:
            return future.result()
        finally:
            self._waiting.discard(future)

    def cancel(self) -> None:
        """Cancel evaluations that have not started."""
        for future in list(self._waiting):
            future.cancel()

    def workers(self) -> int:
        """The number of concurrent evaluations if the executor states it, otherwise the number of cores."""
        client = getattr(self._executor, "_client", None)  # Dask's
        if client is not None and hasattr(client, "nthreads"):
            return max(1, sum(int(threads) for threads in client.nthreads().values()))
        found = getattr(self._executor, "_max_workers", None)
        return found if isinstance(found, int) and found > 0 else os.cpu_count() or 1


def elsewhere(executor: Optional[Executor]) -> Optional[Elsewhere]:
    """The wrapper of an executor, if one is given."""
    return None if executor is None else Elsewhere(executor)


def worker_count(workers: Optional[int], there: Optional[Elsewhere]) -> int:
    """The number of concurrent evaluations: the given number, that of the executor, or one."""
    if workers is not None:
        return _check.workers(workers)
    return 1 if there is None else there.workers()


def objective_elsewhere(objective: Callable[[Any], Any], there: Elsewhere, core: _engine.Study) -> Callable[[_engine.Trial], Any]:
    """A study's objective, evaluated by an executor."""

    def evaluate(record: _engine.Trial) -> Any:
        trial = Trial(record)
        space = core.space
        params = {} if space is None else dict(core.x(record))
        known: _Known = {} if space is None else {spec[0]: (spec[1:3], params[spec[0]]) for spec in space.parameters() if spec[0] in params}
        while True:
            evaluated: RemoteTrial = there.call(_evaluate, objective, RemoteTrial(trial.number, params, known))
            spec = evaluated.unknown
            if spec is None:
                return evaluated.told(trial)
            # Only the study can add a parameter; the objective restarts with the value.
            known[spec[0]] = (spec[1:3], trial._suggest(spec))

    return evaluate


class _Unknown(BaseException):
    """A parameter is unknown to the study. Not an `Exception`, so that objectives do not catch it."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec


class RemoteTrial(FixedTrial):
    """A trial in the evaluating process: it has its parameters, and what it is told is returned with the value."""

    def __init__(self, number: int, params: Dict[str, Any], known: _Known) -> None:
        super().__init__(params, number)
        self._known = known
        self._requested: List[Spec] = []
        self._looked = False
        self._reports: List[Tuple[float, int]] = []
        #: How the evaluation ended: with a request that only the study can answer, with a value, or with an exception.
        self.unknown: Optional[Spec] = None
        self.value: Any = None
        self.error: Optional[Exception] = None
        self.trace = ""

    @property
    def params(self) -> Dict[str, Any]:
        """The requested parameters by name, or all suggested ones if none was requested."""
        self._looked = True
        return {spec[0]: self._known[spec[0]][1] for spec in self._requested} if self._requested else dict(self._params)

    @property
    def x(self) -> Dict[str, Any]:
        """The same."""
        return self.params

    def report(self, value: float, step: int) -> None:
        """Report an intermediate value; it is stored when the evaluation ends."""
        self._reports.append((_check.number(value, "value"), _check.count(step, "step", 0)))

    def _suggest(self, spec: Spec) -> Any:
        known = self._known.get(spec[0])
        if known is None or known[0] != spec[1:3]:
            raise _Unknown(spec)
        if spec not in self._requested:
            self._requested.append(spec)
        return known[1]

    def told(self, trial: Trial) -> Any:
        """Pass reports and attributes on to the trial of the study and return the value."""
        for spec in self._requested:
            trial._suggest(spec)
        if self._looked:
            trial.params
        for value, step in self._reports:
            trial.report(value, step)
        for key, attribute in self.user_attrs.items():
            trial.set_user_attr(key, attribute)
        if self.error is not None:
            raise self.error from RuntimeError(f"raised by the executor's worker:\n{self.trace}")
        if self.value is not None and not trial.params:
            raise ValueError("the objective requested no parameter; a study needs at least one suggest_ call or space=")
        return self.value


def _evaluate(objective: Callable[[Any], Any], trial: RemoteTrial) -> RemoteTrial:
    """Runs in the process of the executor."""
    try:
        trial.value = objective(trial)
    except _Unknown as unknown:
        trial.unknown = unknown.spec
    except Exception as error:
        trial.error, trial.trace = error, traceback.format_exc()
    return trial
