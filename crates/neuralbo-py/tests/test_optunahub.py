"""The sampler as a package of OptunaHub, loaded by OptunaHub from its folder."""

import runpy
from pathlib import Path

import pytest

optuna = pytest.importorskip("optuna")
optunahub = pytest.importorskip("optunahub")

REGISTRY = Path(__file__).resolve().parents[1] / "optunahub" / "package"
PACKAGE = REGISTRY / "samplers" / "neuralbo"


def test_the_hub_loads_the_sampler_and_it_finds_the_minimum() -> None:
    module = optunahub.load_local_module("samplers/neuralbo", registry_root=str(REGISTRY))
    study = optuna.create_study(sampler=module.NeuralBOSampler(seed=1))
    study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=15)
    assert study.best_value < 1e-2


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    load = optunahub.load_local_module
    monkeypatch.setattr(optunahub, "load_module", lambda package: load(package, registry_root=str(REGISTRY)))
    runpy.run_path(str(PACKAGE / "example.py"), run_name="__main__")
    assert "model" in capsys.readouterr().out


def test_the_page_has_what_the_registry_asks_for() -> None:
    head = (PACKAGE / "README.md").read_text().split("---")[1]
    keys = [line.split(":")[0] for line in head.strip().splitlines()]
    assert keys == ["author", "title", "description", "tags", "optuna_versions", "license"]
    assert (PACKAGE / "LICENSE").read_text().startswith("MIT License")
