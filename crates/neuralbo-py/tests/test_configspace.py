"""Spaces of the ConfigSpace package: read from its files, and compared with it configuration by configuration."""

import json
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
from conftest import refused

import neuralbo
from neuralbo import Categorical, Fixed, Float, Int, Optimizer, Ordinal, Space

FILES = Path(__file__).parent / "fixtures" / "configspace"
NAMES = ["svm", "everything"]


def test_a_file_becomes_the_space_it_describes() -> None:
    kernels = ["linear", "rbf", "poly", "sigmoid"]
    curved = {"kernel": ["rbf", "poly", "sigmoid"]}
    expected = {
        "kernel": Categorical(kernels),
        "C": Float(1e-3, 1e3, log=True),
        "shrinking": Categorical([True, False]),
        "degree": Int(1, 5, when={"kernel": "poly"}),
        "coef": Float(0, 10, when={"kernel": ["poly", "sigmoid"]}),
        "gamma": Categorical(["auto", "value"], when=curved),
        "gamma_value": Float(1e-4, 8, log=True, when={"gamma": "value"}),
    }
    found = Space.from_configspace(FILES / "svm.json")
    assert dict(found) == expected
    assert found.constraints == ('not (kernel == "linear" and shrinking == false)',)


def test_every_kind_is_read() -> None:
    found = Space.from_configspace(str(FILES / "everything.json"))
    assert found["bell"] == Float(-3, 3) and found["count"] == Int(1, 9) and found["share"] == Float(0, 1)
    assert found["n"] == Int(1, 1000, log=True) and found["seed"] == Fixed(42)
    assert found["size"] == Ordinal(["small", "medium", "large"]) and found["power"] == Ordinal([1, 2, 4, 8])
    assert found["child"].when == "n > 10 and x < 5.0"
    assert found["either"].when == 'weighted == "a" or size > "small"'
    assert found["other"].when == 'weighted != "c"' and found["late"].when == "power > 2"
    assert len(found.constraints) == 4 and "not x < y" in found.constraints


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["random", "neuralbo"])
def test_our_points_are_legal_there(name: str, method: str) -> None:
    configspace = pytest.importorskip("ConfigSpace")
    theirs = configspace.ConfigurationSpace.from_json(FILES / f"{name}.json")
    optimizer = Optimizer(Space.from_configspace(theirs), method=method, seed=1)
    for i in range(1000 if method == "random" else 30):
        point = optimizer.ask()
        configspace.Configuration(theirs, values=point).check_valid_configuration()
        optimizer.tell(point, float(i % 7))


@pytest.mark.parametrize("name", NAMES)
def test_their_configurations_are_points_here(name: str) -> None:
    configspace = pytest.importorskip("ConfigSpace")
    theirs = configspace.ConfigurationSpace.from_json(FILES / f"{name}.json")
    theirs.seed(3)
    space = Space.from_configspace(theirs)
    for configuration in theirs.sample_configuration(1000):
        values: Dict[str, Any] = dict(configuration)
        assert set(space.check(values)) == set(values)


def test_the_space_itself_and_its_file_are_the_same() -> None:
    configspace = pytest.importorskip("ConfigSpace")
    theirs = configspace.ConfigurationSpace({"a": (0.0, 1.0), "b": (1, 9), "c": ["x", "y"], "d": 3})
    assert dict(Space.from_configspace(theirs)) == {"a": Float(0, 1), "b": Int(1, 9), "c": Categorical(["x", "y"]), "d": Fixed(3)}


def file_of(tmp_path: Path, *hyperparameters: Dict[str, Any], **more: Any) -> Path:
    path = tmp_path / "space.json"
    path.write_text(json.dumps({"hyperparameters": hyperparameters, **more}))
    return path


X = {"type": "uniform_float", "name": "x", "lower": 0, "upper": 1}


def test_files_of_old_versions(tmp_path: Path) -> None:
    """`q`, normal distributions without bounds, and relations by `lambda`."""
    stepped = {**X, "q": 0.25, "log": False, "default": 0.5}
    bell = {"type": "normal_float", "name": "bell", "mu": 1.0, "sigma": 2.0, "lower": None, "upper": None, "log": False}
    relation = {"type": "RELATION", "left": "x", "right": "bell", "lambda": "GT"}
    found = Space.from_configspace(file_of(tmp_path, stepped, bell, forbiddens=[relation]))
    assert dict(found) == {"x": Float(0, 1, step=0.25), "bell": Float(-5, 7)} and found.constraints == ("not x > bell",)


@pytest.mark.parametrize(
    ("hyperparameters", "more", "words"),
    [
        ([{**X, "type": "quantum"}], {}, ["quantum"]),
        ([{"type": "uniform_int", "name": "n", "lower": 1}], {}, ["upper"]),
        ([{**X, "lower": 2}], {}, ["x", "low", "high"]),
        ([{**X, "name": "a b"}], {}, ["a b"]),
        ([X], {"conditions": [{"type": "EQ", "child": "y", "parent": "x", "value": 1}]}, ["y"]),
        ([X, {**X, "name": "y"}], {"conditions": [{"type": "EQ", "child": "y", "parent": "z", "value": 1}]}, ["y", "z"]),
        ([X], {"forbiddens": [{"type": "EQUALS", "name": "z", "value": 1}]}, ["z"]),
        ([], {}, ["at least one"]),
    ],
)
def test_what_cannot_be_read_is_named(hyperparameters: list, more: Dict[str, Any], words: list, tmp_path: Path) -> None:
    with refused(ValueError, words):
        Space.from_configspace(file_of(tmp_path, *hyperparameters, **more))


def test_what_is_no_space_of_theirs_is_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="ConfigurationSpace"):
        Space.from_configspace({"a": (0, 1)})
    with pytest.raises(FileNotFoundError):
        Space.from_configspace(tmp_path / "missing.json")
    (tmp_path / "text.json").write_text("[1, 2")
    with pytest.raises(ValueError, match="ConfigSpace"):
        Space.from_configspace(tmp_path / "text.json")


def test_the_command_line_reads_the_same_file(cli: Callable[..., str], storage: str) -> None:
    cli("run", "--storage", storage, "--study", "s", "--space", FILES / "svm.json", "--trials", 5, "--seed", 1, "--", "sh", "-c", "echo 1")
    assert neuralbo.load_study(storage, "s").space == Space.from_configspace(FILES / "svm.json")
