"""A common form for callbacks of studies and of `minimize`."""

from __future__ import annotations

from typing import List, Optional, Set, Union

from neuralbo.result import Result
from neuralbo.study import Study
from neuralbo.trial import Trial

#: The first argument of a callback.
Source = Union[Study, Result]

_OVER = ("complete", "pruned", "failed")


class Finished:
    """Finds the trials that are new to a callback.

    A callback of ``Study.optimize`` gets the study and the trial, one of ``minimize`` the result so far.

    >>> import neuralbo
    >>> finished, seen = Finished(), []
    >>> callback = lambda result: seen.extend(trial.number for trial in finished.new(result))
    >>> result = neuralbo.minimize(lambda x: x[0] ** 2, [(-1, 1)], n_trials=3, seed=1, callback=callback)
    >>> seen
    [0, 1, 2]
    """

    def __init__(self) -> None:
        self._seen: Set[int] = set()

    def new(self, source: Source, trial: Optional[Trial] = None) -> List[Trial]:
        """The trials finished since the last call, by number."""
        if trial is not None:
            return [trial]
        if not isinstance(source, Result):
            raise TypeError(f"a study callback also receives its trial; found {type(source).__name__} alone")
        found = [trial for trial in source.history if trial.state in _OVER and trial.number not in self._seen]
        self._seen.update(trial.number for trial in found)
        return found


def best_value(source: Source) -> Optional[float]:
    """The best value so far; ``None`` without one, and with several objectives."""
    if isinstance(source, Result):
        return source.fun
    if len(source.objectives) > 1:
        return None
    found = source.best_trials
    return found[0].value if found else None
