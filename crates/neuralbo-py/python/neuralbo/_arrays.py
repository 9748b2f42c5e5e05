"""Numbers in and out: numpy arrays if numpy is installed, otherwise lists."""

from __future__ import annotations

import importlib
from array import array
from functools import lru_cache
from typing import Any, List, Optional, Sequence, Tuple

from neuralbo import _check


@lru_cache(maxsize=None)
def numpy() -> Optional[Any]:
    """The module numpy, or None if it is not installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None


def vector(values: Sequence[float]) -> Any:
    """An array of numbers."""
    np = numpy()
    return list(values) if np is None else np.array(values, dtype=float)


def matrix(rows: Sequence[Sequence[float]], columns: int) -> Any:
    """An array of rows."""
    np = numpy()
    return [list(row) for row in rows] if np is None else np.array(rows, dtype=float).reshape(len(rows), columns)


def is_array(value: Any) -> bool:
    """Whether it is a numpy array with at least one axis; does not import numpy."""
    return hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0


def is_many(value: Any) -> bool:
    """Whether it contains several numbers."""
    return is_array(value) or isinstance(value, (list, tuple))


def rows_to_bytes(rows: Any, columns: int, field: str) -> Tuple[bytes, int]:
    """The concatenated 64-bit floats of rows of equal length, and the number of rows."""
    if hasattr(rows, "__array__"):
        return _array_bytes(rows, columns, field)
    points = _check.items(rows, field, f"a list of points with {columns} numbers each", no_dict=True)
    flat = array("d")
    for place, row in enumerate(points):
        values = row if hasattr(row, "__len__") else [row]
        if len(values) != columns:
            raise ValueError(f"{field}[{place}] has {len(values)} numbers, it must have {columns}")
        flat.extend(_check.number(value, f"{field}[{place}][{column}]") for column, value in enumerate(values))
    return flat.tobytes(), len(points)


def _array_bytes(rows: Any, columns: int, field: str) -> Tuple[bytes, int]:
    np = numpy()
    if np is None:
        raise TypeError(f"{field} is an array, but numpy is not installed")
    found = np.asarray(rows)
    if found.dtype.kind not in "fiu":
        raise TypeError(f"{field} must hold numbers, found dtype {found.dtype}")
    if found.ndim == 1 and columns == 1:
        found = found.reshape(-1, 1)
    if found.ndim != 2 or found.shape[1] != columns:
        raise ValueError(f"{field} has shape {found.shape}, it must be (n, {columns}): one point with {columns} numbers per row")
    return np.ascontiguousarray(found, dtype=np.float64).tobytes(), int(found.shape[0])


def values_for_engine(values: Any) -> Any:
    """Results for the engine: the bytes of an array of numbers, or a list."""
    if is_array(values):
        np = numpy()
        found = None if np is None else np.asarray(values)
        if found is not None and found.ndim != 1:
            raise ValueError(f"y has shape {found.shape}, it must be (n,): one value per point")
        if np is not None and found is not None and found.dtype.kind in "fiu":
            return np.ascontiguousarray(found, dtype=np.float64).tobytes()
    return list(values)


def integers(values: Any) -> List[Any]:
    """Indices as a list."""
    return list(values.tolist()) if is_array(values) else _check.items(values, "x", "a list of indices", no_dict=True)
