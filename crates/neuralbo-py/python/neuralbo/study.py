"""Studies: ask, tell, optimize, results."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from neuralbo import _check, _engine, _tables
from neuralbo._callbacks import Progress, after_trial, log_end
from neuralbo._check import Catch
from neuralbo._domains import Spec
from neuralbo._executors import elsewhere, objective_elsewhere, worker_count
from neuralbo._form import Form, NamedForm, space_of
from neuralbo._goals import WithGoals, several_refused
from neuralbo._model import Modelled
from neuralbo.space import Space, as_dict, spec_of
from neuralbo.trial import Trial, TrialState

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: The lease of a trial from :meth:`Study.ask`, in seconds.
ASK_LEASE = 3600.0

Objective = Callable[[Trial], Any]
Callback = Callable[["Study", Trial], Any]


class Study(Modelled, WithGoals):
    """A study, created by :func:`create_study` or loaded by :func:`load_study`.

    Studies can be pickled: a stored one as its storage (without a password) and name, one in memory with all its trials.

    >>> import neuralbo
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=5)
    >>> len(study.trials), study.best_value == study.best_trial.value
    (5, True)
    """

    def __init__(self, core: _engine.Study, checkpoints: Union[str, os.PathLike[str], None] = None) -> None:
        self._core = core
        self._checkpoints: Optional[str] = None if checkpoints is None else os.path.abspath(os.fspath(checkpoints))
        if self._checkpoints is not None:
            core.keep_checkpoints(self._checkpoints)
        self._runs: List[_engine.Run] = []

    # Definition.

    @property
    def study_name(self) -> str:
        """Its name."""
        return self._core.name

    @property
    def pruner(self) -> Optional[str]:
        """The rule for early stopping. Setting it changes the study for later trials.

        >>> import neuralbo
        >>> study = neuralbo.create_study(pruner="halving:max=27", space={"x": (0.0, 1.0)})
        >>> study.pruner
        'asha:min=1,factor=3,max=27'
        >>> study.pruner = None
        """
        return self._core.pruner

    @pruner.setter
    def pruner(self, pruner: Optional[str]) -> None:
        self._core.set_pruner(_check.pruner(pruner))

    @property
    def user_attrs(self) -> Dict[str, Any]:
        """What was attached to the study, in any process."""
        return self._core.user_attrs

    def set_user_attr(self, key: str, value: Any) -> None:
        """Attach anything that JSON can hold to the study; it is also in the dashboard and in exports.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> study.set_user_attr("data", {"rows": 700})
        >>> study.user_attrs
        {'data': {'rows': 700}}
        """
        self._core.set_user_attr(_check.text(key, "key"), value)

    def set_metric_names(self, metric_names: Sequence[str]) -> None:
        """Name the objectives, in their order, before the first trial has ended; ``objectives=`` of
        :func:`neuralbo.create_study` does so from the start.

        >>> import neuralbo
        >>> study = neuralbo.create_study(directions=["minimize", "maximize"], seed=1)
        >>> study.set_metric_names(["loss", "accuracy"])
        >>> [objective.name for objective in study.objectives]
        ['loss', 'accuracy']
        """
        self._core.rename_objectives(_check.texts(metric_names, "metric_names", "a list of texts"))

    @property
    def space(self) -> Optional[Space]:
        """The search space; ``None`` until a trial has requested a parameter."""
        space = self._core.space
        return None if space is None else Space._from_core(space)

    def _points_form(self) -> Form:
        space = self.space
        if space is None:
            raise ValueError("the study has no parameters yet")
        return NamedForm(space)

    # Evaluation.

    def optimize(
        self,
        objective: Objective,
        n_trials: Optional[int] = None,
        timeout: Optional[float] = None,
        *,
        workers: Optional[int] = None,
        callbacks: Optional[Sequence[Callback]] = None,
        catch: Catch = (),
        show_progress_bar: bool = False,
        executor: Optional[Executor] = None,
        **other: NoReturn,
    ) -> None:
        """Evaluate `objective` on new trials.

        It ends after `n_trials` trials of this call, after `timeout` seconds (running trials finish), by :meth:`stop`,
        by the study's limits set on the command line, or when every point of a finite space has been evaluated, which
        is logged as a warning. Each trial is logged, see :func:`neuralbo.log_to_stderr`. `workers` trials run concurrently in threads; -1 means one
        per core. With `executor`, any :class:`concurrent.futures.Executor`, they run there, as many at a time as it
        has workers unless `workers` is given; the objective then restarts when it requests a parameter that the study
        does not know yet, intermediate values are stored at its end, and a study with a pruner is rejected. Callbacks
        receive the study and the finished trial; raising ``StopIteration`` ends the run like :meth:`stop`. Exceptions
        in `catch` fail the trial; others also do and then propagate. Ctrl-C releases the trial. A trial that exceeds
        its lease and was taken over belongs to the other worker.

        >>> from concurrent.futures import ThreadPoolExecutor
        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=5)
        >>> with ThreadPoolExecutor(2) as executor:
        ...     study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=5, executor=executor)
        >>> len(study.trials)
        10
        """
        _check.other_names(other)
        if other:
            raise TypeError(f"optimize has no argument {next(iter(other))}")
        _check.function(objective, "objective")
        if n_trials is not None:
            _check.count(n_trials, "n_trials", 0)
        there = elsewhere(executor)
        if there is not None and self.pruner not in (None, "none"):
            raise ValueError(f"the pruner {self.pruner!r} cannot stop trials of an executor; leave out executor, or set study.pruner = None")
        count = worker_count(workers, there)
        _check.not_negative(timeout, "timeout")
        progress = Progress(n_trials) if _check.flag(show_progress_bar, "show_progress_bar") else None
        told = after_trial(self, _check.functions(callbacks, "callbacks"), progress)
        evaluated = _evaluated(objective) if there is None else objective_elsewhere(objective, there, self._core)
        run = _engine.Run(self._core, evaluated, told, _check.catch(catch), "the value of the objective")
        self._runs.append(run)
        try:
            reason, text, finished = run.drive(count, n_trials, _check.seconds(timeout))
        finally:
            if there is not None:
                there.cancel()
            self._runs.remove(run)
            if progress is not None:
                progress.end(self)
        if reason in ("exhausted", "target", "no_improvement"):
            log_end(reason, text, finished, n_trials)

    def stop(self) -> None:
        """End :meth:`optimize` after the running trials; call it from objectives or callbacks.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=9, callbacks=[lambda study, trial: study.stop()])
        >>> len(study.trials)
        1
        """
        for run in self._runs:
            run.stop()

    def ask(self, space: Union[Space, Mapping[str, Any], None] = None) -> Trial:
        """Return a trial for you to evaluate; its values come from its ``suggest_*`` methods, or from `params` with a
        space.

        Raises :class:`~neuralbo.StudyEnded` or :class:`~neuralbo.StudyBusy` if there is none.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> trial = study.ask({"x": (0.0, 1.0)})
        >>> study.tell(trial, trial.params["x"] ** 2).state
        'complete'
        """
        specs = self._grow(space, stacklevel=3)
        trial = Trial(self._core.ask_trial(ASK_LEASE))
        for spec in specs:
            trial._suggest(spec)
        return trial

    def _grow(self, space: Union[Space, Mapping[str, Any], None], stacklevel: int) -> List[Spec]:
        """Adds or widens parameters."""
        specs = [] if space is None else [spec_of(name, domain) for name, domain in space_of(space).items()]
        for spec in specs:
            widened = self._core.grow(spec)
            if widened is not None:
                text = f"parameter `{spec[0]}` was {widened[0]} in this study and is {widened[1]} from now on"
                warnings.warn(text, stacklevel=stacklevel)
        return specs

    def tell(self, trial: Union[Trial, int], value: Any = None, state: Optional[str] = None) -> Trial:
        """Tell the value of a trial; ``None``, NaN and exceptions mean failure. With several objectives or outcome
        constraints it is a dict, or a tuple in their order; missing or unknown values raise ValueError, and nothing is
        told.

        `state` may be ``complete``, ``pruned`` (with the last intermediate value, if any, unless one is given) or
        ``failed``.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> study.tell(study.ask({"x": (0.0, 1.0)}), 0.25).value
        0.25
        >>> study.tell(study.ask(), None).state
        'failed'
        """
        _check_state(state)
        if state == "pruned" and value is None and isinstance(trial, Trial):
            value = trial.last_report
        if state == "complete" and value is None:
            raise ValueError(f"state = {state!r} needs a value, found None")
        return Trial(self._core.tell_trial(_known_number(trial), value, state))

    def enqueue_trial(self, params: Mapping[str, Any], *, skip_if_exists: bool = False) -> None:
        """Enqueue values to evaluate next, before any suggestion; missing parameters are sampled. With
        `skip_if_exists` nothing happens if a trial, enqueued or evaluated, has these values.

        >>> import neuralbo
        >>> study = neuralbo.create_study(space={"x": (0.0, 1.0)}, seed=1)
        >>> study.enqueue_trial({"x": 0.25})
        >>> study.ask().params
        {'x': 0.25}
        """
        if not isinstance(params, Mapping):
            raise TypeError(f"params must be a dict, found {_check.shown(params)}")
        self._core.enqueue(as_dict(params), _check.flag(skip_if_exists, "skip_if_exists"))

    def add_trial(
        self,
        params: Union[Mapping[str, Any], Trial],
        value: Any = None,
        *,
        state: Optional[str] = None,
        intermediate_values: Optional[Mapping[int, float]] = None,
        user_attrs: Optional[Mapping[str, Any]] = None,
        distributions: Union[Space, Mapping[str, Any], None] = None,
    ) -> int:
        """Add a known result and return its trial number; ``None``, NaN and exceptions are failures. `distributions`
        are the domains of parameters that the study does not have yet. A trial of another study is added whole.

        >>> import neuralbo
        >>> study = neuralbo.create_study(space={"x": (0.0, 1.0)})
        >>> study.add_trial({"x": 0.5}, 2.0)
        0
        """
        if isinstance(params, Trial):
            return self.add_trials([params])[0]
        _check_state(state)
        self._grow(distributions, stacklevel=3)
        reports = sorted((intermediate_values or {}).items())
        return self._core.add_trials([(as_dict(params), value, state, reports, dict(user_attrs or {}))])[0]

    def add_trials(self, trials: Any, *, value: str = "value") -> List[int]:
        """Add known results atomically: a DataFrame or a list of dicts, with the value in column `value` and the
        parameters in the others; with several objectives or outcome constraints, one column per name. Tables of
        :meth:`trials_dataframe` and lists of trials are accepted unchanged.

        >>> import neuralbo
        >>> study = neuralbo.create_study(space={"x": (0.0, 1.0)})
        >>> study.add_trials([{"x": 0.5, "loss": 2.0}, {"x": 0.25, "loss": 1.0}], value="loss")
        [0, 1]
        """
        names = self._measured()
        trials = trials if hasattr(trials, "to_dict") or not hasattr(trials, "__iter__") else list(trials)
        if isinstance(trials, list) and self.space is None:
            for trial in trials:
                if isinstance(trial, Trial) and not set(self.space or ()).issuperset(trial.params):
                    self._grow(trial.distributions, stacklevel=3)
        return self._core.add_trials(_tables.read(trials, [value] if len(names) == 1 else names))

    # Results.

    def get_trials(self, deepcopy: bool = True, states: Optional[Iterable[str]] = None) -> List[Trial]:
        """The trials in these states by number; default: all. They are snapshots, whatever `deepcopy` says.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
        >>> len(study.get_trials(states=[neuralbo.TrialState.COMPLETE])), study.get_trials(states=["failed"])
        (2, [])
        """
        _check.flag(deepcopy, "deepcopy")
        if isinstance(states, str):
            raise TypeError(f"states must be a list such as ['complete'], found {_check.shown(states)}")
        wanted = None if states is None else [TrialState(state) for state in states]
        return [trial for trial in self.trials if wanted is None or trial.state in wanted]

    @property
    def best_trial(self) -> Trial:
        """The complete, feasible trial with the best value; raises ValueError if there is none, and with several
        objectives."""
        if self._several():
            raise several_refused("best_trial")
        best = self._core.best()
        if best is None:
            raise ValueError(self._none_best())
        return Trial(best)

    @property
    def best_trials(self) -> List[Trial]:
        """The Pareto front: complete, feasible, non-dominated trials. With one objective, the best trial."""
        return self._front()

    @property
    def best_params(self) -> Dict[str, Any]:
        """The parameters used by the best trial."""
        return self.best_trial.params

    @property
    def best_value(self) -> float:
        """The best value."""
        value = self.best_trial.value
        return float("nan") if value is None else value

    def trials_dataframe(self, attrs: Optional[Sequence[str]] = None) -> Any:
        """All trials as a pandas DataFrame; raises ImportError if pandas is not installed. `attrs` chooses columns:
        ``params`` and ``user_attrs`` stand for one column each, ``value`` for those of all objectives.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=3)
        >>> list(study.trials_dataframe()["value"]) == [trial.value for trial in study.trials]
        True
        """
        return _tables.frame(self.trials, self.space or (), self._measured(), attrs)

    def __reduce__(self) -> Tuple[Any, ...]:
        url = self._core.url
        if url is not None:
            return (_loaded, (url, self.study_name, self._checkpoints))
        return (_restored, (self.study_name, self._core.record(), self._checkpoints))

    def __repr__(self) -> str:
        return f"Study(study_name={self.study_name!r}, storage={self._core.shown_url!r}, {self._shown_goal()}, method={self.method!r})"

    def _repr_html_(self) -> str:
        from neuralbo._html import study_card

        return study_card(self)


def _check_state(state: Optional[str]) -> None:
    """Only what has ended can be told."""
    if state not in (None, "complete", "pruned", "failed"):
        raise ValueError(f"state = {state!r} is not allowed; it must be complete, pruned or failed")


def _loaded(storage: str, name: str, checkpoints: Optional[str]) -> Study:
    return Study(_engine.Study.load(storage, name), checkpoints)


def _restored(name: str, record: str, checkpoints: Optional[str] = None) -> Study:
    return Study(_engine.Study.from_record(name, "named", record), checkpoints)


def _evaluated(objective: Objective) -> Callable[[_engine.Trial], Any]:
    def evaluate(record: _engine.Trial) -> Any:
        trial = Trial(record)
        value = objective(trial)
        if value is not None and not trial.params:
            raise ValueError("the objective requested no parameter; a study needs at least one suggest_ call or space=")
        return value

    return evaluate


def _known_number(trial: Any) -> Any:
    """A trial, or a valid trial number."""
    if isinstance(trial, Trial):
        return trial
    number = _check.whole(trial, "trial", allowed="a trial or its number")
    if not 0 <= number < 2**63:
        raise ValueError(f"trial {_check.brief(number)} is unknown; numbers count from 0")
    return number
