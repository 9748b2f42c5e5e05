"""The three forms of points: vectors, dicts and pool indices."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from neuralbo import _arrays, _check, _engine
from neuralbo.space import Constraint, Float, Space, as_dict, constraint_list


class Form:
    """Converts points between the user's and the engine's form."""

    #: The engine's name of the form.
    name: str
    #: The space as the engine has it.
    core: _engine.Space
    #: The space by name, where there is one.
    space: Optional[Space]

    def is_single(self, x: Any) -> bool:
        """Whether it is a single point."""
        raise NotImplementedError

    def one(self, x: Any) -> Any:
        """A point for the engine."""
        return x

    def many(self, xs: Any) -> Any:
        """Points for the engine."""
        raise NotImplementedError

    def user(self, point: Any) -> Any:
        """A point of the engine for the user."""
        return point

    def users(self, points: List[Any]) -> Any:
        """Points of the engine for the user."""
        return [self.user(point) for point in points]


class VectorForm(Form):
    """Vectors within bounds."""

    name = "vector"

    def __init__(self, bounds: Any, constraints: Iterable[Constraint] = ()) -> None:
        _arrays.numpy()  # Imported now: a process forked while a thread of its parent imports it would wait for that for ever.
        self.bounds = checked_bounds(bounds)
        given = [_of_vector(one) if callable(one) else one for one in constraint_list(constraints)]
        self.space = Space({f"x{i}": Float(low, high) for i, (low, high) in enumerate(self.bounds)}, given)
        self.core = self.space._core

    def is_single(self, x: Any) -> bool:
        if _arrays.is_array(x):
            return bool(x.ndim < 2)
        return not (isinstance(x, (list, tuple)) and len(x) > 0 and _arrays.is_many(x[0]))

    def one(self, x: Any) -> Any:
        return x.tolist() if _arrays.is_array(x) else x

    def many(self, xs: Any) -> Any:
        return _arrays.rows_to_bytes(xs, len(self.bounds), "x")[0]

    def user(self, point: Any) -> Any:
        return _arrays.vector(point)

    def users(self, points: List[Any]) -> Any:
        return _arrays.matrix(points, len(self.bounds))


def _of_vector(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of a vector as one of a dict."""

    def of_dict(point: Dict[str, float]) -> Any:
        return function(_arrays.vector(list(point.values())))

    of_dict.__name__ = getattr(function, "__name__", repr(function))
    return of_dict


class NamedForm(Form):
    """Dicts."""

    name = "named"

    def __init__(self, space: Space) -> None:
        self.space = space
        self.core = space._core

    def is_single(self, x: Any) -> bool:
        return not (isinstance(x, (list, tuple)) and all(isinstance(point, Mapping) for point in x[:1]))

    def one(self, x: Any) -> Any:
        return as_dict(x)

    def many(self, xs: Any) -> Any:
        return [as_dict(x) for x in _check.items(xs, "x", "a list of dicts", no_dict=True)]


class PoolForm(Form):
    """Indices of the rows of a table."""

    name = "index"

    def __init__(self, pool: Any) -> None:
        _arrays.numpy()  # As for vectors.
        rows, columns = _table(pool)
        self.space = None
        self.core = _engine.Space.pool(_arrays.rows_to_bytes(rows, columns, "pool")[0] if columns else b"", columns)

    def is_single(self, x: Any) -> bool:
        return not _arrays.is_many(x)

    def many(self, xs: Any) -> Any:
        return _arrays.integers(xs)

    def users(self, points: List[Any]) -> Any:
        np = _arrays.numpy()
        return points if np is None else np.array(points, dtype=int)


def _table(pool: Any) -> Tuple[Any, int]:
    """The rows of a pool and the number of its columns."""
    wrong = "it must be a table with one candidate a row"
    if hasattr(pool, "__array__"):
        shape: Tuple[int, ...] = tuple(getattr(pool, "shape", ()))
        if len(shape) != 2:
            raise ValueError(f"pool has shape {shape}, {wrong}")
        return pool, shape[1]
    if isinstance(pool, (str, bytes, Mapping)) or not hasattr(pool, "__iter__"):
        raise TypeError(f"pool is {_check.shown(pool)}, {wrong}")
    rows = list(pool)
    for i, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not hasattr(row, "__len__"):
            raise TypeError(f"pool[{i}] is {_check.shown(row)}, {wrong}")
    return rows, len(rows[0]) if rows else 0


def form_of(bounds_or_space: Any, pool: Any, constraints: Iterable[Constraint] = ()) -> Form:
    """The form that follows from an optimizer's arguments."""
    if (bounds_or_space is None) == (pool is None):
        given = "none" if pool is None else "both"
        raise TypeError(f"give bounds, a space, or pool=, one of them; found {given}")
    if pool is not None:
        if constraint_list(constraints):
            raise ValueError("a pool has no parameters to constrain; remove rows from the pool instead")
        return PoolForm(pool)
    if isinstance(bounds_or_space, Mapping):
        return NamedForm(space_of(bounds_or_space, constraints))
    return VectorForm(bounds_or_space, constraints)


def space_of(given: Any, constraints: Iterable[Constraint] = ()) -> Space:
    """A space, or a dict of domains, with additional constraints."""
    listed = constraint_list(constraints)
    return given if isinstance(given, Space) and not listed else Space(given, listed)


def form_of_core(name: str, core: _engine.Space) -> Form:
    """The form of this name over a space of the engine."""
    specs = core.parameters()
    if name == "vector":
        return VectorForm([arguments[:2] for _, _, arguments, _ in specs], core.constraints())
    if name == "index":
        return PoolForm(list(specs[0][2]))
    return NamedForm(Space._from_core(core))


def checked_bounds(bounds: Any) -> List[Tuple[float, float]]:
    """Bounds as pairs of floats; also SciPy's ``Bounds``."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = list(zip(bounds.lb, bounds.ub))
    pairs = [_pair(i, pair) for i, pair in enumerate(_check.items(bounds, "bounds", "a list of pairs (low, high)"))]
    if not pairs:
        raise ValueError("bounds must have at least one pair (low, high)")
    return pairs


def _pair(index: int, pair: Any) -> Tuple[float, float]:
    field = f"bounds[{index}]"
    if not (isinstance(pair, (list, tuple)) or _arrays.is_array(pair)):
        raise TypeError(f"{field} must be a pair (low, high), found {_check.shown(pair)}")
    if len(pair) != 2:
        raise ValueError(f"{field} must be a pair (low, high), found {len(pair)} values")
    try:
        domain = Float(pair[0], pair[1])
    except (TypeError, ValueError) as error:
        raise type(error)(f"{field}: {error}") from None
    return domain.low, domain.high
