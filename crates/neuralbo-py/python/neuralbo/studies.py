"""Studies in memory, or in a file or a database shared with the command line and any number of workers."""

from __future__ import annotations

import os
import uuid
from typing import Any, Iterable, List, Mapping, NoReturn, Optional, Sequence, Union

from neuralbo import _check, _engine
from neuralbo._form import space_of
from neuralbo._goals import Objectives, OutcomeConstraints, Reference, goals
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
    outcome_constraints: OutcomeConstraints = (),
    reference: Optional[Reference] = None,
    pruner: Optional[str] = None,
    checkpoints: Union[str, os.PathLike[str], None] = None,
    **options: Any,
) -> Study:
    """Create a study or, with `load_if_exists`, load the existing one.

    >>> import neuralbo
    >>> study = neuralbo.create_study(direction="maximize", seed=1)
    >>> study.optimize(lambda trial: -trial.suggest_float("x", -5, 5) ** 2, n_trials=15)
    >>> study.best_value > -0.1
    True

    Args:
        storage: ``sqlite:///file.db`` (four slashes before an absolute path), a file path, or ``postgresql://…``;
            ``None`` keeps the study in memory. The command line uses the same storages.
        space: the search space. Without it the study grows with the ``suggest_*`` calls of its trials and learns the
            conditions under which parameters are requested.
        constraints: constraints on the parameters in addition to those of `space`: expressions such as ``"x + y <=
            1"``, or, in memory only, functions that take a dict and return a bool.
        directions: the directions of several objectives, called ``value_0``, ``value_1`` and so on.
        objectives: several objectives by name, ``["loss:minimize", "accuracy:maximize"]`` or ``{"loss": "minimize", …}``.
        outcome_constraints: outcome constraints, such as ``["memory <= 4e9"]``.
        pruner: the rule for early stopping, such as ``"median"`` or ``"asha:min=1,factor=3"``; see docs/pruning.md.
            ``None`` is the median rule for objectives that ask, ``"none"`` never stops.
        checkpoints: a folder with one subfolder per trial for its state, ``trial.checkpoint``. The pruner ``asha``
            then resumes pruned trials that are promoted.
        reference: the reference point of the hypervolume, ``{"loss": 1.0}``; inferred from the Pareto front by
            default.

    >>> study = neuralbo.create_study(directions=["minimize", "maximize"], method="random", seed=1)
    >>> def objective(trial):
    ...     x = trial.suggest_float("x", 0, 1)
    ...     return x ** 2, x
    >>> study.optimize(objective, n_trials=5)
    >>> len(study.best_trials)
    5

    The other arguments are those of :class:`neuralbo.Optimizer`. An existing study keeps its own direction, method,
    options, seed and space.
    """
    _check.other_names(options)
    url = None if storage is None else _check.text(storage, "storage")
    name = f"study-{uuid.uuid4().hex[:12]}" if study_name is None else _check.text(study_name, "study_name")
    if space is None and constraint_list(constraints):
        raise ValueError("constraints need a space; also pass space=")
    given = None if space is None else space_of(space, constraints)._core
    wanted = goals(direction, objectives, outcome_constraints, reference, directions)
    method = _check.text(method, "method")
    existing = _check.flag(load_if_exists, "load_if_exists")
    stop = _check.pruner(pruner)
    core = _engine.Study.create(url, name, "named", given, *wanted, method, option_texts(options), checked_seed(seed), existing, stop)
    return Study(core, checkpoints)


def load_study(
    storage: str, study_name: str, *, checkpoints: Union[str, os.PathLike[str], None] = None, **other: NoReturn
) -> Study:
    """Load a study by name; raises :class:`~neuralbo.UnknownStudy` if there is none. `checkpoints` as for
    :func:`create_study`.

    >>> import neuralbo, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     storage = os.path.join(folder, "studies.db")
    ...     study = neuralbo.create_study(storage=storage, study_name="tuning", seed=7)
    ...     neuralbo.load_study(storage, "tuning").seed
    7
    """
    _check.other_names(other)
    if other:
        raise TypeError(f"load_study has no argument {next(iter(other))}")
    return Study(_engine.Study.load(_check.text(storage, "storage"), _check.text(study_name, "study_name")), checkpoints)


def delete_study(storage: str, study_name: str) -> None:
    """Delete a study with all its trials; raises :class:`~neuralbo.UnknownStudy` if there is none.

    >>> import neuralbo, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     storage = os.path.join(folder, "studies.db")
    ...     study = neuralbo.create_study(storage=storage, study_name="tuning")
    ...     neuralbo.delete_study(storage, "tuning")
    ...     neuralbo.list_studies(storage)
    []
    """
    _engine.delete_study(_check.text(storage, "storage"), _check.text(study_name, "study_name"))


def copy_study(
    *, from_study_name: str, from_storage: str, to_storage: str, to_study_name: Optional[str] = None
) -> None:
    """Copy a study with its trials, intermediate values and attributes to another storage, or under another name.
    Running trials wait for a worker in the copy.

    >>> import neuralbo, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     storage = os.path.join(folder, "studies.db")
    ...     study = neuralbo.create_study(storage=storage, study_name="tuning", space={"x": (0.0, 1.0)})
    ...     neuralbo.copy_study(from_study_name="tuning", from_storage=storage, to_storage=storage, to_study_name="copy")
    ...     neuralbo.list_studies(storage)
    ['copy', 'tuning']
    """
    name = _check.text(from_study_name, "from_study_name")
    wanted = name if to_study_name is None else _check.text(to_study_name, "to_study_name")
    _engine.copy_study(_check.text(from_storage, "from_storage"), name, _check.text(to_storage, "to_storage"), wanted)


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
