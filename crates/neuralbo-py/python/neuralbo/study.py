"""Studies that are kept: in a file or a database, shared with the command line and any number of workers."""

from __future__ import annotations

import importlib
import os
import random
import socket
import threading
import uuid
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from neuralbo import _check, _engine
from neuralbo._check import Catch
from neuralbo._options import checked_seed, option_dict, option_texts
from neuralbo._study_loop import Callback, Loop, Objective, job_count
from neuralbo._study_plan import Plan, checked_name
from neuralbo._study_trial import EnqueuedProbe, FrozenTrial, ProbeTrial, StoredTrial, Trial, TrialPruned, moment, outcome_of
from neuralbo._suggest import stored_domain
from neuralbo.space import Space

#: How long a trial from :meth:`Study.ask` is its asker's, in seconds.
ASK_LEASE = 3600.0


def create_study(
    *,
    storage: Optional[str] = None,
    study_name: Optional[str] = None,
    direction: str = "minimize",
    method: str = "neuralbo",
    seed: Optional[int] = None,
    load_if_exists: bool = False,
    space: Union[Space, Mapping[str, Any], None] = None,
    **options: Any,
) -> Study:
    """A new study, or with `load_if_exists` the one of this name.

    >>> import neuralbo
    >>> study = neuralbo.create_study(direction="maximize", seed=1)
    >>> study.optimize(lambda trial: -trial.suggest_float("x", -5, 5) ** 2, n_trials=15)
    >>> study.best_value > -0.1
    True

    Args:
        storage: ``sqlite:///absolute/path.db``, the path of a file, or ``postgresql://…``; in memory when it is ``None``. The
            command line reads and writes the same storages.
        space: what is searched. Without it the study learns its space from the ``suggest_*`` calls of the first trial, and
            appears in the storage when that trial has ended.

    The other arguments are those of :class:`neuralbo.Optimizer`. A study that exists keeps its own direction, method, options,
    seed and space.
    """
    _check.flag(load_if_exists, "load_if_exists")
    store = _open(storage)
    name = f"study-{uuid.uuid4().hex[:12]}" if study_name is None else checked_name(study_name)
    if name in store.names():
        if not load_if_exists:
            raise ValueError(f"study `{name}` exists already; use load_if_exists=True to go on with it")
        return Study(store, name, store.study(name), None)
    plan = Plan(direction, method, option_texts(options), checked_seed(seed))
    study = Study(store, name, None, plan)
    if space is not None:
        study._create(space if isinstance(space, Space) else Space(space))
    return study


def load_study(storage: str, study_name: str) -> Study:
    """The study of this name; KeyError when there is none."""
    store = _open(storage)
    return Study(store, study_name, store.study(_check.text(study_name, "study_name")), None)


def delete_study(storage: str, study_name: str) -> None:
    """Removes a study with all its trials; KeyError when there is none."""
    _open(storage).delete(_check.text(study_name, "study_name"))


def list_studies(storage: str) -> List[str]:
    """The names of all studies in a storage."""
    return _open(storage).names()


def _open(storage: Optional[str]) -> _engine.Store:
    return _engine.Store("memory://" if storage is None else _check.text(storage, "storage"))


class Study:
    """A study in a storage; made by :func:`create_study` and :func:`load_study`."""

    def __init__(self, store: _engine.Store, name: str, core: Optional[_engine.Study], plan: Optional[Plan]) -> None:
        self._store = store
        self._name = name
        self._core = core
        self._plan = plan
        self._space = None if core is None else Space._from_core(core.space)
        self._lock = threading.RLock()
        self._probes: Dict[int, ProbeTrial] = {}
        self._ended: List[Any] = []
        self._queue: List[Dict[str, Any]] = []
        self._asked: Dict[int, StoredTrial] = {}
        self._stopping = False
        self._worker = f"{socket.gethostname()}:{os.getpid()}"

    # What the study is.

    @property
    def study_name(self) -> str:
        """Its name."""
        return self._name

    @property
    def direction(self) -> str:
        """``minimize`` or ``maximize``."""
        return self._core.direction if self._core is not None else self._planned.direction

    @property
    def method(self) -> str:
        """How points are chosen."""
        return self._core.method if self._core is not None else self._planned.method

    @property
    def options(self) -> Dict[str, str]:
        """The options of the method."""
        return option_dict(self._core.options if self._core is not None else self._planned.options)

    @property
    def seed(self) -> int:
        """Makes the study repeatable."""
        return self._core.seed if self._core is not None else self._planned.seed

    @property
    def space(self) -> Optional[Space]:
        """What is searched, as the storage has it; ``None`` until the first trial has told it."""
        return self._space

    @property
    def is_stored(self) -> bool:
        """Whether the space is known and the study is in its storage."""
        return self._core is not None

    @property
    def _planned(self) -> Plan:
        if self._plan is None:
            raise RuntimeError("the study has neither a record nor a plan")
        return self._plan

    # Work.

    def optimize(
        self,
        objective: Objective,
        n_trials: Optional[int] = None,
        n_jobs: int = 1,
        timeout: Optional[float] = None,
        callbacks: Optional[Sequence[Callback]] = None,
        catch: Catch = (),
        show_progress_bar: bool = False,
    ) -> None:
        """Calls `objective` with one trial after the other.

        It ends after `n_trials` trials of this call, after `timeout` seconds (those under way are finished), by :meth:`stop`,
        by the limits that the command line has set, or never. `n_jobs` trials run at a time, in threads; -1 means one for every
        core. Callbacks are called with the study and the finished trial. Exceptions in `catch` make a trial a failed one; others
        do too, and then reach the caller. Ctrl-C gives the trial back to whoever asks next.
        """
        _check.function(objective, "objective")
        if n_trials is not None:
            _check.count(n_trials, "n_trials", 0)
        _check.not_negative(timeout, "timeout")
        self._stopping = False
        loop = Loop(self, objective, n_trials, timeout, _check.functions(callbacks, "callbacks"), _check.catch(catch), show_progress_bar)
        loop.run(job_count(n_jobs))

    def stop(self) -> None:
        """Ends :meth:`optimize` after the trials under way; to be called by objectives and callbacks."""
        self._stopping = True

    def ask(self, space: Union[Space, Mapping[str, Any], None] = None) -> Trial:
        """A trial to evaluate by yourself; its values come from its ``suggest_*`` methods, or from `params` with a space.

        RuntimeError says that there is none: the study has ended, or all trials are with others.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> trial = study.ask({"x": (0.0, 1.0)})
        >>> study.tell(trial, trial.params["x"] ** 2).state
        'complete'
        """
        if space is not None:
            self._create(space if isinstance(space, Space) else Space(space))
        trial = self._ask(ASK_LEASE)
        if isinstance(trial, str):
            raise RuntimeError("the study has ended" if trial == "ended" else "all trials of the study are with others")
        if space is not None:
            for name, domain in (self._space or {}).items():
                trial._suggest(name, domain)
        return trial

    def tell(
        self, trial: Union[Trial, int], value: Any = None, state: Optional[str] = None
    ) -> FrozenTrial:
        """The value of a trial; ``None``, NaN and exceptions say that it has failed.

        `state` may be ``complete``, ``pruned`` (with the last intermediate value unless one is given) or ``failed``.
        """
        if state not in (None, "complete", "pruned", "failed"):
            raise ValueError(f"state = {state!r} is not allowed; it must be complete, pruned or failed")
        if not isinstance(trial, Trial):
            trial = self._by_number(trial)
        if state == "pruned" and value is None:
            value = trial.last_report
        if state in ("complete", "pruned") and value is None:
            raise ValueError(f"state = {state!r} needs a value, found None")
        return self._finish(trial, value, state)

    def enqueue_trial(self, params: Mapping[str, Any]) -> None:
        """Values that are evaluated next, before any suggestion; all parameters of the space are needed."""
        if not isinstance(params, Mapping):
            raise TypeError(f"params must be a dict, found {_check.shown(params)}")
        if self._core is None:
            self._queue.append(dict(params))
        elif self._space is not None:
            self._core.add(self._space._to_engine(params), "waiting")

    # What is known.

    @property
    def trials(self) -> List[FrozenTrial]:
        """All trials by number."""
        return [] if self._core is None else [self._frozen(row) for row in self._core.trials()]

    @property
    def best_trial(self) -> FrozenTrial:
        """The complete trial with the best value; ValueError when there is none."""
        best = None if self._core is None else self._core.best()
        if best is None:
            raise ValueError("no trial of the study is complete yet")
        return self._frozen(best)

    @property
    def best_params(self) -> Dict[str, Any]:
        """The parameters of the best trial."""
        return self.best_trial.params

    @property
    def best_value(self) -> float:
        """The best value."""
        value = self.best_trial.value
        return float("nan") if value is None else value

    def trials_dataframe(self) -> Any:
        """All trials as a table of pandas; ImportError where pandas is not installed."""
        try:
            pandas: Any = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("trials_dataframe needs pandas: pip install pandas") from None
        plain = ["number", "value", "state", "origin", "mean", "sd", "worker", "datetime_start", "datetime_complete", "duration"]
        rows = []
        for trial in self.trials:
            row = {name: getattr(trial, name) for name in plain}
            rows.append({**row, **{f"params_{name}": value for name, value in trial.params.items()}})
        columns = plain + [f"params_{name}" for name in (self._space or {})]
        return pandas.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        return f"Study(study_name={self._name!r}, storage={self._store.url!r}, direction={self.direction!r}, method={self.method!r})"

    def _repr_html_(self) -> str:
        from neuralbo._html import study_card

        return study_card(self)

    # Parts.

    def _create(self, space: Space) -> None:
        """Puts the study into its storage; where somebody was faster, that study is taken."""
        stored = Space({name: stored_domain(domain) for name, domain in space.items()})
        with self._lock:
            if self._core is None:
                plan = self._planned
                try:
                    core = self._store.create(self._name, stored._core, plan.direction, plan.method, plan.options, plan.seed)
                except ValueError:
                    if self._name not in self._store.names():
                        raise
                    core = self._store.study(self._name)
                self._core, self._space = core, Space._from_core(core.space)
                for params in self._queue:
                    self.enqueue_trial(params)
                self._queue.clear()
            elif stored._core.texts() != self._core.space.texts():
                raise ValueError(f"study `{self._name}` has another space: {', '.join(self._core.space.texts())}")

    def _ask(self, lease: float) -> Union[Trial, str]:
        """A trial, or `wait` or `ended`."""
        with self._lock:
            if self._core is None:
                return self._probe()
        asked = self._core.ask(self._worker, lease)
        if asked[0] != "trial":
            return str(asked[0])
        _, number, attempt, params = asked
        trial = StoredTrial(self._core, number, attempt, params, self._rng(number))
        self._asked[number] = trial
        return trial

    def _probe(self) -> ProbeTrial:
        number = len(self._probes) + len(self._ended)
        trial = ProbeTrial(number, self._rng(number))
        if self._queue:
            trial = EnqueuedProbe(number, self._queue.pop(0), self._rng(number))
        self._probes[number] = trial
        return trial

    def _rng(self, number: int) -> random.Random:
        return random.Random(f"{self.seed}/{number}")

    def _by_number(self, number: Any) -> Trial:
        found = _check.whole(number, "trial", allowed="a trial or its number")
        if self._core is None:
            if found not in self._probes:
                raise ValueError(f"trial {_check.brief(found)} is unknown")
            return self._probes[found]
        if not 0 <= found < 2**63:
            raise ValueError(f"trial {_check.brief(found)} is unknown; numbers count from 0")
        known = self._asked.get(found)
        return known if known is not None else StoredTrial(self._core, found, None, {}, self._rng(found))

    def _finish(self, trial: Trial, value: Any, state: Optional[str]) -> FrozenTrial:
        outcome = outcome_of(value, state)
        if isinstance(trial, ProbeTrial):
            return self._finish_probe(trial, *outcome)
        if self._core is None or not isinstance(trial, StoredTrial):
            raise ValueError("this trial belongs to another study")
        self._core.tell(trial.number, trial.attempt, *outcome)
        self._asked.pop(trial.number, None)
        return self._frozen(self._core.trial(trial.number))

    def _finish_probe(self, trial: ProbeTrial, state: str, value: Optional[float], message: str) -> FrozenTrial:
        """A probe that failed may not have asked for everything; its end is kept until one tells the whole space."""
        with self._lock:
            if self._probes.pop(trial.number, None) is None:
                raise ValueError(f"trial {trial.number} is told already")
            self._ended.append((trial, state, value, message))
            if state != "failed" and self._core is None:
                if not trial.distributions:
                    raise ValueError("the objective asked for no parameter; a study needs at least one suggest_ call or space=")
                self._create(Space(trial.distributions))
            frozen = FrozenTrial(trial.number, dict(trial.params), state, value, message or None, "known")
            if self._core is not None:
                for ended in self._ended:
                    self._add_ended(*ended)
                self._ended.clear()
                # Others may have asked since, but their trials are suggested ones.
                frozen = next((known for known in reversed(self.trials) if known.origin == "known"), frozen)
            return frozen

    def _add_ended(self, trial: ProbeTrial, state: str, value: Optional[float], message: str) -> None:
        if self._core is None or self._space is None:
            return
        params: Optional[Dict[str, Any]] = {name: trial.params[name] for name in self._space if name in trial.params}
        try:
            params = self._space.check(params or {})
            params = self._space._to_engine(params)
        except (TypeError, ValueError):
            params = None  # a probe that failed early, or of another worker's space
        if params is None and state != "failed":
            state, value, message = "failed", None, "its parameters are not those of the study"
        self._core.add(params, state, value, message, sorted(trial.reports.items()))

    def _frozen(self, row: Any) -> FrozenTrial:
        number, params, state, value, message, origin, mean, sd, worker, asked_ms, finished_ms = row
        core = self._core
        named = {} if params is None else params if self._space is None else self._space._from_engine(params)
        reports = (lambda: []) if core is None else (lambda: core.reports(number))
        start, end = moment(asked_ms), moment(finished_ms)
        return FrozenTrial(number, named, state, value, message, origin, mean, sd, worker, start, end, reports)

    def _best_text(self) -> str:
        best = None if self._core is None else self._core.best()
        return "none" if best is None else str(best[3])


__all__ = ["FrozenTrial", "Study", "TrialPruned", "create_study", "delete_study", "list_studies", "load_study"]
