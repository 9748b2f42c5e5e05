"""Studies: in memory, or in a file or a database that the command line and any number of workers share."""

from __future__ import annotations

import os
import sys
import uuid
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from neuralbo import _check, _engine, _tables
from neuralbo._check import Catch
from neuralbo._form import Form, NamedForm, space_of
from neuralbo._goals import Objectives, Outcomes, Reference, WithGoals, goals, several_refused
from neuralbo._model import Modelled
from neuralbo._options import checked_seed, option_dict, option_texts
from neuralbo.space import Constraint, Space, as_dict, constraint_list, spec_of
from neuralbo.trial import Trial

#: How long a trial from :meth:`Study.ask` is its asker's, in seconds.
ASK_LEASE = 3600.0

Objective = Callable[[Trial], Any]
Callback = Callable[["Study", Trial], Any]


def create_study(
    *,
    storage: Optional[str] = None,
    study_name: Optional[str] = None,
    direction: str = "minimize",
    method: str = "neuralbo",
    seed: Optional[int] = None,
    load_if_exists: bool = False,
    space: Union[Space, Mapping[str, Any], None] = None,
    constraints: Iterable[Constraint] = (),
    directions: Optional[Sequence[str]] = None,
    objectives: Optional[Objectives] = None,
    outcomes: Outcomes = (),
    reference: Optional[Reference] = None,
    pruner: Optional[str] = None,
    checkpoints: Union[str, os.PathLike[str], None] = None,
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
        space: what is searched. Without it the study grows by what the ``suggest_*`` calls of its trials ask for, and learns under
            which values of which parameters they ask for others.
        constraints: what every suggested point satisfies, beside the constraints of `space`: texts such as ``"x + y <= 1"``, or
            functions that get a dict and return a bool; functions only in memory.
        directions: of several objectives, which are called ``value_0``, ``value_1`` and so on.
        objectives: several objectives by name, ``["loss:minimize", "accuracy:maximize"]`` or ``{"loss": "minimize", …}``.
        outcomes: limits on what trials measure, such as ``["memory <= 4e9"]``.
        pruner: when trials are stopped early, such as ``"median"`` or ``"asha:min=1,factor=3"``; see docs/pruning.md.
        checkpoints: a folder below which each trial has one for its state, ``trial.checkpoint``. The pruner ``asha`` then goes on with
            stopped trials that have come to be among the best.
        reference: where the hypervolume is measured from, ``{"loss": 1.0}``; inferred from the Pareto front if left out.

    >>> study = neuralbo.create_study(directions=["minimize", "maximize"], method="random", seed=1)
    >>> def objective(trial):
    ...     x = trial.suggest_float("x", 0, 1)
    ...     return x ** 2, x
    >>> study.optimize(objective, n_trials=5)
    >>> len(study.best_trials)
    5

    The other arguments are those of :class:`neuralbo.Optimizer`. A study that exists keeps its own direction, method, options,
    seed and space.
    """
    url = None if storage is None else _check.text(storage, "storage")
    name = f"study-{uuid.uuid4().hex[:12]}" if study_name is None else _check.text(study_name, "study_name")
    if space is None and constraint_list(constraints):
        raise ValueError("constraints are about the parameters of a space; give space=, too")
    given = None if space is None else space_of(space, constraints)._core
    wanted = (*goals(direction, objectives, outcomes, reference, directions), _check.text(method, "method"))
    existing = _check.flag(load_if_exists, "load_if_exists")
    core = _engine.Study.create(url, name, "named", given, *wanted, option_texts(options), checked_seed(seed), existing, _pruner_text(pruner))
    return Study(core, checkpoints)


def load_study(storage: str, study_name: str, *, checkpoints: Union[str, os.PathLike[str], None] = None) -> Study:
    """The study of this name; :class:`~neuralbo.UnknownStudy` when there is none. `checkpoints` as for :func:`create_study`."""
    return Study(_engine.Study.load(_check.text(storage, "storage"), _check.text(study_name, "study_name")), checkpoints)


def delete_study(storage: str, study_name: str) -> None:
    """Removes a study with all its trials; :class:`~neuralbo.UnknownStudy` when there is none."""
    _engine.delete_study(_check.text(storage, "storage"), _check.text(study_name, "study_name"))


def list_studies(storage: str) -> List[str]:
    """The names of all studies in a storage."""
    return _engine.study_names(_check.text(storage, "storage"))


class Study(Modelled, WithGoals):
    """A study; made by :func:`create_study` and :func:`load_study`.

    It can be pickled: a stored one as its storage and name, one in memory with all its trials.
    """

    def __init__(self, core: _engine.Study, checkpoints: Union[str, os.PathLike[str], None] = None) -> None:
        self._core = core
        self._checkpoints = None if checkpoints is None else os.path.abspath(os.fspath(checkpoints))
        if self._checkpoints is not None:
            core.keep_checkpoints(self._checkpoints)
        self._runs: List[_engine.Run] = []

    # What the study is.

    @property
    def study_name(self) -> str:
        """Its name."""
        return self._core.name

    @property
    def direction(self) -> str:
        """``minimize`` or ``maximize``; of several objectives, that of the first one, see :attr:`directions`."""
        return self._core.direction

    @property
    def method(self) -> str:
        """How points are chosen."""
        return self._core.method

    @property
    def options(self) -> Dict[str, str]:
        """The options of the method."""
        return option_dict(self._core.options)

    @property
    def pruner(self) -> Optional[str]:
        """When trials are stopped early. Setting it changes the study, for the trials that begin afterwards.

        >>> import neuralbo
        >>> study = neuralbo.create_study(pruner="halving:max=27", space={"x": (0.0, 1.0)})
        >>> study.pruner
        'asha:min=1,factor=3,max=27'
        >>> study.pruner = None
        """
        return self._core.pruner

    @pruner.setter
    def pruner(self, pruner: Optional[str]) -> None:
        self._core.set_pruner(_pruner_text(pruner))

    @property
    def seed(self) -> int:
        """Makes the study repeatable."""
        return self._core.seed

    @property
    def space(self) -> Optional[Space]:
        """What is searched; ``None`` until a trial has asked for a parameter."""
        space = self._core.space
        return None if space is None else Space._from_core(space)

    def _points_form(self) -> Form:
        space = self.space
        if space is None:
            raise ValueError("the study has no parameters yet")
        return NamedForm(space)

    # Work.

    def optimize(
        self,
        objective: Objective,
        n_trials: Optional[int] = None,
        workers: int = 1,
        timeout: Optional[float] = None,
        callbacks: Optional[Sequence[Callback]] = None,
        catch: Catch = (),
        show_progress_bar: bool = False,
        **other: NoReturn,
    ) -> None:
        """Calls `objective` with one trial after the other.

        It ends after `n_trials` trials of this call, after `timeout` seconds (those under way are finished), by :meth:`stop`,
        by the limits that the command line has set, or never. `workers` trials run at a time, in threads; -1 means one for every
        core. Callbacks are called with the study and the finished trial; one that raises ``StopIteration`` ends the run like
        :meth:`stop`. Exceptions in `catch` make a trial a failed one; others do too, and then reach the caller. Ctrl-C gives the
        trial back to whoever asks next. A trial that took longer than its lease, so that somebody else has it now, is theirs.
        """
        _check.other_names(other)
        if other:
            raise TypeError(f"optimize has no argument {next(iter(other))}")
        _check.function(objective, "objective")
        if n_trials is not None:
            _check.count(n_trials, "n_trials", 0)
        count = _check.workers(workers)
        _check.not_negative(timeout, "timeout")
        called = _check.functions(callbacks, "callbacks") + ((_Progress(n_trials),) if show_progress_bar else ())

        def told(record: _engine.Trial) -> None:
            for callback in called:
                callback(self, Trial(record))

        run = _engine.Run(self._core, _evaluated(objective), told if called else None, _check.catch(catch), "the value of the objective")
        self._runs.append(run)
        try:
            run.drive(count, n_trials, _check.seconds(timeout))
        finally:
            self._runs.remove(run)
            if show_progress_bar:
                print(file=sys.stderr)

    def stop(self) -> None:
        """Ends :meth:`optimize` after the trials under way; to be called by objectives and callbacks."""
        for run in self._runs:
            run.stop()

    def ask(self, space: Union[Space, Mapping[str, Any], None] = None) -> Trial:
        """A trial to evaluate by yourself; its values come from its ``suggest_*`` methods, or from `params` with a space.

        :class:`~neuralbo.StudyEnded` and :class:`~neuralbo.StudyBusy` say that there is none.

        >>> import neuralbo
        >>> study = neuralbo.create_study(seed=1)
        >>> trial = study.ask({"x": (0.0, 1.0)})
        >>> study.tell(trial, trial.params["x"] ** 2).state
        'complete'
        """
        specs = [] if space is None else [spec_of(name, domain) for name, domain in space_of(space).items()]
        for spec in specs:
            widened = self._core.grow(spec)
            if widened is not None:
                warnings.warn(f"parameter `{spec[0]}` was {widened[0]} in this study and is {widened[1]} from now on", stacklevel=2)
        trial = Trial(self._core.ask_trial(ASK_LEASE))
        for spec in specs:
            trial._suggest(spec)
        return trial

    def tell(self, trial: Union[Trial, int], value: Any = None, state: Optional[str] = None) -> Trial:
        """The value of a trial; ``None``, NaN and exceptions say that it has failed. With several objectives or outcome constraints
        it is a dict, or a tuple in their order; a value that is missing or unknown is a ValueError, and then nothing is told.

        `state` may be ``complete``, ``pruned`` (with the last intermediate value unless one is given) or ``failed``.
        """
        if state not in (None, "complete", "pruned", "failed"):
            raise ValueError(f"state = {state!r} is not allowed; it must be complete, pruned or failed")
        if state == "pruned" and value is None and isinstance(trial, Trial):
            value = trial.last_report
        if state in ("complete", "pruned") and value is None:
            raise ValueError(f"state = {state!r} needs a value, found None")
        return Trial(self._core.tell_trial(_known_number(trial), value, state))

    def enqueue_trial(self, params: Mapping[str, Any]) -> None:
        """Values that are evaluated next, before any suggestion; what they leave out is drawn."""
        if not isinstance(params, Mapping):
            raise TypeError(f"params must be a dict, found {_check.shown(params)}")
        self._core.enqueue(as_dict(params))

    def add_trial(
        self,
        params: Mapping[str, Any],
        value: Any = None,
        *,
        state: Optional[str] = None,
        intermediate_values: Optional[Mapping[int, float]] = None,
        user_attrs: Optional[Mapping[str, Any]] = None,
    ) -> int:
        """A result known from elsewhere, and the number it gets; ``None``, NaN and exceptions are failures.

        >>> import neuralbo
        >>> study = neuralbo.create_study(space={"x": (0.0, 1.0)})
        >>> study.add_trial({"x": 0.5}, 2.0)
        0
        """
        reports = sorted((intermediate_values or {}).items())
        return self._core.add_trials([(as_dict(params), value, state, reports, dict(user_attrs or {}))])[0]

    def add_trials(self, trials: Any, *, value: str = "value") -> List[int]:
        """Results known from elsewhere, all or none: a DataFrame or a list of dicts, with the column `value` for the value and
        the others for the parameters; with several objectives or outcome constraints, a column for each by its name. A table of :meth:`trials_dataframe` and a list of trials are taken as they are.

        >>> import neuralbo
        >>> study = neuralbo.create_study(space={"x": (0.0, 1.0)})
        >>> study.add_trials([{"x": 0.5, "loss": 2.0}, {"x": 0.25, "loss": 1.0}], value="loss")
        [0, 1]
        """
        names = self._measured()
        return self._core.add_trials(_tables.read(trials, [value] if len(names) == 1 else names))

    # What is known.

    @property
    def trials(self) -> List[Trial]:
        """All trials by number."""
        return [Trial(record) for record in self._core.trials()]

    @property
    def best_trial(self) -> Trial:
        """The complete, feasible trial with the best value; ValueError when there is none, and with several objectives."""
        if self._several():
            raise several_refused("best_trial")
        best = self._core.best()
        if best is None:
            raise ValueError(self._none_best())
        return Trial(best)

    @property
    def best_trials(self) -> List[Trial]:
        """The trials of the Pareto front: complete, feasible, and none at least as good in every objective. With one objective the
        best one."""
        return self._front()

    @property
    def least_violation(self) -> Optional[Trial]:
        """The complete trial that violates the outcome constraints least; ``None`` without such a trial or such constraints."""
        found = self._core.least_violation() if self._core.outcomes else None
        return None if found is None else Trial(found[0])

    @property
    def best_params(self) -> Dict[str, Any]:
        """The parameters of the best trial: those it used."""
        return self.best_trial.params

    @property
    def best_value(self) -> float:
        """The best value."""
        value = self.best_trial.value
        return float("nan") if value is None else value

    def trials_dataframe(self) -> Any:
        """All trials as a table of pandas; ImportError where pandas is not installed."""
        return _tables.frame(self.trials, self.space or (), self._measured())

    def __reduce__(self) -> Tuple[Any, ...]:
        url = self._core.url
        if url is not None:
            return (_loaded, (url, self.study_name, self._checkpoints))
        return (_restored, (self.study_name, self._core.record(), self._checkpoints))

    def __repr__(self) -> str:
        return f"Study(study_name={self.study_name!r}, storage={self._core.shown_url!r}, direction={self.direction!r}, method={self.method!r})"

    def _repr_html_(self) -> str:
        from neuralbo._html import study_card

        return study_card(self)


def _loaded(storage: str, name: str, checkpoints: Optional[str]) -> Study:
    return load_study(storage, name, checkpoints=checkpoints)


def _restored(name: str, record: str, checkpoints: Optional[str] = None) -> Study:
    return Study(_engine.Study.from_record(name, "named", record), checkpoints)


def _pruner_text(pruner: Optional[str]) -> Optional[str]:
    return None if pruner is None else _check.text(pruner, "pruner")


def _evaluated(objective: Objective) -> Callable[[_engine.Trial], Any]:
    def evaluate(record: _engine.Trial) -> Any:
        trial = Trial(record)
        value = objective(trial)
        if value is not None and not trial.params:
            raise ValueError("the objective asked for no parameter; a study needs at least one suggest_ call or space=")
        return value

    return evaluate


def _known_number(trial: Any) -> Any:
    """A trial, or a number that a trial may have."""
    if isinstance(trial, Trial):
        return trial
    number = _check.whole(trial, "trial", allowed="a trial or its number")
    if not 0 <= number < 2**63:
        raise ValueError(f"trial {_check.brief(number)} is unknown; numbers count from 0")
    return number


class _Progress:
    """A line on stderr: how many trials, and the best value."""

    def __init__(self, total: Optional[int]) -> None:
        self._total = "" if total is None else f"/{total}"
        self._count = 0

    def __call__(self, study: Study, trial: Trial) -> None:
        self._count += 1
        print(f"\r{self._count}{self._total} trials, {self._found(study)}", end="", file=sys.stderr, flush=True)

    def _found(self, study: Study) -> str:
        front = study._core.front()
        if not front:
            return "best none"
        if study._several():
            return f"{len(front)} on the front, hypervolume {study.hypervolume:.6g}"
        return f"best {front[0].value}"
