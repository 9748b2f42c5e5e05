"""Hydra's sweep overrides as parameters of a space."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping

from hydra.core.override_parser.types import IntervalSweep, Override, RangeSweep
from hydra.errors import HydraException

import neuralbo


class Parameters:
    """The parameters of a sweep: varying ones by their names in the study, and overrides common to all jobs."""

    def __init__(self, overrides: List[Override]) -> None:
        self.space: Dict[str, Any] = {}
        self._keys: Dict[str, str] = {}
        fixed: Dict[str, str] = {}
        for override in overrides:
            key = override.get_key_element()
            if override.is_sweep_override():
                name = _name(key)
                self.space[name], self._keys[name] = _domain(override), key
                fixed.pop(key, None)
            else:
                fixed[key] = f"{key}={override.get_value_element_as_str()}"
                self.space.pop(_name(key), None)
        self._fixed = list(fixed.values())

    def overrides(self, params: Mapping[str, Any]) -> List[str]:
        """The overrides of one job."""
        return [*self._fixed, *(f"{self._keys[name]}={value}" for name, value in params.items())]

    def plain(self, params: Mapping[str, Any]) -> Dict[str, Any]:
        """The parameters by the keys of the application."""
        return {self._keys[name].lstrip("+~"): value for name, value in params.items()}


def _name(key: str) -> str:
    """A valid parameter name."""
    return re.sub(r"[^\w.-]", "_", key.lstrip("+~"))


def _domain(override: Override) -> Any:
    value = override.value()
    if isinstance(value, IntervalSweep):
        return _interval(override, value)
    if isinstance(value, RangeSweep) and not value.shuffle and not value.tags:
        levels = [float(text) for text in override.sweep_string_iterator()]
        if len(levels) > 1:
            return _levels(levels, value)
    # Hydra's own spelling of each choice, which the override of a job repeats.
    choices = list(override.sweep_string_iterator())
    return neuralbo.Categorical(choices) if len(choices) > 1 else neuralbo.Fixed(choices[0])


def _interval(override: Override, sweep: IntervalSweep) -> Any:
    if sweep.start is None or sweep.end is None:
        raise HydraException(f"{override.input_line}: an interval needs a start and an end")
    log = "log" in sweep.tags
    if isinstance(sweep.start, int) and isinstance(sweep.end, int):
        return neuralbo.Int(sweep.start, sweep.end, log=log)
    return neuralbo.Float(float(sweep.start), float(sweep.end), log=log)


def _levels(levels: List[float], sweep: RangeSweep) -> Any:
    low, high, step = min(levels), max(levels), abs(float(sweep.step))
    if all(isinstance(number, int) for number in (sweep.start, sweep.stop, sweep.step)):
        return neuralbo.Int(int(low), int(high), step=int(step))
    return neuralbo.Float(low, high, step=step)
