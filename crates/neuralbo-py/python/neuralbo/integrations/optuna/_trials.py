"""What a trial of an Optuna study says to the engine: its parameters, its value, the point it is running at."""

from __future__ import annotations

import json
import math
from bisect import insort
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from neuralbo.integrations._coding import Code, Coding, choice_code, float_code, int_code

#: The attribute with a running trial's point: its parameters are stored only when the objective requests them.
RELATIVE_PARAMS_KEY = "neuralbo:relative_params"
#: Maximum attribute length in relational storages.
MOST_ATTRIBUTE_CHARACTERS = 2045


def code_of(distribution: BaseDistribution) -> Code:
    """The engine's view of a distribution."""
    if isinstance(distribution, FloatDistribution):
        return float_code(distribution.low, distribution.high, log=distribution.log, step=distribution.step)
    if isinstance(distribution, IntDistribution):
        return int_code(distribution.low, distribution.high, log=distribution.log, step=distribution.step)
    if isinstance(distribution, CategoricalDistribution):
        return choice_code(distribution.choices)
    raise ValueError(
        f"distribution {distribution!r} is not supported; it must be a FloatDistribution, IntDistribution or CategoricalDistribution"
    )


def coding_of(search_space: Mapping[str, BaseDistribution], conditions: Optional[Mapping[str, str]] = None) -> Coding:
    """The engine's view of a search space."""
    return Coding({name: code_of(distribution) for name, distribution in search_space.items()}, conditions)


def write_given_params(
    storage: BaseStorage, trial: FrozenTrial, params: Mapping[str, Any], search_space: Mapping[str, BaseDistribution]
) -> None:
    """Lets all samplers of the study see the point a trial has just been given."""
    text = json.dumps({name: search_space[name].to_internal_repr(value) for name, value in params.items()})
    for i, start in enumerate(range(0, len(text), MOST_ATTRIBUTE_CHARACTERS)):
        part = text[start : start + MOST_ATTRIBUTE_CHARACTERS]
        storage.set_trial_system_attr(trial._trial_id, f"{RELATIVE_PARAMS_KEY}:{i}", part)


def given_params(trial: FrozenTrial, search_space: Mapping[str, BaseDistribution]) -> Dict[str, Any]:
    """The parameters a trial has been given, asked for by its objective or not; those asked for take precedence."""
    parts: List[str] = []
    while f"{RELATIVE_PARAMS_KEY}:{len(parts)}" in trial.system_attrs:
        parts.append(trial.system_attrs[f"{RELATIVE_PARAMS_KEY}:{len(parts)}"])
    written = _read_json("".join(parts))
    known = {name: d.to_external_repr(written[name]) for name, d in search_space.items() if name in written}
    return {**known, **trial.params}


def _read_json(text: str) -> Dict[str, float]:
    try:
        return dict(json.loads(text)) if text else {}
    except ValueError:  # the other process is still writing the parts
        return {}


def constraints_of(trial: FrozenTrial) -> Dict[str, float]:
    """What a trial measured of constraints, at most zero where they hold; Optuna keeps them as a list or one by one."""
    attributes = trial.system_attrs
    listed = {f"constraint_{place}": value for place, value in enumerate(attributes.get("constraints") or ())}
    single = {key[len("constraints:") :]: value for key, value in attributes.items() if key.startswith("constraints:")}
    return {**listed, **single}


class ConstraintNames:
    """The names of all constraints that the finished trials of a study measured; each trial is looked at once."""

    def __init__(self) -> None:
        self._seen: Set[int] = set()
        self._names: Dict[str, None] = {}

    def follow(self, trials: Iterable[FrozenTrial]) -> Tuple[str, ...]:
        """The names in the order of the trials."""
        for trial in trials:
            if trial.number not in self._seen and trial.state.is_finished():
                self._seen.add(trial.number)
                self._names.update(dict.fromkeys(constraints_of(trial)))
        return tuple(self._names)


@dataclass(frozen=True)
class Goals:
    """What a study optimizes and limits, as the engine is told."""

    #: ``minimize`` or ``maximize``, one for each objective.
    directions: Tuple[str, ...]
    #: The constraints that the engine models; empty where the method cannot.
    constraints: Tuple[str, ...] = ()

    @property
    def names(self) -> List[str]:
        """The engine's names of the objectives."""
        return ["value"] if len(self.directions) == 1 else [f"value_{place}" for place in range(len(self.directions))]

    @property
    def objectives(self) -> List[str]:
        """The objectives as the engine takes them."""
        return [f"{name}:{direction}" for name, direction in zip(self.names, self.directions)]

    @property
    def outcome_constraints(self) -> List[str]:
        """The outcome constraints as the engine takes them."""
        return [f"c{place} <= 0" for place in range(len(self.constraints))]


class Values:
    """The values the engine is told, trial by trial in the order of completion; ``None`` for a failure.

    * A complete trial counts with its values, unless one is infinite. Constraints that the engine models count with theirs, and a trial
      without them has failed; where it does not, a trial that violates one has failed.
    * A pruned trial (of one objective) counts with its last intermediate value, but as no better than the median of the trials
      completed before it: an early value is not comparable with a final one, and pruning says that the trial is not promising.
      Without an intermediate value it has failed.
    """

    def __init__(self, goals: Goals) -> None:
        self._goals = goals
        self._completed: List[float] = []

    def value_of(self, trial: FrozenTrial) -> Any:
        """The value of the next finished trial: a number, or a dict where there are several."""
        measured = constraints_of(trial)
        if not self._goals.constraints and any(value > 0.0 for value in measured.values()):
            return None
        values = self._objectives_of(trial)
        if values is None:
            return None
        limited = [measured.get(name) for name in self._goals.constraints]
        if any(value is None or not math.isfinite(value) for value in limited):
            return None
        if len(values) + len(limited) == 1:
            return values[0]
        return {**dict(zip(self._goals.names, values)), **{f"c{place}": value for place, value in enumerate(limited)}}

    def _objectives_of(self, trial: FrozenTrial) -> Optional[List[float]]:
        single = len(self._goals.directions) == 1
        if trial.state == TrialState.PRUNED:
            value = self._pruned(trial) if single else None
            return None if value is None else [value]
        values = trial.values if trial.state == TrialState.COMPLETE else None
        if values is None or not all(math.isfinite(value) for value in values):
            return None
        if single:
            insort(self._completed, values[0])
        return list(values)

    def _pruned(self, trial: FrozenTrial) -> Optional[float]:
        if not trial.intermediate_values:
            return None
        value = trial.intermediate_values[max(trial.intermediate_values)]
        if not math.isfinite(value):
            return None
        if not self._completed:
            return value
        median = self._completed[len(self._completed) // 2]
        return min(value, median) if self._goals.directions[0] == "maximize" else max(value, median)
