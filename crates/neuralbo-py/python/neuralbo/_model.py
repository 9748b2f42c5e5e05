"""Looking at a study's model."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from neuralbo import _arrays, _check, _engine
from neuralbo._form import Form
from neuralbo._options import checked_seed
from neuralbo.trial import Best


class Modelled:
    """What optimizers and studies share: questions to the model."""

    _core: _engine.Study

    def _points_form(self) -> Form:
        raise NotImplementedError

    def predict(self, X: Any, objective: Optional[str] = None) -> Tuple[Any, Any]:
        """Mean and standard deviation of the objective's noise-free value at points, by the model. `objective` names one of several
        objectives, or what an outcome constraint limits; without it, it is the first objective.

        :class:`~neuralbo.NoModel` says why there is none: the method has no model, or too little was told.

        >>> import neuralbo
        >>> optimizer = neuralbo.Optimizer([(0, 10)], seed=1)
        >>> optimizer.add([[1], [4], [6], [7.5], [9]], [16, 1, 1, 6.25, 16])
        >>> mean, sd = optimizer.predict([[5]])
        >>> abs(float(mean[0])) < 1
        True
        """
        mean, sd = self._core.predict(self._points(X), _check.text_or_none(objective, "objective"))
        return _arrays.vector(mean), _arrays.vector(sd)

    def sample(self, n: int = 1, seed: Optional[int] = None, objective: Optional[str] = None) -> List[Callable[[Any], Any]]:
        """`n` functions drawn from the model of an objective, see :meth:`predict`; each takes points as :meth:`predict` does and returns their values.

        >>> import neuralbo
        >>> optimizer = neuralbo.Optimizer([(0, 10)], seed=1)
        >>> optimizer.add([[1], [4], [6], [7.5], [9]], [16, 1, 1, 6.25, 16])
        >>> [function] = optimizer.sample(1, seed=3)
        >>> float(function([[0]])[0]) > 10
        True
        """
        first = checked_seed(seed)
        name = _check.text_or_none(objective, "objective")
        return [self._sampled((first + i) % 2**64, name) for i in range(_check.count(n, "n", 1))]

    def _sampled(self, seed: int, objective: Optional[str]) -> Callable[[Any], Any]:
        sample = self._core.sample(seed, objective)

        def function(X: Any) -> Any:
            return _arrays.vector(sample.values(self._points(X)))

        return function

    def recommend(self) -> Best:
        """The trial whose noise-free value is best by the model: where evaluations are noisy, the best value *seen* is the
        luckiest one.

        `fun` is its predicted noise-free value and `sd` the prediction's standard deviation.
        """
        x, mean, sd, number = self._core.recommend()
        return Best(self._points_form().user(x), mean, number, sd)

    def _points(self, X: Any) -> Any:
        form = self._points_form()
        return [form.one(X)] if form.is_single(X) else form.many(X)
