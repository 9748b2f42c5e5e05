"""Results of optimizations."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from neuralbo._goals import ObjectiveInfo, OutcomeInfo
from neuralbo.space import Space
from neuralbo.trial import Trial


class Result:
    """The result of :func:`neuralbo.minimize`.

    `x` and `fun` are the best *observed* point and its value; `x_model` and `fun_model` the recommended trial and its
    predicted noise-free value (``None`` for methods without a model), which are preferable if evaluations are noisy.
    With outcome constraints both are from feasible trials.

    With several objectives `x`, `fun` and `best` are ``None``: the answer is `front`, the non-dominated trials, whose
    `hypervolume` is measured from `reference`. With one objective `front` contains the best trial.

    While no trial is feasible, `success` is ``False`` and `least_violation` is the trial closest to feasibility.

    >>> import neuralbo
    >>> result = neuralbo.minimize(lambda x: x[0] ** 2, [(-1, 1)], n_trials=10, seed=1)
    >>> result.success, result.nfev, result.fun == min(trial.value for trial in result.history)
    (True, 10, True)
    """

    def __init__(
        self,
        *,
        x: Any,
        fun: Optional[float],
        nfev: int,
        nfail: int,
        history: Callable[[], List[Trial]],
        message: str,
        success: bool,
        seed: int,
        method: str = "neuralbo",
        direction: str = "minimize",
        space: Optional[Space] = None,
        x_model: Any = None,
        fun_model: Optional[float] = None,
        front: Sequence[Trial] = (),
        objectives: Sequence[ObjectiveInfo] = (),
        outcomes: Sequence[OutcomeInfo] = (),
        hypervolume: Optional[float] = None,
        reference: Optional[Dict[str, float]] = None,
        least_violation: Optional[Trial] = None,
        hypervolume_history: Callable[[], List[Tuple[int, float]]] = list,
    ) -> None:
        self.x = x
        self.fun = fun
        self.nfev = nfev
        self.nfail = nfail
        self.message = message
        self.success = success
        self.seed = seed
        self.method = method
        self.direction = direction
        self.space = space
        self.x_model = x_model
        self.fun_model = fun_model
        self.front = list(front)
        self.objectives = list(objectives)
        self.outcomes = list(outcomes)
        self.hypervolume = hypervolume
        self.reference = reference
        self.least_violation = least_violation
        self._fetch: Optional[Callable[[], List[Trial]]] = history
        self._history: List[Trial] = []
        self._fetch_volumes: Optional[Callable[[], List[Tuple[int, float]]]] = hypervolume_history
        self._volumes: List[Tuple[int, float]] = []

    @property
    def best(self) -> Optional[Trial]:
        """The best trial; ``None`` if there is none, and with several objectives."""
        return self.front[0] if self.front and len(self.objectives) <= 1 else None

    @property
    def history(self) -> List[Trial]:
        """All trials by number."""
        if self._fetch is not None:
            self._history, self._fetch = self._fetch(), None
        return self._history

    @property
    def hypervolume_history(self) -> List[Tuple[int, float]]:
        """The number of each finished trial, in finishing order, and the hypervolume of the front after it."""
        if self._fetch_volumes is not None:
            self._volumes, self._fetch_volumes = self._fetch_volumes(), None
        return self._volumes

    def __getstate__(self) -> Dict[str, Any]:
        fetched = {"_history": self.history, "_fetch": None, "_volumes": self.hypervolume_history, "_fetch_volumes": None}
        return {**self.__dict__, **fetched}

    def __repr__(self) -> str:
        names = ["message", "success", "fun", "x", "nfev", "nfail", "fun_model", "x_model", "seed"]
        if len(self.objectives) > 1:
            names = ["message", "success", "hypervolume", "reference", "nfev", "nfail", "seed"]
            front = [f"{'front' if place == 0 else '':>11}: {trial.values} at {trial.x}" for place, trial in enumerate(self.front)]
            return "\n".join([*(f"{name:>11}: {getattr(self, name)}" for name in names), *front])
        return "\n".join(f"{name:>10}: {getattr(self, name)}" for name in names)

    def _repr_html_(self) -> str:
        from neuralbo._html import result_card

        return result_card(self)
