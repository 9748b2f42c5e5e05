"""What a trial of an Optuna study says to the engine: its parameters, its value, the point it is running at."""

from __future__ import annotations

import json
import math
from bisect import insort
from typing import Any, Dict, List, Mapping, Optional

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from neuralbo.integrations._coding import Code, Coding, choice_code, float_code, int_code

#: A running trial's point is written here, since its parameters reach the storage only when the objective asks for them.
RELATIVE_PARAMS_KEY = "neuralbo:relative_params"
#: Longest text that relational storages keep in one attribute.
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


def is_infeasible(trial: FrozenTrial) -> bool:
    """Whether a constraint is violated; Optuna keeps constraints as a list or one by one, above zero means violated."""
    attributes = trial.system_attrs
    listed = list(attributes.get("constraints") or ())
    single = [value for key, value in attributes.items() if key.startswith("constraints:")]
    return any(value > 0.0 for value in listed + single)


class Values:
    """The values the engine is told, trial by trial in the order of completion; ``None`` for a failure.

    * A complete trial counts with its value, unless it is infinite or violates a constraint.
    * A pruned trial counts with its last intermediate value, but as no better than the median of the trials completed
      before it: an early value is not comparable with a final one, and pruning says that the trial is not promising.
      Without an intermediate value it has failed.
    """

    def __init__(self, maximize: bool) -> None:
        self._maximize = maximize
        self._completed: List[float] = []

    def value_of(self, trial: FrozenTrial) -> Optional[float]:
        """The value of the next finished trial."""
        if is_infeasible(trial):
            return None
        if trial.state == TrialState.PRUNED:
            return self._pruned(trial)
        value = trial.value if trial.state == TrialState.COMPLETE else None
        if value is None or not math.isfinite(value):
            return None
        insort(self._completed, value)
        return value

    def _pruned(self, trial: FrozenTrial) -> Optional[float]:
        if not trial.intermediate_values:
            return None
        value = trial.intermediate_values[max(trial.intermediate_values)]
        if not math.isfinite(value):
            return None
        if not self._completed:
            return value
        median = self._completed[len(self._completed) // 2]
        return min(value, median) if self._maximize else max(value, median)
