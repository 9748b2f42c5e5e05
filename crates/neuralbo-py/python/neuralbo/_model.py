"""Access to a study's model."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from neuralbo import _arrays, _check, _engine
from neuralbo._form import Form
from neuralbo._options import checked_seed
from neuralbo.importance import Curve, Importance, Surface
from neuralbo.trial import Best


class Modelled:
    """Model queries shared by optimizers and studies."""

    _core: _engine.Study

    def _points_form(self) -> Form:
        raise NotImplementedError

    def predict(self, X: Any, objective: Optional[str] = None) -> Tuple[Any, Any]:
        """Predicted mean and standard deviation of the objective's noise-free value at points. `objective` names an
        objective or the quantity of an outcome constraint; default: the first objective.

        Raises :class:`~neuralbo.NoModel` if the method has no model or there are too few results.

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
        """`n` functions sampled from the model of an objective; each takes points like :meth:`predict` and returns
        their values.

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
        """The trial with the best predicted noise-free value; with noise the best *observed* value is optimistically
        biased.

        `fun` is its predicted noise-free value and `sd` the prediction's standard deviation.

        >>> import neuralbo
        >>> optimizer = neuralbo.Optimizer([(0, 10)], seed=1)
        >>> optimizer.add([[1], [4], [6], [7.5], [9]], [16, 1, 1, 6.25, 16])
        >>> optimizer.recommend().number in (1, 2)
        True
        """
        x, mean, sd, number = self._core.recommend()
        return Best(self._points_form().user(x), mean, number, sd)

    def importance(
        self, objective: Optional[str] = None, *, near_best: Optional[float] = None, level: float = 0.9, seed: int = 0
    ) -> Importance:
        """Parameter importance: Sobol indices of a model of the trials, with intervals.

        `objective` names an objective or the quantity of an outcome constraint; default: the first objective. With
        `near_best` only the region of that share of the trials counts, e.g. 0.1 for the best tenth; otherwise the
        whole space.

        >>> import neuralbo
        >>> optimizer = neuralbo.Optimizer([(-1, 1), (-1, 1)], seed=1)
        >>> points = [[(i * 0.37) % 2 - 1, (i * 0.71) % 2 - 1] for i in range(30)]
        >>> optimizer.add(points, [3 * x for x, _ in points])
        >>> found = optimizer.importance()
        >>> found.parameters[0].name, found.total["x0"] > 0.9
        ('x0', True)
        """
        return Importance._read(self._core.importance(*_question(objective, near_best, level, seed)))

    def partial_dependence(
        self,
        parameter: str,
        *,
        objective: Optional[str] = None,
        grid: int = 50,
        near_best: Optional[float] = None,
        at_trial: Optional[int] = None,
        level: float = 0.9,
        seed: int = 0,
    ) -> Curve:
        """The objective along one parameter with a band: averaged over all others, or with the others fixed to a
        trial.

        >>> import neuralbo
        >>> optimizer = neuralbo.Optimizer([(0, 10)], seed=1)
        >>> optimizer.add([[1], [4], [6], [7.5], [9]], [16, 1, 1, 6.25, 16])
        >>> curve = optimizer.partial_dependence("x0", grid=5)
        >>> curve.mean[2] < curve.mean[0]
        True
        """
        question = _question(objective, near_best, level, seed)
        name = _check.text(parameter, "parameter")
        return Curve._read(self._core.dependence(name, *question, _check.count(grid, "grid", 2, 1000), at_trial))

    def partial_dependence_2d(
        self,
        x: str,
        y: str,
        *,
        objective: Optional[str] = None,
        grid: int = 20,
        near_best: Optional[float] = None,
        at_trial: Optional[int] = None,
        level: float = 0.9,
        seed: int = 0,
    ) -> Surface:
        """The objective over two parameters and its standard deviation: averaged over all others, or with the others
        fixed to a trial.

        >>> import neuralbo
        >>> optimizer = neuralbo.Optimizer([(-1, 1), (-1, 1)], seed=1)
        >>> points = [[(i * 0.37) % 2 - 1, (i * 0.71) % 2 - 1] for i in range(12)]
        >>> optimizer.add(points, [3 * x for x, _ in points])
        >>> surface = optimizer.partial_dependence_2d("x0", "x1", grid=3)
        >>> len(surface.mean), len(surface.mean[0])
        (3, 3)
        """
        question = _question(objective, near_best, level, seed)
        across, up = _check.text(x, "x"), _check.text(y, "y")
        return Surface._read(self._core.surface(across, up, *question, _check.count(grid, "grid", 2, 200), at_trial))

    def _points(self, X: Any) -> Any:
        form = self._points_form()
        return [form.one(X)] if form.is_single(X) else form.many(X)


def _question(
    objective: Optional[str], near_best: Optional[float], level: float, seed: int
) -> Tuple[Optional[str], Optional[float], float, int]:
    """What an answer is about, checked."""
    name = None if objective is None else _check.text(objective, "objective")
    near = None if near_best is None else _share(near_best, "near_best")
    return name, near, _share(level, "level"), checked_seed(seed)


def _share(value: Any, field: str) -> float:
    share = _check.number(value, field)
    if not 0.0 < share < 1.0:
        raise ValueError(f"{field}: found {value!r}; it must be a number between 0 and 1")
    return share
