"""Ask and tell."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from neuralbo import _arrays, _check, _engine
from neuralbo._form import Form, form_of, form_of_core
from neuralbo._goals import Goals, Objectives, OutcomeConstraints, Reference, WithGoals, goals, several_refused
from neuralbo._model import Modelled
from neuralbo._options import checked_seed, option_texts
from neuralbo.space import Constraint, Space
from neuralbo.trial import Best, Trial

#: The latest supported version of a state.
STATE_VERSION = 1
#: The most points of one call of :meth:`Optimizer.ask`; the points of a call are held in memory.
MOST_ASKED = 1_000_000

Bounds = Sequence[Tuple[float, float]]


class Optimizer(Modelled, WithGoals):
    """Suggests points and learns from their values; you evaluate them.

    The first argument determines the form of the points: vectors for a list of bounds, dicts for a :class:`Space` (or
    a dict of domains), and row indices for ``pool=X``, a table of candidates.

    >>> optimizer = Optimizer([(-5, 10), (0, 15)], seed=1)
    >>> for _ in range(20):
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, (x[0] - 1) ** 2 + (x[1] - 2) ** 2)
    >>> optimizer.best.fun < 0.5
    True

    Every suggested point satisfies the `constraints`: expressions over the parameter names (``x0``, ``x1``, … for a
    vector), or functions of a point that return a bool.

    >>> optimizer = Optimizer([(0, 1), (0, 1)], constraints=["x0 + x1 <= 0.5"], seed=1)
    >>> all(sum(x) <= 0.5 for x in optimizer.ask(10))
    True

    `objectives`, `outcome_constraints` and `reference` are those of :func:`neuralbo.minimize`; a value is then a dict,
    or a tuple in their order.

    >>> optimizer = Optimizer([(0, 1)], objectives=["loss:minimize", "speed:maximize"], method="random", seed=1)
    >>> for x in optimizer.ask(5):
    ...     optimizer.tell(x, {"loss": x[0] ** 2, "speed": x[0]})
    >>> len(optimizer.front)
    5

    `method` is one of :func:`neuralbo.methods`, `options` are its options. Without a seed a random one is used, see
    :attr:`seed`.
    """

    def __init__(
        self,
        bounds_or_space: Union[Bounds, Space, Mapping[str, Any], Any, None] = None,
        *,
        pool: Any = None,
        method: str = "neuralbo",
        direction: str = "minimize",
        seed: Optional[int] = None,
        constraints: Iterable[Constraint] = (),
        objectives: Optional[Objectives] = None,
        outcome_constraints: OutcomeConstraints = (),
        reference: Optional[Reference] = None,
        **options: Any,
    ) -> None:
        _check.other_names(options)
        given = goals(direction, objectives, outcome_constraints, reference)
        self._begin(form_of(bounds_or_space, pool, constraints), given, method, checked_seed(seed), option_texts(options))

    @classmethod
    def _pruned(cls, *definition: Any) -> Optimizer:
        """An optimizer for :func:`neuralbo.minimize`, perhaps with a pruner; the arguments are those of `_begin`."""
        optimizer = cls.__new__(cls)
        optimizer._begin(*definition)
        return optimizer

    def _begin(self, form: Form, given: Goals, method: str, seed: int, options: List[str], pruner: Optional[str] = None) -> None:
        word = _check.text(method, "method")
        self._take(form, _engine.Study.create(None, "study", form.name, form.core, *given, word, options, seed, False, pruner))

    def _take(self, form: Form, core: _engine.Study) -> None:
        self._form = form
        self._core = core
        #: Whether a value is a tuple or a dict; the goals of an optimizer never change.
        self._several_values = len(self._measured()) > 1

    def _points_form(self) -> Form:
        return self._form

    @property
    def space(self) -> Optional[Space]:
        """The parameters by name; ``None`` for a pool."""
        return self._form.space

    def ask(self, n: Optional[int] = None) -> Any:
        """The next point or, with `n`, the next points to evaluate concurrently.

        Fewer than `n` are returned only when a finite space runs out; :class:`~neuralbo.Exhausted` is raised if none
        is left.
        Ctrl-C leaves nothing running: the points computed so far are returned by the next call.

        >>> Optimizer([(0, 1)], seed=1).ask(3).shape
        (3, 1)
        """
        if n is None:
            return self._form.user(self._core.ask(1)[0])
        return self._form.users(self._core.ask(_check.count(n, "n", 0, MOST_ASKED)))

    def tell(self, x: Any, y: Any) -> None:
        """Tell the value of a suggested point, or the values of many.

        ``None``, NaN, infinities and exceptions mean failure. A point that was not suggested, or already told, raises
        ValueError, and nothing is told.

        >>> optimizer = Optimizer([(0, 1)], seed=1)
        >>> optimizer.tell(optimizer.ask(), 3.0)
        >>> optimizer.tell(optimizer.ask(2), [4.0, None])
        >>> optimizer.n_told
        3
        """
        self._core.tell(*self._pairs(x, y))

    def add(self, x: Any, y: Any) -> None:
        """Add one or many known results at any points of the space.

        >>> optimizer = Optimizer({"n": (0.0, 1.0)}, seed=1)
        >>> optimizer.add({"n": 0.5}, 2.0)
        >>> optimizer.best.x
        {'n': 0.5}
        """
        self._core.add(*self._pairs(x, y))

    def add_running(self, x: Any) -> None:
        """Add points that are being evaluated elsewhere: they are not suggested again and may be told later.

        >>> optimizer = Optimizer([(0, 1)], seed=1)
        >>> optimizer.add_running([0.5])
        >>> optimizer.tell([0.5], 1.0)
        """
        self._core.add_running([self._form.one(x)] if self._form.is_single(x) else self._form.many(x))

    def _pairs(self, x: Any, y: Any) -> Tuple[Any, Any]:
        if self._several_values:
            single = self._form.is_single(x)
            return ([self._form.one(x)], [y]) if single else (self._form.many(x), list(y))
        if _arrays.is_many(y):
            return self._form.many(x), _arrays.values_for_engine(y)
        if not self._form.is_single(x):
            raise ValueError("x has several points, but y is one value; give one value per point")
        return [self._form.one(x)], [y]

    @property
    def front(self) -> List[Trial]:
        """The non-dominated trials in the order in which they were told; with one objective, the best trial."""
        return self._front()

    @property
    def best(self) -> Optional[Best]:
        """The best told value and its point, feasible with outcome constraints; ``None`` before the first."""
        if self._several():
            raise several_refused("best")
        found = self._core.best()
        return None if found is None or found.value is None else Best(self._x(found), found.value, found.number)

    @property
    def n_told(self) -> int:
        """The number of finished trials, including failed ones."""
        return sum(self._core.counts()[:3])

    @property
    def n_running(self) -> int:
        """The number of suggested points not told yet."""
        return self._core.counts()[3]

    def _trial(self, record: _engine.Trial) -> Trial:
        return Trial(record, self._x(record))

    def _x(self, record: _engine.Trial) -> Any:
        return self._form.user(self._core.x(record))

    def state(self) -> Dict[str, Any]:
        """The complete state as a JSON-compatible dict; :meth:`from_state` continues from it.

        >>> optimizer = Optimizer([(0, 1)], seed=1)
        >>> optimizer.tell(optimizer.ask(), 3.0)
        >>> again = Optimizer.from_state(optimizer.state())
        >>> bool(again.ask() == optimizer.ask())
        True
        """
        return {"version": STATE_VERSION, "form": self._form.name, **json.loads(self._core.record())}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Optimizer:
        """The optimizer of a state, which makes the same suggestions as the original.

        >>> first = Optimizer([(0, 1)], seed=1)
        >>> first.tell(first.ask(), 3.0)
        >>> Optimizer.from_state(first.state()).n_told
        1
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"a state is a dict, found {_check.shown(state)}")
        optimizer = cls.__new__(cls)
        missing = [key for key in ("version", "form", "definitions", "limits", "trials") if key not in state]
        if missing:
            raise ValueError(f"the state lacks {', '.join(missing)}")
        if state["version"] != STATE_VERSION:
            raise ValueError(f"the state has version {state['version']!r}, this neuralbo reads version {STATE_VERSION}")
        optimizer._restore(_check.text(state["form"], "form"), {key: state[key] for key in state if key not in ("version", "form")})
        return optimizer

    def _restore(self, form: str, record: Mapping[str, Any]) -> None:
        try:
            core = _engine.Study.from_record("study", form, json.dumps(record))
        except TypeError as error:
            raise TypeError(f"a state must be what JSON can hold: {error}") from None
        space = core.space
        if space is None:
            raise ValueError("state cannot be read: its space has no parameters")
        self._take(form_of_core(form, space), core)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self).from_state, (self.state(),))

    def __repr__(self) -> str:
        return f"Optimizer(method={self.method!r}, {self._shown_goal()}, seed={self.seed}, told={self.n_told}, running={self.n_running})"
