"""States of optimizers that neuralbo 0.1.0 wrote, read as those of today."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from neuralbo import _check
from neuralbo._form import Form, form_of
from neuralbo.space import Categorical, Domain, Fixed, Float, Int, Space


def form_from_v1(state: Mapping[str, Any]) -> Form:
    """The form of a state of version 1."""
    if "bounds" in state:
        return form_of(state["bounds"], None)
    if "pool" in state:
        return form_of(None, state["pool"])
    return form_of(Space.from_dict(state["space"]), None)


def trials_from_v1(state: Mapping[str, Any], form: Form) -> Any:
    """The trials of a state of version 1, as the engine writes them today."""
    domains: Dict[str, Any] = {"index": None} if form.space is None else dict(form.space)
    places = {number: place for place, number in enumerate(state["told"], start=1)}
    if any(not isinstance(number, int) or not 0 <= number < len(state["trials"]) for number in places):
        raise ValueError("state cannot be read: the order of the results names trials that do not exist")
    return [_trial(number, line, domains, places.get(number)) for number, line in enumerate(state["trials"])]


def _trial(number: int, line: Mapping[str, Any], domains: Mapping[str, Any], seq: Any) -> Dict[str, Any]:
    try:
        params = {name: _value(domain, level) for (name, domain), level in zip(domains.items(), line["x"])}
        provenance = {"origin": line["origin"], "mean": line.get("mean"), "sd": line.get("sd")}
    except (KeyError, TypeError) as error:
        raise ValueError(f"state cannot be read: trial {number} lacks {error}, found {_check.brief(line)}") from None
    found = {"number": number, "version": 1, "params": params, "seq": seq, "worker": "", "attempt": 1}
    times = {"lease_until_ms": 0, "asked_ms": 0, "started_ms": None, "finished_ms": None}
    provenance.update(suggest_ms=0.0, based_on=0, pending=[])
    if line.get("value") is not None:
        return {**found, **times, "state": "complete", "values": {"value": line["value"]}, "provenance": provenance}
    failed = line.get("failure")
    ending = {"state": "running"} if failed is None else {"state": "failed", "failure": failed}
    return {**found, **times, **ending, "provenance": provenance}


def _value(domain: Domain, level: Any) -> Any:
    """Steps were written as their index, and None as a text."""
    if isinstance(domain, Float) and domain.step is not None:
        return domain.low + level * domain.step
    if isinstance(domain, Int) and domain.step != 1:
        return domain.low + level * domain.step
    values = domain.choices if isinstance(domain, Categorical) else (domain.value,) if isinstance(domain, Fixed) else ()
    return None if level == "None" and None in values else level
