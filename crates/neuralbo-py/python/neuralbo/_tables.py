"""Trials as tables: to pandas, and from it."""

from __future__ import annotations

import importlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from neuralbo import _check
from neuralbo.trial import Trial

#: Parameters, result, state, reports and attributes, as the engine takes them.
Row = Tuple[Dict[str, Any], Any, Optional[str], List[Tuple[int, float]], Dict[str, Any]]

PLAIN = ["number", "value", "state", "origin", "mean", "sd", "worker", "datetime_start", "datetime_complete", "duration"]
PARAMS, ATTRIBUTES = "params_", "user_attrs_"


def frame(trials: Sequence[Trial], names: Iterable[str]) -> Any:
    """Trials as a table of pandas."""
    try:
        pandas: Any = importlib.import_module("pandas")
    except ImportError:
        raise ImportError("trials_dataframe needs pandas: pip install pandas") from None
    rows = []
    for trial in trials:
        row = {name: getattr(trial, name) for name in PLAIN}
        row.update({f"{PARAMS}{name}": value for name, value in trial.params.items()})
        row.update({f"{ATTRIBUTES}{key}": value for key, value in trial.user_attrs.items()})
        rows.append(row)
    known = PLAIN + [f"{PARAMS}{name}" for name in names]
    others = dict.fromkeys(key for row in rows for key in row if key not in known)
    return pandas.DataFrame(rows, columns=known + list(others))


def read(trials: Any, value: str) -> List[Row]:
    """The rows of a table, of dicts or of trials."""
    if hasattr(trials, "to_dict"):
        trials = trials.to_dict("records")
    if isinstance(trials, (str, bytes, Mapping)) or not hasattr(trials, "__iter__"):
        raise TypeError(f"trials must be a DataFrame or a list of dicts, found {_check.shown(trials)}")
    return [_row(i, given, value) for i, given in enumerate(trials)]


def _row(place: int, given: Any, value: str) -> Row:
    if isinstance(given, Trial):
        attributes = given.user_attrs
        return (given.params, _result(given.state, given.value, given.message), given.state, sorted(given.intermediate_values.items()), attributes)
    if not isinstance(given, Mapping):
        raise TypeError(f"trials[{place}] must be a dict, found {_check.shown(given)}")
    if value not in given:
        raise ValueError(f"trials[{place}] has no column {value!r}, found {', '.join(map(str, given))}")
    state = given.get("state") if _is_ours(given) else None
    return (_params(given, value), _result(state, given[value], None), state, [], _part(given, ATTRIBUTES))


def _result(state: Any, value: Any, message: Any) -> Any:
    if state in ("running", "waiting"):
        raise ValueError("trials that are running have no result to add")
    return RuntimeError(message or "no value") if state == "failed" else value


def _is_ours(given: Mapping[str, Any]) -> bool:
    return any(str(key).startswith(PARAMS) for key in given)


def _params(given: Mapping[str, Any], value: str) -> Dict[str, Any]:
    if _is_ours(given):
        return _part(given, PARAMS)
    return {name: item for name, item in given.items() if name != value and not _absent(item)}


def _part(given: Mapping[str, Any], prefix: str) -> Dict[str, Any]:
    return {str(key)[len(prefix) :]: item for key, item in given.items() if str(key).startswith(prefix) and not _absent(item)}


def _absent(item: Any) -> bool:
    """Tables have NaN where a trial has nothing."""
    return isinstance(item, float) and item != item
