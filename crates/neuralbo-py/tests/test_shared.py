"""The same points and the same studies in Rust, on the command line and in Python."""

import csv
import json
import os
import pickle
import uuid
from pathlib import Path
from typing import Callable

import pytest

import neuralbo
from neuralbo import Categorical, Float, Int


def trace(path: Path) -> list:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("method", ["neuralbo", "gp-ucb", "rf", "sobol"])
def test_the_same_seed_and_values_give_the_points_of_the_command_line(cli: Callable[..., str], tmp_path: Path, method: str) -> None:
    path = tmp_path / "trace.csv"
    cli("run", "--function", "branin", "--method", method, "--seed", 5, "--trials", 15, "--trace", path, "-q")
    optimizer = neuralbo.Optimizer([(-5, 10), (0, 15)], method=method, seed=5)
    for row in trace(path):
        x = optimizer.ask()
        assert x.tolist() == [float(row["x0"]), float(row["x1"])], row["number"]
        optimizer.tell(x, float(row["value"]))


@pytest.fixture(params=["sqlite", "postgres"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/studies.db"
    url = os.environ.get("NEURALBO_TEST_POSTGRES")
    if not url:
        pytest.skip("NOT TESTED: PostgreSQL; run scripts/ci/with-postgres.sh, which sets NEURALBO_TEST_POSTGRES")
    return url


def test_a_pickled_study_holds_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    url, password = (os.environ.get(f"NEURALBO_TEST_{name}") for name in ("POSTGRES", "PASSWORD"))
    if not (url and password):
        pytest.skip("NOT TESTED: PostgreSQL; run scripts/ci/with-postgres.sh, which sets NEURALBO_TEST_POSTGRES")
    name = f"pickled-{uuid.uuid4().hex[:8]}"
    study = neuralbo.create_study(storage=url.replace("neuralbo@", f"secretive:{password}@") + "?patience=1", study_name=name, seed=3)
    pickled = pickle.dumps(study)
    assert "battery" not in repr(study) and b"battery" not in pickled
    with pytest.raises(neuralbo.StorageError, match="password"):
        pickle.loads(pickled)
    monkeypatch.setenv("PGPASSWORD", password)
    assert pickle.loads(pickled).seed == 3


SPACE = {"lr": Float(1e-5, 1e-1, log=True), "n": Int(1, 4), "opt": Categorical(["adam", "sgd", "lion"]), "flag": neuralbo.Bool()}
PARAMETERS = ["lr=float(1e-5,1e-1,log)", "n=int(1,4)", "opt=choice(adam,sgd,lion)", "flag=bool"]


def value(params: dict) -> float:
    return params["lr"] * 10 + params["n"] + len(params["opt"]) + params["flag"]


def test_the_command_line_and_python_share_one_study(cli: Callable[..., str], storage: str) -> None:
    name = f"shared-{uuid.uuid4().hex[:8]}"
    parameters = [word for text in PARAMETERS for word in ("--param", text)]
    cli("run", "--study", name, "--storage", storage, "--seed", 7, "--trials", 14, *parameters)
    study = neuralbo.load_study(storage, name)
    alone = neuralbo.Optimizer(SPACE, seed=7)
    for number in range(14):
        expected = alone.ask()
        if number % 2:
            asked = json.loads(cli("ask", name, "--storage", storage, "--json"))
            assert (asked["trial"], asked["params"]) == (number, expected)
            cli("tell", name, number, "--storage", storage, "--value", repr(value(expected)))
        else:
            trial = study.ask()
            found = {
                "lr": trial.suggest_float("lr", 1e-5, 1e-1, log=True),
                "n": trial.suggest_int("n", 1, 4),
                "opt": trial.suggest_categorical("opt", ["adam", "sgd", "lion"]),
                "flag": trial.suggest_categorical("flag", [False, True]),
            }
            assert (trial.number, found) == (number, expected)
            study.tell(trial, value(found))
        alone.tell(expected, value(expected))
    with pytest.raises(RuntimeError, match="ended"):
        study.ask()
    best = json.loads(cli("best", name, "--storage", storage, "--json"))
    assert best["value"] == study.best_value
    neuralbo.delete_study(storage, name)


def test_a_study_of_python_goes_on_with_a_worker_of_the_command_line(cli: Callable[..., str], storage: str) -> None:
    name = f"python-{uuid.uuid4().hex[:8]}"
    study = neuralbo.create_study(storage=storage, study_name=name, seed=3)
    study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2 + trial.suggest_int("k", 0, 8, step=2), n_trials=3)
    cli("run", "--study", name, "--storage", storage, "--param", "x=float(-5,5)", "--param", "k=int(0,8,step=2)", "--trials", 7)
    cli("worker", name, "--storage", storage, "-q", "--", "sh", "-c", "echo {k}")
    assert [trial.state for trial in study.trials] == ["complete"] * 7
    assert all(trial.value == trial.params["k"] for trial in study.trials[3:])
    neuralbo.delete_study(storage, name)


def test_no_text_shows_the_password(storage: str) -> None:
    if not storage.startswith("postgres"):
        pytest.skip("a file has no password")
    name, secret = f"secret-{uuid.uuid4().hex[:8]}", "hunter2/a?b"
    url = storage.replace("@", f":{secret}@", 1)
    study = neuralbo.create_study(space={"x": (0.0, 1.0)}, study_name=name, storage=url)
    for text in (repr(study), str(study), repr(neuralbo.list_studies(url)), repr(pickle.dumps(study))):
        assert "hunter2" not in text
    assert ":***@" in repr(study)
    for wrong in (f"postgres://me:{secret}@127.0.0.1:1/x?patience=0", f"postgres://me:{secret}", f"password={secret} nonsense"):
        with pytest.raises((neuralbo.StorageError, ValueError)) as raised:
            neuralbo.list_studies(wrong)
        assert "hunter2" not in str(raised.value)
    neuralbo.delete_study(url, name)


def test_looking_makes_no_file(tmp_path: Path) -> None:
    for call in (lambda url: neuralbo.list_studies(url), lambda url: neuralbo.load_study(url, "s"), lambda url: neuralbo.delete_study(url, "s")):
        with pytest.raises(neuralbo.StorageError, match="does not exist"):
            call(str(tmp_path / "no.db"))
    assert list(tmp_path.iterdir()) == []
