"""A sweep: ask the study, launch a batch of jobs, tell what they returned."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import JobReturn, JobStatus
from hydra.errors import HydraException
from omegaconf import OmegaConf

import neuralbo
from hydra_plugins.hydra_neuralbo_sweeper._space import Parameters

if TYPE_CHECKING:
    from hydra_plugins.hydra_neuralbo_sweeper.config import NeuralBOSweeperConf
    from hydra_plugins.hydra_neuralbo_sweeper.neuralbo_sweeper import NeuralBOSweeper

log = logging.getLogger(__name__)

#: Where Hydra's sweepers leave their result.
RESULT = "optimization_results.yaml"


def sweep(sweeper: NeuralBOSweeper, arguments: List[str]) -> None:
    """Runs all jobs and writes the result."""
    assert sweeper.config is not None and sweeper.launcher is not None and sweeper.hydra_context is not None
    settings = sweeper.settings
    parser = OverridesParser.create(config_loader=sweeper.hydra_context.config_loader)
    parameters = Parameters(parser.parse_overrides([*(f"{key}={text}" for key, text in settings.params.items()), *arguments]))
    study = _study(settings, parameters)
    folder = Path(sweeper.config.hydra.sweep.dir)
    folder.mkdir(parents=True, exist_ok=True)
    OmegaConf.save(sweeper.config, folder / "multirun.yaml")
    started, done = time.monotonic(), 0
    while done < settings.n_trials and (settings.timeout is None or time.monotonic() - started < settings.timeout):
        trials = _asked(study, min(settings.workers, settings.n_trials - done))
        if not trials:
            break
        batch = [parameters.overrides(trial.params) for trial in trials]
        sweeper.validate_batch_is_legal(batch)
        results = sweeper.launcher.launch(batch, initial_job_idx=done)
        for trial, result in zip(trials, results):
            _tell(study, trial, result, settings.catch)
        done += len(trials)
    _write(study, parameters, folder / RESULT)


def _study(settings: NeuralBOSweeperConf, parameters: Parameters) -> neuralbo.Study:
    if not parameters.space:
        raise HydraException("the sweep has no parameters: give some as 'x=interval(-5,5)', 'n=range(1,9)' or 'kind=a,b'")
    return neuralbo.create_study(
        space=parameters.space,
        constraints=list(settings.constraints),
        direction=settings.direction,
        objectives=list(settings.objectives) or None,
        method=settings.method,
        seed=settings.seed,
        storage=settings.storage,
        study_name=settings.study_name,
        load_if_exists=True,
        **dict(settings.options),
    )


def _asked(study: neuralbo.Study, count: int) -> List[neuralbo.Trial]:
    """The trials of a batch; fewer if a finite space is exhausted."""
    trials: List[neuralbo.Trial] = []
    try:
        while len(trials) < count:
            trials.append(study.ask())
    except neuralbo.StudyEnded as end:
        log.info("%s", end)
    return trials


def _tell(study: neuralbo.Study, trial: neuralbo.Trial, result: JobReturn, catch: bool) -> None:
    if result.status == JobStatus.COMPLETED:
        study.tell(trial, result.return_value)
        return
    try:
        error: Any = result.return_value
    except Exception as raised:
        error = raised
    study.tell(trial, error if isinstance(error, Exception) else HydraException(f"the job has the status {result.status}"))
    if not catch:
        raise error
    log.warning("job of trial %s failed: %s", trial.number, error)


def _write(study: neuralbo.Study, parameters: Parameters, path: Path) -> None:
    found: Dict[str, Any] = {"name": "neuralbo"}
    best: Sequence[neuralbo.Trial] = study.best_trials
    if len(study.objectives) > 1:
        found["solutions"] = [{"params": parameters.plain(trial.params), "values": dict(trial.measured)} for trial in best]
    elif best:
        found.update({"best_params": parameters.plain(best[0].params), "best_value": best[0].value})
    OmegaConf.save(OmegaConf.create(found), path)
    log.info("result: %s", found)
