"""Optuna's names and what they are called here, for :mod:`neuralbo.migrate`."""

from __future__ import annotations

from typing import Callable, Dict, Optional, Tuple

#: Functions and constants by their names in Optuna, without the package and the modules study, trial and exceptions.
NAMES = {
    "delete_study": "neuralbo.delete_study",
    "copy_study": "neuralbo.copy_study",
    "get_all_study_names": "neuralbo.list_studies",
    "logging.set_verbosity": "neuralbo.log_to_stderr",
    "logging.enable_default_handler": "neuralbo.log_to_stderr",
    **{f"logging.{level}": f"logging.{level}" for level in ("DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")},
    "StudyDirection.MINIMIZE": '"minimize"',
    "StudyDirection.MAXIMIZE": '"maximize"',
    **{f"TrialState.{state}": f"neuralbo.TrialState.{state}" for state in ("RUNNING", "WAITING", "COMPLETE", "PRUNED", "FAIL")},
}

#: Classes likewise.
CLASSES = {
    "Study": "neuralbo.Study",
    "Trial": "neuralbo.Trial",
    "BaseTrial": "neuralbo.Trial",
    "FrozenTrial": "neuralbo.Trial",
    "FixedTrial": "neuralbo.FixedTrial",
    "TrialState": "neuralbo.TrialState",
    "TrialPruned": "neuralbo.TrialPruned",
    "OptunaError": "neuralbo.NeuralboError",
    "DuplicatedStudyError": "neuralbo.StudyExists",
    "StorageInternalError": "neuralbo.StorageError",
    "MaxTrialsCallback": "neuralbo.MaxTrialsCallback",
    "distributions.FloatDistribution": "neuralbo.Float",
    "distributions.IntDistribution": "neuralbo.Int",
    "distributions.CategoricalDistribution": "neuralbo.Categorical",
}

#: The texts of states in tables.
STATES = {"RUNNING": "running", "WAITING": "waiting", "COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}

#: The method of a sampler, and the names of its positional arguments.
SAMPLERS: Dict[str, Tuple[str, Tuple[str, ...]]] = {
    "samplers.TPESampler": ("neuralbo", ()),
    "samplers.GPSampler": ("gp-ei", ()),
    "samplers.RandomSampler": ("random", ("seed",)),
    "samplers.CmaEsSampler": ("cma-es", ("x0", "sigma0", "n_startup_trials", "independent_sampler")),
    "samplers.NSGAIISampler": ("nsga2", ()),
    "samplers.NSGAIIISampler": ("nsga2", ()),
    "samplers.QMCSampler": ("sobol", ()),
    "samplers.GridSampler": ("random", ("search_space", "seed")),
    "samplers.BruteForceSampler": ("random", ("seed",)),
    "integration.BoTorchSampler": ("neuralbo", ()),
    "integration.SkoptSampler": ("gp-ei", ()),
}

#: What storages become: their first argument, and a remark.
STORAGES: Dict[str, Tuple[Tuple[str, ...], str]] = {
    "storages.RDBStorage": (("url", "engine_kwargs"), ""),
    "storages.get_storage": (("storage",), ""),
    "storages.InMemoryStorage": ((), ""),
    "storages.JournalStorage": (("log_storage",), "an SQLite file takes the place of the journal; a journal that exists is not read"),
    "storages.JournalFileStorage": (("file_path", "lock_obj"), ""),
    "storages.journal.JournalStorage": (("log_storage",), "an SQLite file takes the place of the journal; a journal that exists is not read"),
    "storages.journal.JournalFileBackend": (("file_path", "lock_obj"), ""),
}

_FIGURES = {
    "plot_optimization_history": "convergence",
    "plot_contour": "contour",
    "plot_param_importances": "importance",
    "plot_slice": "slices",
    "plot_parallel_coordinate": "parallel_coordinates",
    "plot_intermediate_values": "learning_curves",
    "plot_pareto_front": "pareto",
    "plot_hypervolume_history": "hypervolume",
    "plot_timeline": "timeline",
}
#: The function of `neuralbo.plot`, and the arguments that are understood beside the study.
FIGURES: Dict[str, Tuple[str, Tuple[str, ...]]] = {
    f"visualization.{module}{theirs}": (ours, ("params",) if ours == "contour" else ())
    for module in ("", "matplotlib.")
    for theirs, ours in _FIGURES.items()
}

#: Methods of studies and trials: their names here, a further argument, and the names of keywords, None for those left out.
METHODS: Dict[str, Tuple[str, str, Dict[str, Optional[str]]]] = {
    "suggest_uniform": ("suggest_float", "", {}),
    "suggest_loguniform": ("suggest_float", "log=True", {}),
    "suggest_discrete_uniform": ("suggest_float", "", {}),
    "ask": ("ask", "", {"fixed_distributions": "space"}),
    "tell": ("tell", "", {"values": "value", "skip_if_finished": None}),
    "enqueue_trial": ("enqueue_trial", "", {"user_attrs": None}),
    "trials_dataframe": ("trials_dataframe", "", {"multi_index": None}),
}

#: Attributes and packages without a counterpart, and what to do.
NOT_HERE = {
    "sampler": "study.sampler: a study has a method, study.method",
    "system_attrs": "system_attrs: there are none; constraints are in trial.violations and trial.feasible",
    "set_system_attr": "set_system_attr: use set_user_attr",
    "metric_names": "study.metric_names: the names are in study.objectives",
    "last_step": "last_step: use max(trial.intermediate_values)",
    "set_constraint": "set_constraint: return the quantity from the objective and give outcome_constraints=",
    "optuna.artifacts": "artifacts: keep files beside the study, their paths in trial.set_user_attr",
    "optuna.terminator": "terminators: study.stop() in a callback, or the command line's --patience",
    "optuna.integration": "integrations of training frameworks: report and should_prune in their callbacks; others are in neuralbo.integrations",
    "optuna_integration": "integrations of training frameworks: report and should_prune in their callbacks; others are in neuralbo.integrations",
    "optuna_dashboard": "the dashboard: neuralbo.dashboard(study), and the command neuralbo dashboard",
    "optuna.samplers": "samplers of one's own: Optuna's studies with NeuralBOSampler stay possible; a method is added in Rust",
    "optuna.pruners": "pruners of one's own: decide in the objective and raise neuralbo.TrialPruned",
    "optuna.visualization": "this figure is not there; those of neuralbo.plot and of the dashboard are",
    "optuna.storages": "storages are SQLite files and PostgreSQL, given as texts",
    "optuna.search_space": "search spaces: study.space",
}

#: What a pruner becomes, from the texts of its arguments: the text, or None; and a remark.
_Written = Tuple[Optional[str], str]


def _value(text: str) -> str:
    """A literal number, or an expression for an f-string."""
    try:
        float(text)
    except ValueError:
        return f"{{{text}}}"
    return text


def _written(word: str, given: Dict[str, str], names: Dict[str, str], first: Optional[str] = None) -> _Written:
    """The text `word:first,name=value,…` and what is left out of it."""
    items = [] if first is None else [_value(given[first])]
    items += [f"{ours}={_value(given[theirs])}" for theirs, ours in names.items() if theirs in given]
    lost = [name for name in given if name != first and name not in names]
    return f"{word}:{','.join(items)}" if items else word, f"{', '.join(lost)} left out" if lost else ""


_STARTS = {"n_warmup_steps": "warmup", "n_startup_trials": "after"}
_RUNGS = {"min_resource": "min", "reduction_factor": "factor"}


def _hyperband(given: Dict[str, str]) -> _Written:
    if "max_resource" not in given:
        return None, 'give max_resource, and pruner="hyperband:max=81"'
    return _written("hyperband", given, {"min_resource": "min", "max_resource": "max", "reduction_factor": "factor"})


def _threshold(given: Dict[str, str]) -> _Written:
    bounds = [name for name in ("upper", "lower") if name in given]
    if len(bounds) != 1:
        return None, 'pruner="threshold:5" has one bound'
    text, _ = _written("threshold", given, {"n_warmup_steps": "warmup"}, bounds[0])
    return text, "values that are worse than the bound stop a trial, whether that is above or below"


def _patient(given: Dict[str, str]) -> _Written:
    if "wrapped_pruner" in given or "patience" not in given:
        return None, 'pruner="patience:steps=10" stands alone'
    return _written("patience", given, {"patience": "steps", "min_delta": "delta"})[0], "trials without improvement are complete"


#: The names of the positional arguments of a pruner, and what it becomes.
PRUNERS: Dict[str, Tuple[Tuple[str, ...], Callable[[Dict[str, str]], _Written]]] = {
    "pruners.NopPruner": ((), lambda given: ("none", "")),
    "pruners.MedianPruner": (("n_startup_trials", "n_warmup_steps", "interval_steps"), lambda given: _written("median", given, _STARTS)),
    "pruners.PercentilePruner": (
        ("percentile", "n_startup_trials", "n_warmup_steps", "interval_steps"),
        lambda given: _written("percentile", given, _STARTS, "percentile"),
    ),
    "pruners.SuccessiveHalvingPruner": (
        ("min_resource", "reduction_factor", "min_early_stopping_rate", "bootstrap_count"),
        lambda given: _written("asha", {"reduction_factor": "4", **given}, _RUNGS),
    ),
    "pruners.HyperbandPruner": (("min_resource", "max_resource", "reduction_factor", "bootstrap_count"), _hyperband),
    "pruners.ThresholdPruner": (("lower", "upper", "n_warmup_steps", "interval_steps"), _threshold),
    "pruners.PatientPruner": (("wrapped_pruner", "patience", "min_delta"), _patient),
}
