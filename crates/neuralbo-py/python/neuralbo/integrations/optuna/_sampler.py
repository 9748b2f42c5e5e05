"""The sampler that Optuna calls."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Set
from weakref import WeakKeyDictionary

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from neuralbo import Optimizer, _check, _engine
from neuralbo._options import check_method
from neuralbo.integrations._coding import Coding
from neuralbo.integrations.optuna._engine import FollowingEngine
from neuralbo.integrations.optuna._joint import JointSpace
from neuralbo.integrations.optuna._trials import ConstraintNames, Goals, write_given_params

_logger = optuna.logging.get_logger("optuna.samplers.neuralbo")


@dataclass
class _StudyMemory:
    """What is kept between the suggestions of one study; all of it follows from the study's trials."""

    joint: JointSpace = field(default_factory=JointSpace)
    limited: ConstraintNames = field(default_factory=ConstraintNames)
    engine: Optional[FollowingEngine] = None
    #: Parameters about which a warning was logged.
    unmodelled: Set[str] = field(default_factory=set)

    def conditions(self, search_space: Dict[str, BaseDistribution]) -> Dict[str, str]:
        """The conditions over a search space; none where it is not the one of the trials, e.g. with some parameters fixed."""
        return self.joint.conditions if search_space == self.joint.search_space else {}


class NeuralBOSampler(BaseSampler):
    """An Optuna sampler that uses the neuralbo engine.

    The engine suggests all parameters of the study jointly, in one model. This includes conditional ones, whose
    conditions are learned from the trials. The independent sampler is used for new parameters (the first trial, the
    first trial of a branch), for parameters whose range changes between trials, and for those whose presence cannot be
    explained by other parameters.

    * Running trials, of this and of all other processes on the same storage, are passed to the model as pending points.
    * Several objectives (``create_study(directions=[...])``) and constraints are modelled by the methods that support
      them. `constraints_func` returns the constraints of a finished trial, as for Optuna's samplers: values above zero
      are violations. Constraints stored by another sampler are used unchanged.
    * Failed trials steer the search away from their point, as do infeasible ones if the method does not model
    constraints.
    * A pruned trial counts with its last intermediate value, but as no better than the median of the trials completed
      before it; without intermediate values it counts as failed.
    * When a finite space is exhausted, further trials use the independent sampler.
    * The same seed and the same trials give the same suggestions, also from a new sampler.

    Args:
        method: The engine's method, one of ``neuralbo.methods()``.
        seed: Seed of the engine and of the default independent sampler; random if ``None``. Concurrent processes on
            one study need different seeds, or none: with the same seed they may suggest the same point.
        n_startup_trials: Number of completed trials from the independent sampler before the engine is used, at least
            one. The engine has its own initial design, so more are seldom useful.
        independent_sampler: Sampler for parameters that the engine does not suggest; default ``RandomSampler``.
        warn_independent_sampling: Whether to log a warning, once per parameter, when the independent sampler is used
            for a parameter of earlier trials: its range changes, or its presence cannot be explained.
        constraints_func: Takes a finished trial and returns its constraints, a sequence of numbers; each holds if it
            is at most zero.
        **options: Options of the method.

    Example::

        import optuna
        from neuralbo.integrations.optuna import NeuralBOSampler

        def objective(trial):
            x = trial.suggest_float("x", -5, 10)
            y = trial.suggest_int("y", 0, 15)
            return (x - 2) ** 2 + (y - 3) ** 2

        study = optuna.create_study(sampler=NeuralBOSampler(seed=7))
        study.optimize(objective, n_trials=20)
        print(study.best_params)
    """

    def __init__(
        self,
        method: str = "neuralbo",
        seed: Optional[int] = None,
        n_startup_trials: int = 1,
        independent_sampler: Optional[BaseSampler] = None,
        warn_independent_sampling: bool = True,
        constraints_func: Optional[Callable[[FrozenTrial], Sequence[float]]] = None,
        **options: Any,
    ) -> None:
        if n_startup_trials < 0:
            raise ValueError(f"n_startup_trials = {n_startup_trials} is not allowed; it must be an integer of at least 0")
        check_method(method, seed, options)
        self._method = method
        self._options = dict(options)
        self._seed = secrets.randbits(32) if seed is None else seed
        self._n_startup_trials = n_startup_trials
        self._independent_sampler = independent_sampler or RandomSampler(seed=self._seed % 2**32)
        self._warn_independent_sampling = warn_independent_sampling
        self._constraints_func = constraints_func
        self._models_several, self._models_constraints = _engine.method_goals(method)
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.RLock()
        # Keyed by the storage object too: every in-memory storage calls its first study number 0.
        self._memories: "WeakKeyDictionary[BaseStorage, Dict[int, _StudyMemory]]" = WeakKeyDictionary()

    def __getstate__(self) -> Dict[str, Any]:
        state = self.__dict__.copy()
        del state["_lock"], state["_memories"]
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Draws a new seed; Optuna calls this for every trial of ``optimize(n_jobs=...)`` with more than one job."""
        with self._lock:
            self._seed = secrets.randbits(32)
            for memories in self._memories.values():
                for memory in memories.values():
                    memory.engine = None
        self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Dict[str, BaseDistribution]:
        """The parameters of all completed and pruned trials that the engine chooses; see :class:`JointSpace`."""
        with self._lock:
            return dict(self._memory(study).joint.follow(study.get_trials(deepcopy=False)))

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: Dict[str, BaseDistribution]
    ) -> Dict[str, Any]:
        """The engine's suggestion for the active parameters; empty while there is nothing to go by."""
        self._refuse_several(study)
        if not any(not distribution.single() for distribution in search_space.values()):
            return {}
        # Held until the point is written, so that two threads do not miss each other's point.
        with self._lock:
            trials = study.get_trials(deepcopy=False)
            if sum(trial.state == TrialState.COMPLETE for trial in trials) < self._n_startup_trials:
                return {}
            params = self._suggest(study, trials, trial.number, search_space)
            if not params:
                sample = self._independent_sampler.sample_independent
                params = {name: sample(study, trial, name, distribution) for name, distribution in search_space.items()}
            write_given_params(study._storage, trial, params, search_space)
        return params

    def _suggest(
        self, study: Study, trials: Sequence[FrozenTrial], number: int, search_space: Dict[str, BaseDistribution]
    ) -> Dict[str, Any]:
        memory = self._memory(study)
        goals = self._goals(study, trials)
        conditions = memory.conditions(search_space)
        engine = memory.engine
        wanted = (search_space, conditions, goals)
        if engine is None or (engine.search_space, engine.conditions, engine.goals) != wanted:
            engine = FollowingEngine(*wanted, lambda coding: self._optimizer(coding, goals))
            memory.engine = engine
        return engine.suggest(trials, number)

    def _goals(self, study: Study, trials: Sequence[FrozenTrial]) -> Goals:
        directions = tuple("maximize" if direction == StudyDirection.MAXIMIZE else "minimize" for direction in study.directions)
        return Goals(directions, self._memory(study).limited.follow(trials) if self._models_constraints else ())

    def _optimizer(self, coding: Coding, goals: Goals) -> Optimizer:
        return coding.optimizer(goals.objectives, self._method, self._seed, self._options, goals.outcome_constraints)

    def _refuse_several(self, study: Study) -> None:
        if len(study.directions) > 1 and not self._models_several:
            # Says which methods can.
            Optimizer([(0, 1)], objectives=[f"value_{place}:minimize" for place in range(len(study.directions))], method=self._method)

    def _memory(self, study: Study) -> _StudyMemory:
        return self._memories.setdefault(study._storage, {}).setdefault(study._study_id, _StudyMemory())

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """The independent sampler's value for a parameter that the engine does not suggest."""
        self._refuse_several(study)
        if self._warn_independent_sampling and self._gives_up(study, param_name):
            _logger.warning(
                f"The parameter `{param_name}` is sampled by {type(self._independent_sampler).__name__} from trial {trial.number} on: "
                f"its range changes between trials, or its presence cannot be explained."
            )
        return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)

    def _gives_up(self, study: Study, name: str) -> bool:
        """Whether trials had the parameter and it is not modelled, the first time that this is so."""
        memory = self._memory(study)
        if name in memory.unmodelled or name in memory.joint.search_space:
            return False
        done = [trial for trial in study.get_trials(deepcopy=False) if trial.state == TrialState.COMPLETE]
        if len(done) < max(self._n_startup_trials, 1) or not any(name in trial.params for trial in done):
            return False
        memory.unmodelled.add(name)
        return True

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Passed on to the independent sampler."""
        self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Optional[Sequence[float]]
    ) -> None:
        """Stores the constraints of the trial; passed on to the independent sampler."""
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", _constraints(self._constraints_func(trial)))
        self._independent_sampler.after_trial(study, trial, state, values)


def _constraints(given: Any) -> List[float]:
    """What `constraints_func` returned, checked before it is stored."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise TypeError(f"constraints_func must return a sequence of numbers, found {given!r}")
    found = [_check.number(value, f"constraints[{place}]") for place, value in enumerate(given)]
    for place, value in enumerate(found):
        if value != value:
            raise ValueError(f"constraints[{place}] is NaN; constraints_func must return numbers, at most zero where they hold")
    return found
