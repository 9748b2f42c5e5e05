"""Results of optimizations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Dict, List, Optional, Tuple

from neuralbo._goals import ObjectiveInfo, OutcomeConstraint
from neuralbo.space import Space
from neuralbo.trial import Trial


@dataclass(repr=False, eq=False)
class Result:
    """The result of :func:`neuralbo.minimize`.

    `x` and `fun` are the best *observed* point and its value; `x_model` and `fun_model` the recommended trial and its
    predicted noise-free value (``None`` for methods without a model), which are preferable if evaluations are noisy.
    With outcome constraints both are from feasible trials.

    With several objectives `x`, `fun`, `direction` and `best` are ``None``: the answer is `front`, the non-dominated trials, whose
    `hypervolume` is measured from `reference`. With one objective `front` contains the best trial.

    While no trial is feasible, `success` is ``False`` and `least_violation` is the trial closest to feasibility.

    >>> import neuralbo
    >>> result = neuralbo.minimize(lambda x: x[0] ** 2, [(-1, 1)], n_trials=10, seed=1)
    >>> result.success, result.nfev, result.fun == min(trial.value for trial in result.history)
    (True, 10, True)
    """

    x: Any
    fun: Optional[float]
    nfev: int
    nfail: int
    message: str
    success: bool
    seed: int
    method: str
    direction: Optional[str]
    space: Optional[Space]
    x_model: Any
    fun_model: Optional[float]
    front: List[Trial]
    objectives: List[ObjectiveInfo]
    outcome_constraints: List[OutcomeConstraint]
    hypervolume: Optional[float]
    reference: Optional[Dict[str, float]]
    least_violation: Optional[Trial]
    _fetch: Optional[Callable[[], List[Trial]]]
    _fetch_volumes: Optional[Callable[[], List[Tuple[int, float]]]]

    @property
    def best(self) -> Optional[Trial]:
        """The best trial; ``None`` if there is none, and with several objectives."""
        return self.front[0] if self.front and len(self.objectives) <= 1 else None

    @cached_property
    def history(self) -> List[Trial]:
        """All trials by number."""
        return [] if self._fetch is None else self._fetch()

    @cached_property
    def hypervolume_history(self) -> List[Tuple[int, float]]:
        """The number of each finished trial, in finishing order, and the hypervolume of the front after it."""
        return [] if self._fetch_volumes is None else self._fetch_volumes()

    def __getstate__(self) -> Dict[str, Any]:
        fetched = {"history": self.history, "_fetch": None, "hypervolume_history": self.hypervolume_history, "_fetch_volumes": None}
        return {**self.__dict__, **fetched}

    def __repr__(self) -> str:
        names = ["message", "success", "fun", "x", "nfev", "nfail", "fun_model", "x_model", "seed"]
        if len(self.objectives) > 1:
            names = ["message", "success", "hypervolume", "reference", "nfev", "nfail", "seed"]
            front = [f"{'front' if place == 0 else '':>11}: {trial.measured} at {trial.x}" for place, trial in enumerate(self.front)]
            return "\n".join([*(f"{name:>11}: {getattr(self, name)}" for name in names), *front])
        return "\n".join(f"{name:>10}: {getattr(self, name)}" for name in names)

    def _repr_html_(self) -> str:
        from neuralbo._html import result_card

        return result_card(self)
