"""Black-box optimization.

>>> import neuralbo
>>> result = neuralbo.minimize(lambda x: (x[0] - 1) ** 2, [(-5, 5)], n_trials=20, seed=1)
>>> abs(float(result.x[0]) - 1) < 0.1
True

:func:`minimize` and :func:`maximize` call a function, :class:`Optimizer` offers ask and tell, and :func:`create_study`
stores a study in a file or a database that many workers can share.
"""

from __future__ import annotations

from neuralbo import _engine

# `typing.TYPE_CHECKING` for checkers; the module itself takes longer to import than everything here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Dict, List

    from neuralbo._callbacks import MaxTrialsCallback, log_to_stderr
    from neuralbo._dashboard import Dashboard, dashboard, report
    from neuralbo.errors import (
        Exhausted,
        LeaseLost,
        NeuralboError,
        NoModel,
        StorageError,
        StudyBusy,
        StudyChanged,
        StudyEnded,
        StudyExists,
        TrialPruned,
        UnknownStudy,
    )
    from neuralbo.optimize import maximize, minimize
    from neuralbo.optimizer import Optimizer
    from neuralbo.result import Result
    from neuralbo.space import Bool, Categorical, Fixed, Float, Int, Ordinal, Space
    from neuralbo.studies import copy_study, create_study, delete_study, list_studies, load_study
    from neuralbo.study import Study
    from neuralbo.trial import Best, FixedTrial, Trial, TrialState

__version__ = _engine.__version__


def methods() -> Dict[str, Dict[str, Any]]:
    """The methods by name, each with its ``description``, its ``options``, and whether it supports several
    ``objectives`` and ``outcome_constraints``.

    >>> methods()["random"]["options"]
    {}
    >>> methods()["random"]["objectives"], methods()["gp-ei"]["objectives"]
    (True, False)
    """
    return {name: {"description": summary, "options": options, **_goals_of(name)} for name, summary, options in _engine.methods()}


def _goals_of(name: str) -> Dict[str, bool]:
    objectives, outcome_constraints = _engine.method_goals(name)
    return {"objectives": objectives, "outcome_constraints": outcome_constraints}


__all__ = [
    "Best",
    "Bool",
    "Categorical",
    "Dashboard",
    "Exhausted",
    "Fixed",
    "FixedTrial",
    "Float",
    "Int",
    "LeaseLost",
    "MaxTrialsCallback",
    "NeuralboError",
    "NoModel",
    "Optimizer",
    "Ordinal",
    "Result",
    "Space",
    "StorageError",
    "Study",
    "StudyBusy",
    "StudyChanged",
    "StudyEnded",
    "StudyExists",
    "Trial",
    "TrialPruned",
    "TrialState",
    "UnknownStudy",
    "copy_study",
    "create_study",
    "dashboard",
    "delete_study",
    "list_studies",
    "load_study",
    "log_to_stderr",
    "maximize",
    "methods",
    "minimize",
    "report",
]

#: Modules of the public names, imported on first use so that `import neuralbo` is fast; all others are in `errors`.
_HOMES = {
    "_callbacks": ["MaxTrialsCallback", "log_to_stderr"],
    "_dashboard": ["Dashboard", "dashboard", "report"],
    "optimize": ["maximize", "minimize"],
    "optimizer": ["Optimizer"],
    "result": ["Result"],
    "space": ["Bool", "Categorical", "Fixed", "Float", "Int", "Ordinal", "Space"],
    "studies": ["copy_study", "create_study", "delete_study", "list_studies", "load_study"],
    "study": ["Study"],
    "trial": ["Best", "FixedTrial", "Trial", "TrialState"],
}
#: Names of Optuna, and what is here instead.
_ELSEWHERE = {
    "samplers": 'the method is given by name, create_study(method="neuralbo", seed=1)',
    "pruners": 'a pruner is a text, create_study(pruner="median")',
    "visualization": "figures are in neuralbo.plot",
    "logging": "log_to_stderr() shows the log; its logger is called neuralbo",
}

if not TYPE_CHECKING:  # or checkers would take every name for one of ours

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            hint = f": {_ELSEWHERE[name]}; see docs/coming-from.md" if name in _ELSEWHERE else ""
            raise AttributeError(f"module 'neuralbo' has no attribute {name!r}{hint}")
        from importlib import import_module

        home = next((module for module, names in _HOMES.items() if name in names), "errors")
        value = globals()[name] = getattr(import_module(f"neuralbo.{home}"), name)
        return value


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
