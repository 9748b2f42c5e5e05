"""Parameter importance: the share of an objective's variance explained by each parameter, and partial dependence.

Everything describes a model of the trials: a Gaussian process with one length scale per coordinate, fitted to up to
512 trials spread over the region. :attr:`Importance.explained` measures its accuracy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

__all__ = ["ChoiceEffect", "Curve", "Estimate", "Importance", "Interaction", "ParameterImportance", "Surface"]


@dataclass(frozen=True)
class Estimate:
    """An estimate with an interval from functions sampled from the posterior; by the posterior mean, or their median where the
    mean lies outside of the interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ParameterImportance:
    """The Sobol indices of one parameter: the share of the variance it explains alone, and the share in which it takes
    part."""

    name: str
    first: Estimate
    total: Estimate
    #: Share of the region in which it is active; 1 without a condition.
    active: float


@dataclass(frozen=True)
class Interaction:
    """The share of the variance explained by two parameters jointly, beyond their first orders."""

    parameters: Tuple[str, str]
    second: Estimate


@dataclass(frozen=True)
class ChoiceEffect:
    """The difference between the objective with this value of a choice and its average over all values."""

    value: Any
    effect: Estimate


@dataclass(frozen=True)
class Importance:
    """The share of an objective's variance over a region explained by each parameter."""

    objective: str
    #: Trials with a value, and the number used by the model.
    trials: int
    seen: int
    #: Cross-validated share of the variance explained; near 0 the indices are meaningless. The rest is noise or structure that
    #: the model misses.
    explained: float
    #: Share of the noise in the variance, by repeated evaluations of the same points; None with fewer than five repetitions.
    noise: Optional[Estimate]
    #: Mean and standard deviation of the objective over the region.
    mean: float
    sd: float
    #: Probability of the intervals.
    level: float
    #: The most important first, by the total index.
    parameters: List[ParameterImportance]
    #: The strongest first.
    interactions: List[Interaction]
    #: The values of every choice by its name, the best first.
    choices: Dict[str, List[ChoiceEffect]]

    def __repr__(self) -> str:
        width = max([len(one.name) for one in self.parameters], default=0)
        return "\n".join([self._title(), *(f"  {name:<{width}}  {shares}" for name, shares in self._rows())])

    def _repr_html_(self) -> str:
        from neuralbo._html import card

        return card(self._title(), self._rows(), "")

    def _title(self) -> str:
        share = f"{100 * self.explained:.0f} %"
        return f"importance for {self.objective}: the model explains {share} of the variance ({self.seen} of {self.trials} trials)"

    def _rows(self) -> List[Tuple[str, str]]:
        shown = [(one.name, one.total, one.first.value) for one in self.parameters]
        return [(name, f"{total.value:.2f} ({total.low:.2f} to {total.high:.2f}), alone {alone:.2f}") for name, total, alone in shown]

    @property
    def total(self) -> Dict[str, float]:
        """Total indices by name, in descending order."""
        return {parameter.name: parameter.total.value for parameter in self.parameters}

    @property
    def first(self) -> Dict[str, float]:
        """First-order indices by name, in the same order."""
        return {parameter.name: parameter.first.value for parameter in self.parameters}

    @classmethod
    def _read(cls, text: str) -> Importance:
        found = json.loads(text)
        found["parameters"] = [
            ParameterImportance(one["name"], Estimate(**one["first"]), Estimate(**one["total"]), one["active"])
            for one in found["parameters"]
        ]
        found["noise"] = None if found["noise"] is None else Estimate(**found["noise"])
        found["interactions"] = [
            Interaction((one["parameters"][0], one["parameters"][1]), Estimate(**one["second"]))
            for one in found["interactions"]
        ]
        found["choices"] = {
            one["name"]: [ChoiceEffect(effect["value"], Estimate(**effect["effect"])) for effect in one["effects"]]
            for one in found["choices"]
        }
        return cls(**found)


@dataclass(frozen=True)
class Curve:
    """The objective along one parameter, with a band."""

    parameter: str
    values: List[Any]
    mean: List[float]
    low: List[float]
    high: List[float]

    @classmethod
    def _read(cls, text: str) -> Curve:
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Surface:
    """The objective over two parameters and its standard deviation; rows follow `y`, columns `x`."""

    x: str
    y: str
    x_values: List[Any]
    y_values: List[Any]
    mean: List[List[float]]
    sd: List[List[float]]

    @classmethod
    def _read(cls, text: str) -> Surface:
        return cls(**json.loads(text))
