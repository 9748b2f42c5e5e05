"""Conditions: parameters that exist only under certain values of others."""

import json
import sys
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
from conftest import driven, refused

import neuralbo
from neuralbo import Bool, Categorical, Fixed, Float, Int, Optimizer, Ordinal, Space

SVM = {
    "kernel": Categorical(["rbf", "poly", "linear"]),
    "C": Float(1e-3, 1e3, log=True),
    "gamma": Float(1e-4, 1.0, log=True, when="kernel in (rbf, poly)"),
    "degree": Int(2, 5, when={"kernel": "poly"}),
    "shrinking": Bool(when={"kernel": ["rbf", "poly"], "size": "large"}),
    "size": Ordinal(["small", "medium", "large"]),
    "cache": Fixed(200, when="size >= medium"),
}


def expected(point: Dict[str, Any]) -> set:
    """The parameters a point of `SVM` has, written down once more."""
    names = {"kernel", "C", "size"}
    curved = point["kernel"] in ("rbf", "poly")
    if curved:
        names.add("gamma")
    if point["kernel"] == "poly":
        names.add("degree")
    if curved and point["size"] == "large":
        names.add("shrinking")
    if point["size"] != "small":
        names.add("cache")
    return names


@pytest.mark.parametrize("method", ["neuralbo", "random", "gp-ei", "sobol"])
def test_points_have_exactly_their_active_parameters(method: str) -> None:
    optimizer = Optimizer(SVM, method=method, seed=1)
    for _ in range(25):
        point = optimizer.ask()
        assert set(point) == expected(point), point
        assert optimizer.space.check(point) == point and optimizer.space.active(point) == list(point)
        optimizer.tell(point, len(point) + abs(point.get("gamma", 0.5) - 0.1))
    assert set(optimizer.best.x) == expected(optimizer.best.x)


def test_a_result_has_no_inactive_names() -> None:
    result = neuralbo.minimize(lambda p: p["C"] + ("gamma" in p) + ("cache" in p), SVM, n_trials=40, seed=1)
    assert set(result.x) == {"kernel", "C", "size"} == set(result.x_model)
    assert result.x["kernel"] == "linear" and result.x["size"] == "small"


def test_conditions_are_part_of_a_space_and_of_its_file() -> None:
    assert Space(SVM) != Space({**SVM, "degree": Int(2, 5)})
    assert Space(SVM).to_dict()["degree"] == {"type": "int", "low": 2, "high": 5, "if": 'kernel == "poly"'}


def test_texts_and_dicts_say_the_same() -> None:
    assert Float(0, 1, when={"a": "x"}) == Float(0, 1, when='a=="x"')
    assert Int(1, 2, when={"a": ["x", 1, None], "b": True}).when == 'a in ("x", 1, null) and b == true'
    assert Bool(when={"weight-decay": 0.5}).when == "`weight-decay` == 0.5"
    assert Float(0, 1) == Float(0, 1, when=None) and repr(Float(0, 1)) == "Float(low=0.0, high=1.0, log=False, step=None)"


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"kernel": "linear", "C": 1.0, "size": "small", "gamma": 0.1}, ["gamma", "0.1", "kernel in"]),
        ({"kernel": "rbf", "C": 1.0, "size": "small"}, ["gamma"]),
        ({"kernel": "rbf", "C": 1.0, "gamma": 0.1, "size": "huge"}, ["size", "huge", "small"]),
    ],
)
def test_points_with_too_much_or_too_little_are_refused(point: Dict[str, Any], words: list) -> None:
    with refused(ValueError, words):
        Space(SVM).check(point)
    optimizer = Optimizer(SVM, seed=1)
    with pytest.raises(ValueError):
        optimizer.add(point, 1.0)


def test_tables_have_gaps_where_a_parameter_was_inactive() -> None:
    pandas = pytest.importorskip("pandas")
    study = neuralbo.create_study(space=SVM, seed=1)
    study.optimize(lambda trial: float(len(trial.params)), n_trials=12)
    frame = study.trials_dataframe()
    for trial, gap in zip(study.trials, frame["params_gamma"].isna()):
        assert gap == ("gamma" not in trial.params)
    copy = neuralbo.create_study(space=SVM, seed=1)
    copy.add_trials(frame)
    assert [trial.params for trial in copy.trials] == [trial.params for trial in study.trials]
    assert isinstance(frame, pandas.DataFrame)


def test_cards_and_plots_show_what_a_point_has() -> None:
    pytest.importorskip("matplotlib")
    from neuralbo import plot

    result = neuralbo.minimize(lambda p: p["C"] + ("gamma" in p) + ("cache" in p), SVM, n_trials=20, seed=1)
    assert {name for name in SVM if f">{name}<" in result._repr_html_()} == set(result.x) != set(SVM)
    plot.parallel_coordinates(result)
    optimizer = driven(Optimizer(SVM, seed=1), lambda point: len(point) + point["C"] / 1e3, 15)
    shown = [ax.get_xlabel() for ax in plot.slices(optimizer, points=9).axes if ax.get_visible()]
    assert shown == [name for name in optimizer.best.x if name != "cache"]
    with pytest.raises(ValueError, match="degree"):
        plot.slices(optimizer, at={"kernel": "poly", "C": 1.0, "gamma": 0.1, "size": "small"})


EXAMPLE = ["kernel=choice(rbf,linear)", "C=float(1e-3,1e3,log)", "gamma=float(1e-4,1,log) if kernel == rbf"]
SAME = {
    "kernel": Categorical(["rbf", "linear"]),
    "C": Float(1e-3, 1e3, log=True),
    "gamma": Float(1e-4, 1, log=True, when="kernel == rbf"),
}


def score(params: Dict[str, Any]) -> float:
    return abs(params["C"] - 1.0) + (abs(params["gamma"] - 0.1) if params["kernel"] == "rbf" else 2.0)


def test_the_command_line_and_python_store_the_same(cli: Callable[..., str], storage: str, tmp_path: Path) -> None:
    """Same space, same seed, same values: the stored parameters of both are the same, trial by trial."""
    program = tmp_path / "score.py"
    program.write_text(
        "import json, os\np = json.loads(os.environ['NEURALBO_PARAMS'])\n"
        "print(abs(p['C'] - 1.0) + (abs(p['gamma'] - 0.1) if p['kernel'] == 'rbf' else 2.0))\n"
    )
    options = [part for text in EXAMPLE for part in ("--param", text)]
    cli("run", "--storage", storage, "--study", "cli", *options, "--trials", 12, "--seed", 5, "--", sys.executable, program)
    stored = neuralbo.load_study(storage, "cli")
    assert stored.space == Space(SAME)
    study = neuralbo.create_study(storage=storage, study_name="python", space=SAME, seed=5)
    study.optimize(lambda trial: score(trial.params), n_trials=12)
    assert [trial.params for trial in study.trials] == [trial.params for trial in stored.trials]
    for trial in study.trials:
        assert set(trial.params) == ({"kernel", "C", "gamma"} if trial.params["kernel"] == "rbf" else {"kernel", "C"})
    listed = json.loads(cli("trials", "python", "--storage", storage, "--json"))
    assert [line["params"] for line in listed] == [trial.params for trial in study.trials]
