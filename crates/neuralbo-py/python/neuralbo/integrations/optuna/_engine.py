"""An :class:`neuralbo.Optimizer` that follows the trials of a study.

The engine's suggestions depend only on the ordered finished and running trials. Trials are therefore passed in an
order that every process derives from the storage: finished ones by completion time, running ones by number. Usually
the list has only grown since the last call, and the engine is told the new trials; otherwise (a slow clock, an edited
trial, trials hidden by a pruner) it is rebuilt. Either way the suggestion is the same.
"""

from __future__ import annotations

import datetime
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from neuralbo import Optimizer
from neuralbo.integrations._coding import Coding, EnginePoint, ask_or_none
from neuralbo.integrations.optuna._trials import Goals, Values, coding_of, given_params

_Order = Tuple[datetime.datetime, int]


def completion_order(trial: FrozenTrial) -> _Order:
    """The place of a finished trial in the history."""
    return (trial.datetime_complete or trial.datetime_start or datetime.datetime.min, trial.number)


class FollowingEngine:
    """The engine over one search space of one study.

    `conditions` say when a parameter is active, `make` builds an empty optimizer for a coding.
    """

    def __init__(
        self,
        search_space: Mapping[str, BaseDistribution],
        conditions: Mapping[str, str],
        goals: Goals,
        make: Callable[[Coding], Optimizer],
    ) -> None:
        self.search_space: Dict[str, BaseDistribution] = dict(search_space)
        self.conditions = dict(conditions)
        self.goals = goals
        self._coding = coding_of(search_space, conditions)
        self._make = make
        #: How often the engine was rebuilt.
        self.builds = 0
        self._reset()

    def _reset(self) -> None:
        self._optimizer = self._make(self._coding)
        self._values = Values(self.goals)
        self._finished: Set[int] = set()
        self._latest: Optional[_Order] = None
        self._running: Dict[int, EnginePoint] = {}
        self.builds += 1

    def suggest(self, trials: Sequence[FrozenTrial], number: int) -> Dict[str, Any]:
        """Parameters for trial `number`, given all trials of the study; empty if a finite space is exhausted."""
        if not self._follow(trials, number):
            self._reset()
            self._follow(trials, number)
        point = ask_or_none(self._optimizer)
        if point is None:
            return {}
        self._running[number] = point
        return self._coding.decode(point)

    def _follow(self, trials: Sequence[FrozenTrial], number: int) -> bool:
        """Tell the engine the new trials; false if the trials are not a continuation of the known ones."""
        finished = [trial for trial in trials if trial.state.is_finished()]
        fresh = sorted((t for t in finished if t.number not in self._finished), key=completion_order)
        if len(finished) - len(fresh) != len(self._finished):
            return False
        if fresh and self._latest is not None and completion_order(fresh[0]) < self._latest:
            return False
        return all(self._finish(trial) for trial in fresh) and self._run(self._points_of_running(trials, number))

    def _finish(self, trial: FrozenTrial) -> bool:
        # A pruned trial may not have requested all its parameters; its point is still known.
        complete = trial.state == TrialState.COMPLETE
        point = self._point(trial.params if complete else given_params(trial, self.search_space))
        asked = self._running.pop(trial.number, None)
        if asked is not None and asked != point:
            return False
        self._finished.add(trial.number)
        self._latest = completion_order(trial)
        if point is not None:
            value = self._values.value_of(trial)
            if asked is None:
                self._optimizer.add(point, value)
            else:
                self._optimizer.tell(point, value)
        return True

    def _points_of_running(self, trials: Sequence[FrozenTrial], number: int) -> List[Tuple[int, EnginePoint]]:
        running = [trial for trial in trials if trial.state == TrialState.RUNNING and trial.number != number]
        points = [(trial.number, self._point(given_params(trial, self.search_space))) for trial in running]
        return sorted(((n, point) for n, point in points if point is not None), key=lambda pair: pair[0])

    def _run(self, running: Sequence[Tuple[int, EnginePoint]]) -> bool:
        if list(running[: len(self._running)]) != list(self._running.items()):
            return False
        for number, point in running[len(self._running) :]:
            self._optimizer.add_running(point)
            self._running[number] = point
        return True

    def _point(self, params: Mapping[str, Any]) -> Optional[EnginePoint]:
        """The engine's point; ``None`` for a trial that lacks a parameter or had another range for it."""
        try:
            return self._coding.encode(params)
        except ValueError:
            return None
