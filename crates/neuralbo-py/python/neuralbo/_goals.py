"""Several objectives and outcome constraints: their notation and results."""

from __future__ import annotations

from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from neuralbo import _check, _engine
from neuralbo._options import option_dict
from neuralbo.trial import Trial

#: ``["loss:minimize", …]`` or ``{"loss": "minimize", …}``.
Objectives = Union[Sequence[str], Mapping[str, str]]
#: ``["memory <= 4e9", …]``.
OutcomeConstraints = Iterable[str]
#: Reference values by objective.
Reference = Mapping[str, float]


class ObjectiveInfo(NamedTuple):
    """An objective of a study."""

    name: str
    #: ``minimize`` or ``maximize``.
    direction: str
    #: The reference value of the hypervolume; ``None`` if inferred from the front.
    reference: Optional[float]


class OutcomeConstraint(NamedTuple):
    """An outcome constraint of a study."""

    name: str
    at_least: Optional[float]
    at_most: Optional[float]
    #: The constraint as text.
    text: str


class Goals(NamedTuple):
    """Objectives and outcome constraints in the engine's form."""

    objectives: List[str]
    outcome_constraints: List[str]
    reference: List[Tuple[str, float]]


def goals(
    direction: str,
    objectives: Optional[Objectives] = None,
    outcome_constraints: OutcomeConstraints = (),
    reference: Optional[Reference] = None,
    directions: Optional[Sequence[str]] = None,
) -> Goals:
    """Objectives from their names, from nameless directions, or one called ``value``."""
    if objectives is not None and directions is not None:
        raise ValueError("give either objectives or directions, not both")
    if objectives is not None:
        texts = _objective_texts(objectives)
    elif directions is not None:
        words = _check.texts(directions, "directions", "a list such as ['minimize', 'maximize']")
        texts = [f"value:{words[0]}"] if len(words) == 1 else [f"value_{place}:{word}" for place, word in enumerate(words)]
    else:
        texts = [f"value:{_check.text(direction, 'direction')}"]
    limits = _check.texts(outcome_constraints, "outcome_constraints", "a list such as ['memory <= 4e9']")
    return Goals(texts, limits, _reference_pairs(reference))


def _objective_texts(objectives: Objectives) -> List[str]:
    if isinstance(objectives, Mapping):
        return [f"{_check.text(name, 'names of objectives')}:{_check.text(way, f'objectives[{name!r}]')}" for name, way in objectives.items()]
    return _check.texts(objectives, "objectives", "a list such as ['loss:minimize'] or a dict")


def _reference_pairs(reference: Optional[Reference]) -> List[Tuple[str, float]]:
    if reference is None:
        return []
    if not isinstance(reference, Mapping):
        raise TypeError(f"reference must be a dict such as {{'loss': 1.0}}, found {_check.shown(reference)}")
    return [(_check.text(name, "names of reference"), _check.number(value, f"reference[{name!r}]")) for name, value in reference.items()]


class WithGoals:
    """Shared by optimizers and studies: definition, trials, objectives, outcome constraints and the Pareto front."""

    _core: _engine.Study

    @property
    def method(self) -> str:
        """The method's name."""
        return self._core.method

    @property
    def options(self) -> Dict[str, str]:
        """The given options of the method."""
        return option_dict(self._core.options)

    @property
    def seed(self) -> int:
        """The seed that makes the suggestions reproducible."""
        return self._core.seed

    @property
    def direction(self) -> str:
        """``minimize`` or ``maximize``; raises ValueError with several objectives, which have :attr:`directions`."""
        if self._several():
            raise ValueError("direction needs one objective; with several use directions")
        return self._core.direction

    @property
    def trials(self) -> List[Trial]:
        """All trials by number."""
        return [self._trial(record) for record in self._core.trials()]

    @property
    def objectives(self) -> List[ObjectiveInfo]:
        """The objectives with their directions and reference values."""
        return [ObjectiveInfo(*one) for one in self._core.objectives]

    @property
    def directions(self) -> List[str]:
        """The directions of the objectives."""
        return [direction for _, direction, _ in self._core.objectives]

    @property
    def outcome_constraints(self) -> List[OutcomeConstraint]:
        """The outcome constraints."""
        return [OutcomeConstraint(*one) for one in self._core.outcome_constraints]

    @property
    def hypervolume(self) -> Optional[float]:
        """The volume between the Pareto front and the reference point; ``None`` while the front is empty,
        and for four objectives with hundreds of trials on the front, where the exact volume takes too long.

        >>> import neuralbo
        >>> study = neuralbo.create_study(objectives=["a:minimize", "b:minimize"], reference={"a": 2, "b": 2}, space={"x": (0.0, 1.0)})
        >>> study.add_trial({"x": 0.5}, {"a": 1.0, "b": 0.5})
        0
        >>> study.hypervolume
        1.5
        """
        found = self._core.hypervolume()
        return None if found is None else found[0]

    @property
    def reference(self) -> Optional[Dict[str, float]]:
        """The reference point of the hypervolume, as given or just beyond the front; ``None`` while the front is
        empty."""
        found = self._core.hypervolume()
        return None if found is None else dict(zip((name for name, _, _ in self._core.objectives), found[1]))

    @property
    def hypervolume_history(self) -> List[Tuple[int, float]]:
        """The number of each finished trial, in finishing order, and the hypervolume of the front after it, all from
        the same reference point; the list ends where the exact volumes take too long."""
        return self._core.hypervolume_history()

    @property
    def least_violation(self) -> Optional[Trial]:
        """The complete trial with the least violation of the outcome constraints; ``None`` without such a trial or
        constraints."""
        found = self._core.least_violation() if self._core.outcome_constraints else None
        return None if found is None else self._trial(found[0])

    def _trial(self, record: _engine.Trial) -> Trial:
        return Trial(record)

    def _front(self) -> List[Trial]:
        return [self._trial(record) for record in self._core.front()]

    def _measured(self) -> List[str]:
        """The names of the measured values: the objectives, then the quantities of outcome constraints."""
        names = [name for name, _, _ in self._core.objectives]
        return names + [name for name, _, _, _ in self._core.outcome_constraints if name not in names]

    def _counts(self) -> Dict[str, int]:
        """The number of trials by state; running ones include those that wait for a worker."""
        return dict(zip(("complete", "pruned", "failed", "unfinished"), self._core.counts()))

    def _shown_goal(self) -> str:
        """The direction or the directions, for `repr`."""
        return f"directions={self.directions!r}" if self._several() else f"direction={self.direction!r}"

    def _several(self) -> bool:
        return len(self._core.objectives) > 1

    def _none_best(self) -> str:
        """Why there is no best trial."""
        least = self._core.least_violation() if self._core.outcome_constraints else None
        if least is None:
            return "no trial of the study is complete yet"
        violated = ", ".join(least[0].violations)
        return f"no feasible trial yet; the least violation, of {violated}, is in trial {least[0].number}"


def several_refused(what: str) -> ValueError:
    """The error for queries that need a single objective."""
    return ValueError(f"{what} needs one objective; with several the answer is the Pareto front: best_trials of a study, front of a result")
