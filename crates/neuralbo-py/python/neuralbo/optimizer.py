"""Ask and tell."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from neuralbo import _arrays, _check, _engine
from neuralbo._form import Form, form_from_state, form_of
from neuralbo._options import checked_seed, option_dict, option_texts
from neuralbo.space import Space
from neuralbo.trial import Best, Trial

#: The newest form of a state that this package reads.
STATE_VERSION = 1
#: The most points of one call of :meth:`Optimizer.ask`; the points of a call are held in memory.
MOST_ASKED = 1_000_000

Bounds = Sequence[Tuple[float, float]]


class Optimizer:
    """Suggests points and learns from their values; you evaluate them wherever you like.

    The form of the points follows from the first argument: vectors for a list of bounds, dicts for a :class:`Space` (or a dict
    of domains), and indices for ``pool=X``, a table of candidates with one row each.

    >>> optimizer = Optimizer([(-5, 10), (0, 15)], seed=1)
    >>> for _ in range(20):
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, (x[0] - 1) ** 2 + (x[1] - 2) ** 2)
    >>> optimizer.best.fun < 0.5
    True

    `method` is one of :func:`neuralbo.methods`, `options` are its options. Without a seed one is drawn, see :attr:`seed`.
    """

    def __init__(
        self,
        bounds_or_space: Union[Bounds, Space, Mapping[str, Any], Any, None] = None,
        *,
        pool: Any = None,
        method: str = "neuralbo",
        direction: str = "minimize",
        seed: Optional[int] = None,
        **options: Any,
    ) -> None:
        self._begin(form_of(bounds_or_space, pool), method, direction, checked_seed(seed), option_texts(options), None)

    def _begin(
        self, form: Form, method: str, direction: str, seed: int, options: List[str], record: Optional[str]
    ) -> None:
        self._form = form
        self._method = _check.text(method, "method")
        self._direction = _check.text(direction, "direction")
        self._seed = seed
        self._options = options
        self._engine = _engine.Engine(form.core, form.name, direction, method, options, seed, record)

    @property
    def space(self) -> Optional[Space]:
        """The parameters by name; ``None`` for a pool."""
        return self._form.space

    @property
    def method(self) -> str:
        """How points are chosen."""
        return self._method

    @property
    def direction(self) -> str:
        """``minimize`` or ``maximize``."""
        return self._direction

    @property
    def options(self) -> Dict[str, str]:
        """The options of the method that were given."""
        return option_dict(self._options)

    @property
    def seed(self) -> int:
        """Makes the suggestions repeatable."""
        return self._seed

    def ask(self, n: Optional[int] = None) -> Any:
        """The next point, or with `n` the next points to evaluate at the same time.

        Fewer than `n` come back only when a finite space runs out, and RuntimeError says that nothing is left.

        >>> Optimizer([(0, 1)], seed=1).ask(3).shape
        (3, 1)
        """
        if n is None:
            return self._form.user(self._engine.ask(1)[0])
        return self._form.users(self._engine.ask(_check.count(n, "n", 0, MOST_ASKED)))

    def tell(self, x: Any, y: Any) -> None:
        """The value of a point that was asked for, or the values of many.

        ``None``, NaN, infinities and exceptions say that the evaluation failed. A point that was not asked for, or was told
        already, is a ValueError; then nothing is told.

        >>> optimizer = Optimizer([(0, 1)], seed=1)
        >>> optimizer.tell(optimizer.ask(), 3.0)
        >>> optimizer.tell(optimizer.ask(2), [4.0, None])
        >>> optimizer.n_told
        3
        """
        self._engine.tell(*self._pairs(x, y))

    def add(self, x: Any, y: Any) -> None:
        """Results known from elsewhere, one or many; any point of the space.

        >>> optimizer = Optimizer({"n": (0.0, 1.0)}, seed=1)
        >>> optimizer.add({"n": 0.5}, 2.0)
        >>> optimizer.best.x
        {'n': 0.5}
        """
        self._engine.add(*self._pairs(x, y))

    def add_running(self, x: Any) -> None:
        """Points that are being evaluated elsewhere: they are not suggested again, and may be told when they end.

        >>> optimizer = Optimizer([(0, 1)], seed=1)
        >>> optimizer.add_running([0.5])
        >>> optimizer.tell([0.5], 1.0)
        """
        self._engine.add_running([self._form.one(x)] if self._form.is_single(x) else self._form.many(x))

    def _pairs(self, x: Any, y: Any) -> Tuple[Any, Any]:
        if _arrays.is_many(y):
            return self._form.many(x), _arrays.values_for_engine(y)
        if not self._form.is_single(x):
            raise ValueError("x has several points, but y is one value; give one value a point")
        return [self._form.one(x)], [y]

    @property
    def best(self) -> Optional[Best]:
        """The best value told and its point; ``None`` before the first."""
        found = self._engine.best()
        return None if found is None else Best(self._form.user(found[0]), found[1], found[2])

    @property
    def n_told(self) -> int:
        """How many trials have finished, failed ones included."""
        return self._engine.counts()[0]

    @property
    def n_running(self) -> int:
        """How many points were asked for and are not told yet."""
        return self._engine.counts()[1]

    @property
    def trials(self) -> List[Trial]:
        """All trials by number."""
        return [Trial(row[0], self._form.user(row[1]), *row[2:]) for row in self._engine.trials()]

    def predict(self, X: Any) -> Tuple[Any, Any]:
        """Mean and standard deviation of the objective's noise-free value at points, by the model.

        RuntimeError says why there is no model: the method has none, or too little was told.

        >>> optimizer = Optimizer([(0, 10)], seed=1)
        >>> optimizer.add([[1], [4], [6], [7.5], [9]], [16, 1, 1, 6.25, 16])
        >>> mean, sd = optimizer.predict([[5]])
        >>> abs(float(mean[0])) < 1
        True
        """
        mean, sd = self._engine.predict(self._points(X))
        return _arrays.vector(mean), _arrays.vector(sd)

    def sample(self, n: int = 1, seed: Optional[int] = None) -> List[Callable[[Any], Any]]:
        """`n` functions drawn from the model; each takes points as :meth:`predict` does and returns their values.

        >>> optimizer = Optimizer([(0, 10)], seed=1)
        >>> optimizer.add([[1], [4], [6], [7.5], [9]], [16, 1, 1, 6.25, 16])
        >>> [function] = optimizer.sample(1, seed=3)
        >>> float(function([[0]])[0]) > 10
        True
        """
        first = checked_seed(seed)
        return [self._sampled((first + i) % 2**64) for i in range(_check.count(n, "n", 1))]

    def _sampled(self, seed: int) -> Callable[[Any], Any]:
        sample = self._engine.sample(seed)

        def function(X: Any) -> Any:
            return _arrays.vector(sample.values(self._points(X)))

        return function

    def recommend(self) -> Best:
        """The trial that the model believes best: where evaluations are noisy, the best value *seen* is the luckiest one.

        `fun` is its predicted noise-free value and `sd` the prediction's standard deviation.
        """
        x, mean, sd, number = self._engine.recommend()
        return Best(self._form.user(x), mean, number, sd)

    def _points(self, X: Any) -> Any:
        return [self._form.one(X)] if self._form.is_single(X) else self._form.many(X)

    def state(self) -> Dict[str, Any]:
        """Everything about the optimizer as a dict that JSON can hold; :meth:`from_state` goes on from it.

        >>> optimizer = Optimizer([(0, 1)], seed=1)
        >>> optimizer.tell(optimizer.ask(), 3.0)
        >>> again = Optimizer.from_state(optimizer.state())
        >>> bool(again.ask() == optimizer.ask())
        True
        """
        return {
            "version": STATE_VERSION,
            **self._form.state(),
            "method": self._method,
            "direction": self._direction,
            "options": self.options,
            "seed": self._seed,
            **json.loads(self._engine.record()),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Optimizer:
        """The optimizer of a state; its next suggestions are those of the optimizer that gave the state."""
        if not isinstance(state, Mapping):
            raise TypeError(f"a state is a dict, found {_check.shown(state)}")
        missing = [key for key in ("version", "method", "direction", "options", "seed", "trials", "told") if key not in state]
        if missing or not any(key in state for key in ("bounds", "space", "pool")):
            raise ValueError(f"the state lacks {', '.join(missing) or 'bounds, space or pool'}")
        if state["version"] != STATE_VERSION:
            raise ValueError(f"the state has version {state['version']!r}, this neuralbo reads version {STATE_VERSION}")
        try:
            record = json.dumps({"trials": state["trials"], "told": state["told"]})
        except TypeError as error:
            raise TypeError(f"the trials of a state must be what JSON can hold: {error}") from None
        optimizer = cls.__new__(cls)
        form, seed = form_from_state(state), checked_seed(state["seed"])
        optimizer._begin(form, state["method"], state["direction"], seed, option_texts(state["options"]), record)
        return optimizer

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self).from_state, (self.state(),))

    def __repr__(self) -> str:
        told, running = self._engine.counts()
        return f"Optimizer(method={self._method!r}, direction={self._direction!r}, seed={self._seed}, told={told}, running={running})"
