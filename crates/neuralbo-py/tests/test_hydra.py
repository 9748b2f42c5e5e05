"""The Hydra sweeper, in real multiruns of an application."""

import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest

import neuralbo

hydra = pytest.importorskip("hydra")

from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

from hydra_plugins.hydra_neuralbo_sweeper._space import Parameters  # noqa: E402

APPLICATION = """
import hydra
from omegaconf import DictConfig


@hydra.main(version_base=None, config_path=".", config_name="config")
def main(config: DictConfig):
    if config.kind == "broken":
        raise ArithmeticError("diverged")
    loss = (config.model.x - 1) ** 2 + 0.1 * config.n
    return {"loss": loss, "size": float(config.n)} if config.two else loss


main()
"""

CONFIG = """
defaults:
  - override hydra/sweeper: neuralbo
model:
  x: 0.0
n: 1
kind: fine
two: false
hydra:
  sweep: {dir: sweep}
  sweeper:
    n_trials: 12
    seed: 1
    params:
      model.x: interval(-5, 5)
"""


def multirun(folder: Path, *arguments: str, succeeds: bool = True) -> str:
    """What the application prints."""
    (folder / "application.py").write_text(APPLICATION)
    (folder / "config.yaml").write_text(CONFIG)
    command = [sys.executable, "application.py", "--multirun", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == succeeds, done.stderr
    return done.stdout + done.stderr


def found(folder: Path) -> Any:
    return OmegaConf.to_container(OmegaConf.load(folder / "sweep" / "optimization_results.yaml"))


def test_a_multirun_finds_the_minimum_and_says_so(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    multirun(tmp_path, "n=range(1,5)", "hydra.sweeper.workers=3", f"hydra.sweeper.storage='{storage}'", "hydra.sweeper.study_name=sweep")
    result = found(tmp_path)
    study = neuralbo.load_study(storage, "sweep")
    assert len(study.trials) == 12 and (tmp_path / "sweep" / "11").is_dir() and not (tmp_path / "sweep" / "12").exists()
    assert result["name"] == "neuralbo" and result["best_value"] == study.best_value < 0.3
    assert result["best_params"] == study.best_params and set(study.best_params) == {"model.x", "n"}
    for trial in study.trials:
        assert trial.value == (trial.params["model.x"] - 1) ** 2 + 0.1 * trial.params["n"]


def test_several_objectives_leave_their_front(tmp_path: Path) -> None:
    goals = "hydra.sweeper.objectives=['loss:minimize','size:minimize']"
    multirun(tmp_path, "n=range(1,4)", "two=true", goals, "hydra.sweeper.method=random")
    front = found(tmp_path)["solutions"]
    assert front and all(set(one["values"]) == {"loss", "size"} for one in front)


def test_a_job_that_fails_ends_the_sweep_or_is_a_failed_trial(tmp_path: Path) -> None:
    assert "diverged" in multirun(tmp_path, "kind=broken", succeeds=False)
    caught = multirun(tmp_path, "kind=fine,broken", "hydra.sweeper.catch=true", "hydra.sweeper.n_trials=8")
    assert "diverged" in caught and found(tmp_path)["best_params"]["kind"] == "fine"


def test_a_finite_space_is_tried_once(tmp_path: Path) -> None:
    multirun(tmp_path, "model.x=1", "n=range(1,4)")
    assert len(list((tmp_path / "sweep").glob("[0-9]*"))) == 3


def test_a_sweep_without_parameters_is_refused(tmp_path: Path) -> None:
    assert "the sweep has no parameters" in multirun(tmp_path, "model.x=1", succeeds=False)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("x=interval(-5,5)", neuralbo.Float(-5.0, 5.0)),
        ("x=tag(log,interval(1e-5,0.1))", neuralbo.Float(1e-5, 0.1, log=True)),
        ("x=int(interval(1,8))", neuralbo.Int(1, 8)),
        ("x=range(1,6)", neuralbo.Int(1, 5)),
        ("x=range(9,1,-2)", neuralbo.Int(3, 9, step=2)),
        ("x=range(0,1,0.25)", neuralbo.Float(0.0, 0.75, step=0.25)),
        ("+x=a,b,3", neuralbo.Categorical(["a", "b", "3"])),
        ("x=choice([1,2],{a:1})", neuralbo.Categorical(["[1,2]", "{a:1}"])),
    ],
)
def test_overrides_are_domains(text: str, domain: Any) -> None:
    overrides: List[Any] = OverridesParser.create().parse_overrides([text, "y=3"])
    parameters = Parameters(overrides)
    assert parameters.space == {"x": domain}
    key = text.split("=")[0]
    assert parameters.overrides({"x": 7}) == ["y=3", f"{key}=7"]
