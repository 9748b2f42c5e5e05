"""Studies in memory, or in a file or a database that the command line and any number of workers share."""

from __future__ import annotations

import os
import uuid
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from neuralbo import _check, _engine
from neuralbo._form import space_of
from neuralbo._goals import Objectives, Outcomes, Reference, goals
from neuralbo._options import checked_seed, option_texts
from neuralbo.space import Constraint, Space, constraint_list
from neuralbo.study import Study


def create_study(
    *,
    storage: Optional[str] = None,
    study_name: Optional[str] = None,
    direction: str = "minimize",
    method: str = "neuralbo",
    seed: Optional[int] = None,
    load_if_exists: bool = False,
    space: Union[Space, Mapping[str, Any], None] = None,
    constraints: Iterable[Constraint] = (),
    directions: Optional[Sequence[str]] = None,
    objectives: Optional[Objectives] = None,
    outcomes: Outcomes = (),
    reference: Optional[Reference] = None,
    pruner: Optional[str] = None,
    checkpoints: Union[str, os.PathLike[str], None] = None,
    **options: Any,
) -> Study:
    """A new study, or with `load_if_exists` the one of this name.

    >>> import neuralbo
    >>> study = neuralbo.create_study(direction="maximize", seed=1)
    >>> study.optimize(lambda trial: -trial.suggest_float("x", -5, 5) ** 2, n_trials=15)
    >>> study.best_value > -0.1
    True

    Args:
        storage: ``sqlite:///absolute/path.db``, the path of a file, or ``postgresql://…``; in memory when it is ``None``. The
            command line reads and writes the same storages.
        space: what is searched. Without it the study grows by what the ``suggest_*`` calls of its trials ask for, and learns under
            which values of which parameters they ask for others.
        constraints: what every suggested point satisfies, beside the constraints of `space`: texts such as ``"x + y <= 1"``, or
            functions that get a dict and return a bool; functions only in memory.
        directions: of several objectives, which are called ``value_0``, ``value_1`` and so on.
        objectives: several objectives by name, ``["loss:minimize", "accuracy:maximize"]`` or ``{"loss": "minimize", …}``.
        outcomes: limits on what trials measure, such as ``["memory <= 4e9"]``.
        pruner: when trials are stopped early, such as ``"median"`` or ``"asha:min=1,factor=3"``; see docs/pruning.md.
        checkpoints: a folder below which each trial has one for its state, ``trial.checkpoint``. The pruner ``asha`` then goes on with
            stopped trials that have come to be among the best.
        reference: where the hypervolume is measured from, ``{"loss": 1.0}``; inferred from the Pareto front if left out.

    >>> study = neuralbo.create_study(directions=["minimize", "maximize"], method="random", seed=1)
    >>> def objective(trial):
    ...     x = trial.suggest_float("x", 0, 1)
    ...     return x ** 2, x
    >>> study.optimize(objective, n_trials=5)
    >>> len(study.best_trials)
    5

    The other arguments are those of :class:`neuralbo.Optimizer`. A study that exists keeps its own direction, method, options,
    seed and space.
    """
    url = None if storage is None else _check.text(storage, "storage")
    name = f"study-{uuid.uuid4().hex[:12]}" if study_name is None else _check.text(study_name, "study_name")
    if space is None and constraint_list(constraints):
        raise ValueError("constraints are about the parameters of a space; give space=, too")
    given = None if space is None else space_of(space, constraints)._core
    wanted = goals(direction, objectives, outcomes, reference, directions)
    method = _check.text(method, "method")
    existing = _check.flag(load_if_exists, "load_if_exists")
    stop = _check.text_or_none(pruner, "pruner")
    core = _engine.Study.create(url, name, "named", given, *wanted, method, option_texts(options), checked_seed(seed), existing, stop)
    return Study(core, checkpoints)


def load_study(storage: str, study_name: str, *, checkpoints: Union[str, os.PathLike[str], None] = None) -> Study:
    """The study of this name; :class:`~neuralbo.UnknownStudy` when there is none. `checkpoints` as for :func:`create_study`.

    >>> import neuralbo, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     storage = os.path.join(folder, "studies.db")
    ...     study = neuralbo.create_study(storage=storage, study_name="tuning", seed=7)
    ...     neuralbo.load_study(storage, "tuning").seed
    7
    """
    return Study(_engine.Study.load(_check.text(storage, "storage"), _check.text(study_name, "study_name")), checkpoints)


def delete_study(storage: str, study_name: str) -> None:
    """Removes a study with all its trials; :class:`~neuralbo.UnknownStudy` when there is none.

    >>> import neuralbo, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     storage = os.path.join(folder, "studies.db")
    ...     study = neuralbo.create_study(storage=storage, study_name="tuning")
    ...     neuralbo.delete_study(storage, "tuning")
    ...     neuralbo.list_studies(storage)
    []
    """
    _engine.delete_study(_check.text(storage, "storage"), _check.text(study_name, "study_name"))


def list_studies(storage: str) -> List[str]:
    """The names of all studies in a storage.

    >>> import neuralbo, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     storage = os.path.join(folder, "studies.db")
    ...     study = neuralbo.create_study(storage=storage, study_name="tuning")
    ...     neuralbo.list_studies(storage)
    ['tuning']
    """
    return _engine.study_names(_check.text(storage, "storage"))
