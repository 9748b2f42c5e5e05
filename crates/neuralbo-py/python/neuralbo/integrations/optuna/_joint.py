"""One search space for all branches of an objective.

Optuna's trials record their parameters but not the conditions under which an objective requests them. The conditions
are inferred from the trials, so that the engine can suggest all parameters jointly; see ``derived_conditions`` of the
engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence

from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from neuralbo.integrations.optuna._trials import coding_of

#: Conditions are inferred from this many of the latest trials.
REMEMBERED = 512


@dataclass
class JointSpace:
    """The parameters of complete and pruned trials with a single range each, and when they occur."""

    search_space: Dict[str, BaseDistribution] = field(default_factory=dict)
    #: Over the names and values of the engine, see :class:`~neuralbo.integrations._coding.Coding`.
    conditions: Dict[str, str] = field(default_factory=dict)
    #: The numbers of the trials used.
    seen: List[int] = field(default_factory=list)

    def follow(self, trials: Sequence[FrozenTrial]) -> Dict[str, BaseDistribution]:
        """The search space of these trials."""
        ended = [trial for trial in trials if trial.state in (TrialState.COMPLETE, TrialState.PRUNED)]
        numbers = [trial.number for trial in ended]
        if numbers != self.seen:
            self.seen = numbers
            self._learn(ended)
        return self.search_space

    def _learn(self, trials: Sequence[FrozenTrial]) -> None:
        ranges = _single_ranges(trials)
        if all(trial.distributions.keys() >= ranges.keys() for trial in trials):
            self.search_space, self.conditions = ranges, {}
            return
        recent = [(trial.params, trial.state == TrialState.COMPLETE) for trial in trials[-REMEMBERED:]]
        found = coding_of(ranges).conditions(recent)
        # Unexplained parameters are omitted and cannot explain others.
        while None in found.values():
            ranges = {name: one for name, one in ranges.items() if found.get(name, "") is not None}
            found = coding_of(ranges).conditions(recent)
        self.conditions = {name: text for name, text in found.items() if text is not None}
        self.search_space = ranges


def _single_ranges(trials: Sequence[FrozenTrial]) -> Dict[str, BaseDistribution]:
    """The parameters in the order of their first use, without those of a single value and those whose range has changed."""
    found: Dict[str, Optional[BaseDistribution]] = {}
    for trial in trials:
        for name in trial.params:
            distribution = trial.distributions[name]
            if found.setdefault(name, distribution) != distribution:
                found[name] = None
    return {name: one for name, one in found.items() if one is not None and not one.single()}
