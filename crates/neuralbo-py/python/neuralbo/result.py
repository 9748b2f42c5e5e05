"""What an optimization found."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from neuralbo.space import Space
from neuralbo.trial import Trial


class Result:
    """What :func:`neuralbo.minimize` found.

    `x` and `fun` are the best point *seen* and its value; `x_model` and `fun_model` the trial that is best by the model and
    its predicted noise-free value (``None`` for methods without a model), which is the one to trust where evaluations are noisy.
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
        self._fetch: Optional[Callable[[], List[Trial]]] = history
        self._history: List[Trial] = []

    @property
    def history(self) -> List[Trial]:
        """All trials by number."""
        if self._fetch is not None:
            self._history, self._fetch = self._fetch(), None
        return self._history

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_history": self.history, "_fetch": None}

    def __repr__(self) -> str:
        names = ["message", "success", "fun", "x", "nfev", "nfail", "fun_model", "x_model", "seed"]
        return "\n".join(f"{name:>10}: {getattr(self, name)}" for name in names)

    def _repr_html_(self) -> str:
        from neuralbo._html import result_card

        return result_card(self)
