"""Trials as tables: to pandas, and from it."""

from __future__ import annotations

import importlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from neuralbo import _check
from neuralbo.trial import Trial

#: Parameters, result, state, reports and attributes, as the engine takes them.
Row = Tuple[Dict[str, Any], Any, Optional[str], List[Tuple[int, float]], Dict[str, Any]]

PLAIN = ["number", "value", "state", "origin", "mean", "sd", "worker", "datetime_start", "datetime_complete", "duration"]
PARAMS, ATTRIBUTES, VALUES = "params_", "user_attrs_", "values_"


def frame(trials: Sequence[Trial], names: Iterable[str], measured: Sequence[str] = (), attrs: Optional[Sequence[str]] = None) -> Any:
    """Trials as a table of pandas; where trials measure several things, each has a column in place of `value`. `attrs` chooses
    columns and groups of columns."""
    try:
        pandas: Any = importlib.import_module("pandas")
    except ImportError:
        raise ImportError("trials_dataframe needs pandas: pip install pandas") from None
    plain, values = (PLAIN, []) if len(measured) <= 1 else ([name for name in PLAIN if name != "value"], list(measured))
    rows = []
    for trial in trials:
        row = {name: getattr(trial, name) for name in plain}
        if values:
            row["feasible"] = trial.feasible
            row.update({f"{VALUES}{name}": trial.measured.get(name) for name in values})
        row.update({f"{PARAMS}{name}": value for name, value in trial.params.items()})
        row.update({f"{ATTRIBUTES}{key}": value for key, value in trial.user_attrs.items()})
        rows.append(row)
    extra = ["feasible", *(f"{VALUES}{name}" for name in values)] if values else []
    known = plain[:1] + extra + plain[1:] + [f"{PARAMS}{name}" for name in names]
    others = dict.fromkeys(key for row in rows for key in row if key not in known)
    return pandas.DataFrame(rows, columns=_chosen(known + list(others), attrs))


def _chosen(columns: List[str], attrs: Optional[Sequence[str]]) -> List[str]:
    """The columns of these attributes, in their order."""
    if attrs is None:
        return columns
    if isinstance(attrs, str):
        raise TypeError(f"attrs must be a list such as ['number', 'value', 'params'], found {_check.shown(attrs)}")
    groups = {"params": PARAMS, "user_attrs": ATTRIBUTES, "value": VALUES, "values": VALUES}
    chosen = []
    for name in attrs:
        group = groups.get(name)
        found = [column for column in columns if column == name or (group is not None and column.startswith(group))]
        if name == "values" and not found:
            found = ["value"]
        if not found and group is None:
            raise ValueError(f"attrs: {name!r} is unknown; known are {', '.join([*PLAIN, *groups])}")
        chosen += found
    return chosen


def read(trials: Any, values: Sequence[str]) -> List[Row]:
    """The rows of a table, of dicts or of trials; `values` are the columns of what was measured."""
    if hasattr(trials, "to_dict"):
        trials = trials.to_dict("records")
    rows = _check.items(trials, "trials", "a DataFrame or a list of dicts", no_dict=True)
    return [_row(i, given, values) for i, given in enumerate(rows)]


def _row(place: int, given: Any, values: Sequence[str]) -> Row:
    if isinstance(given, Trial):
        attributes, told = given.user_attrs, given.value if len(values) == 1 else given.measured
        return (given.params, _result(given.state, told, given.message), given.state, sorted(given.intermediate_values.items()), attributes)
    if not isinstance(given, Mapping):
        raise TypeError(f"trials[{place}] must be a dict, found {_check.shown(given)}")
    ours = any(str(key).startswith(PARAMS) for key in given)
    columns = {name: f"{VALUES}{name}" if ours and len(values) > 1 else name for name in values}
    for column in columns.values():
        if column not in given:
            raise ValueError(f"trials[{place}] has no column {column!r}, found {', '.join(map(str, given))}")
    state = given.get("state") if ours else None
    told = given[columns[values[0]]] if len(values) == 1 else {name: given[column] for name, column in columns.items()}
    params = _part(given, PARAMS) if ours else {name: item for name, item in given.items() if name not in values and not _absent(item)}
    return (params, _result(state, told, None), state, [], _part(given, ATTRIBUTES))


def _result(state: Any, value: Any, message: Any) -> Any:
    if state in ("running", "waiting"):
        raise ValueError("trials that are running have no result to add")
    return RuntimeError(message or "no value") if state == "failed" else value


def _part(given: Mapping[str, Any], prefix: str) -> Dict[str, Any]:
    return {str(key)[len(prefix) :]: item for key, item in given.items() if str(key).startswith(prefix) and not _absent(item)}


def _absent(item: Any) -> bool:
    """Tables have NaN where a trial has nothing."""
    return isinstance(item, float) and item != item
