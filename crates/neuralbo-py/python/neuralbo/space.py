"""The search space: named parameters with domains, conditions and constraints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Tuple, Union

from neuralbo import _check, _engine
from neuralbo._domains import (
    DOMAINS,
    Bool,
    Categorical,
    Domain,
    Fixed,
    Float,
    Int,
    Ordinal,
    Scalar,
    Spec,
    When,
    domain_of,
    from_spec,
    from_table,
    spec_of,
    to_table,
)

__all__ = [
    "DOMAINS", "Bool", "Categorical", "Constraint", "Domain", "Fixed", "Float", "Int", "Ordinal", "Scalar", "Space", "Spec", "When",
    "as_dict", "constraint_list", "spec_of",
]  # fmt: skip

#: A constraint: an expression over the parameters, or a function from a point to a bool.
Constraint = Union[str, Callable[[Any], Any]]

#: Where the constraints are in a dict of tables; the second where a parameter has the first name.
CONSTRAINTS, CONSTRAINTS_BESIDE = "constraints", "-constraints"


class Space(Mapping[str, Domain]):
    """Named parameters in order.

    Values may be domains, pairs ``(low, high)`` for floats, or constants.

    >>> space = Space({"lr": Float(1e-5, 1e-1, log=True), "layers": Int(1, 4), "opt": Categorical(["adam", "sgd"])})
    >>> space.names
    ['lr', 'layers', 'opt']
    >>> space["layers"]
    Int(low=1, high=4, log=False, step=1)

    A parameter with a condition (``when=``) is absent from points where the condition is false. Every suggested point
    satisfies the constraints; functions take the point as a dict.

    >>> space = Space({"kernel": Categorical(["rbf", "linear"]), "gamma": Float(0, 1, when={"kernel": "rbf"})})
    >>> space.check({"kernel": "linear"})
    {'kernel': 'linear'}
    >>> Space({"x": (0, 1), "y": (0, 1)}, constraints=["x + y <= 1"]).constraints
    ('x + y <= 1',)
    """

    def __init__(self, parameters: Mapping[str, Any], constraints: Iterable[Constraint] = ()) -> None:
        if not isinstance(parameters, Mapping):
            raise TypeError(f"a space is a dict from names to domains, found {type(parameters).__name__}")
        for name in parameters:
            _check.text(name, "the name of a parameter")
        given = [*parameters.constraints] if isinstance(parameters, Space) else []
        given += constraint_list(constraints)
        # Functions after expressions, as in the engine: they are called on points that satisfy the expressions.
        given.sort(key=callable)
        self._domains: Dict[str, Domain] = {name: domain_of(name, given) for name, given in parameters.items()}
        self._core = _engine.Space([spec_of(name, domain) for name, domain in self._domains.items()], given)
        self._constraints: Tuple[Constraint, ...] = tuple(self._core.constraints())

    @property
    def names(self) -> List[str]:
        """The names of the parameters."""
        return list(self._domains)

    @property
    def constraints(self) -> Tuple[Constraint, ...]:
        """The constraints on the parameters."""
        return self._constraints

    def __getitem__(self, name: str) -> Domain:
        return self._domains[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._domains)

    def __len__(self) -> int:
        return len(self._domains)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space) or self._constraints != other._constraints:
            return False
        return list(self._domains.items()) == list(other._domains.items())

    def __hash__(self) -> int:
        return hash((tuple(self._core.texts()), self._constraints))

    def __repr__(self) -> str:
        constraints = f", constraints={list(self._constraints)!r}" if self._constraints else ""
        return f"Space({self._domains!r}{constraints})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Space, (self._domains, self._constraints))

    def check(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """Check a point; returns it in the order of the space.

        >>> Space({"n": Int(1, 9, step=2)}).check({"n": 3.0})
        {'n': 3}
        """
        return self._core.check(as_dict(point))

    def active(self, point: Mapping[str, Any]) -> List[str]:
        """The names of the parameters that are active for these values.

        >>> space = Space({"kernel": Categorical(["rbf", "linear"]), "gamma": Float(0, 1, when="kernel == rbf")})
        >>> space.active({"kernel": "linear"})
        ['kernel']
        """
        return self._core.active(as_dict(point))

    def to_dict(self) -> Dict[str, Any]:
        """The space as plain dicts for JSON, the format of ``--space`` files. Raises ValueError for constraint
        functions.

        >>> Space({"n": Int(1, 4)}).to_dict()
        {'n': {'type': 'int', 'low': 1, 'high': 4}}
        """
        functions = [one for one in self._constraints if callable(one)]
        if functions:
            name = getattr(functions[0], "__name__", repr(functions[0]))
            raise ValueError(f"constraint `{name}` is a function, which cannot be stored; give it as an expression, e.g. \"x + y <= 1\"")
        tables: Dict[str, Any] = {name: to_table(domain) for name, domain in self._domains.items()}
        if self._constraints:
            tables[CONSTRAINTS_BESIDE if CONSTRAINTS in tables else CONSTRAINTS] = list(self._constraints)
        return tables

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any]) -> Space:
        """The space written by :meth:`to_dict`.

        >>> space = Space({"n": Int(1, 9)})
        >>> Space.from_dict(space.to_dict()) == space
        True
        """
        if not isinstance(tables, Mapping):
            raise TypeError(f"a space is a dict from names to dicts, found {_check.shown(tables)}")
        listed = [name for name in (CONSTRAINTS, CONSTRAINTS_BESIDE) if isinstance(tables.get(name), (list, tuple))]
        constraints = [one for name in listed for one in tables[name]]
        return cls({name: from_table(name, table) for name, table in tables.items() if name not in listed}, constraints)

    @classmethod
    def from_configspace(cls, source: Any) -> Space:
        """Convert a ConfigSpace space, or a file written by its ``to_json``.

        Conditions and forbidden clauses are kept. Of normal and beta distributions only the bounds are used (without
        bounds, three standard deviations around the mean); weights and defaults are ignored.

        >>> from ConfigSpace import ConfigurationSpace
        >>> Space.from_configspace(ConfigurationSpace({"x": (0.0, 1.0)})).names
        ['x']
        """
        if isinstance(source, (str, os.PathLike)):
            text = Path(source).read_text(encoding="utf-8")
        elif hasattr(source, "to_serialized_dict"):
            text = json.dumps(source.to_serialized_dict(), default=lambda number: number.item())
        else:
            raise TypeError(f"source must be a ConfigurationSpace or the path of its JSON file, found {_check.shown(source)}")
        return cls._from_core(_engine.Space.from_configspace(text))

    @classmethod
    def _from_core(cls, core: _engine.Space) -> Space:
        return cls({spec[0]: from_spec(spec) for spec in core.parameters()}, core.constraints())


def constraint_list(constraints: Any) -> List[Constraint]:
    """Constraints as a list; rejects a single text, a common mistake."""
    return _check.items(constraints, "constraints", "a list of texts or functions", no_dict=True)


def as_dict(point: Any) -> Dict[str, Any]:
    """A point as a dict."""
    if not isinstance(point, Mapping):
        raise TypeError(f"a point of this space is a dict, found {type(point).__name__}")
    return point if isinstance(point, dict) else dict(point)
