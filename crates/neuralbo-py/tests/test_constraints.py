"""Known constraints: what every proposed point satisfies."""

import pickle
from typing import Any, Callable, Dict

import pytest

import neuralbo
from neuralbo import Categorical, Float, Int, Optimizer, Space

BOX = [(0.0, 1.0), (0.0, 1.0)]
MIXED = {"x": Float(0, 1), "n": Int(1, 9), "kernel": Categorical(["rbf", "linear"])}


def diagonal(x: Any) -> bool:
    return bool(x[0] + x[1] <= 1.0)


def small_if_linear(point: Dict[str, Any]) -> bool:
    return point["kernel"] != "linear" or point["n"] <= 3


@pytest.mark.parametrize("constraint", ["x0 + x1 <= 1", diagonal])
def test_every_point_satisfies_them(constraint: Any) -> None:
    seen = []

    def value(x: Any) -> float:
        seen.append(x)
        return float(-(x[0] + 2 * x[1]))

    result = neuralbo.minimize(value, BOX, n_trials=30, seed=1, constraints=[constraint])
    assert len(seen) == 30 and all(x[0] + x[1] <= 1.0 for x in seen)
    assert result.fun < -1.9, "the best point is at the border"


def test_texts_and_functions_over_names_go_together() -> None:
    optimizer = Optimizer(MIXED, constraints=["x * n <= 4", small_if_linear], seed=1)
    for _ in range(40):
        point = optimizer.ask()
        assert point["x"] * point["n"] <= 4 and small_if_linear(point), point
        optimizer.tell(point, -point["x"] * point["n"])
    assert optimizer.space.constraints == ("x * n <= 4", small_if_linear)


def test_constraints_of_a_space_and_of_an_optimizer_add_up() -> None:
    space = Space(MIXED, constraints=["x*n <= 4"])
    assert space.constraints == ("x * n <= 4",)
    assert Optimizer(space, constraints=["n >= 2"]).space == Space(MIXED, constraints=["x * n <= 4", "n >= 2"])
    assert Optimizer(space).space == space != Space(MIXED)


def test_expressions_are_written_to_files_and_functions_are_pickled() -> None:
    assert Space(MIXED, constraints=["x * n <= 4"]).to_dict()["constraints"] == ["x * n <= 4"]
    with_function = Space(MIXED, constraints=[small_if_linear])
    assert pickle.loads(pickle.dumps(with_function)) == with_function
    with pytest.raises(ValueError, match="small_if_linear.* function"):
        with_function.to_dict()


def test_a_function_has_no_state() -> None:
    with pytest.raises(ValueError, match="diagonal.* function"):
        Optimizer(BOX, constraints=[diagonal], seed=2).state()


def test_a_function_cannot_be_stored(storage: str) -> None:
    with pytest.raises(ValueError, match="small_if_linear.* function.* expression"):
        neuralbo.create_study(storage=storage, study_name="s", space=MIXED, constraints=[small_if_linear])
    study = neuralbo.create_study(space=MIXED, constraints=[small_if_linear], seed=1)
    study.optimize(lambda trial: float(small_if_linear(trial.params)), n_trials=10)
    assert study.best_value == 1.0 and study.space.constraints == (small_if_linear,)


def test_constraints_of_a_stored_study_are_those_of_the_command_line(cli: Callable[..., str], storage: str) -> None:
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    study = neuralbo.create_study(storage=storage, study_name="s", space=space, constraints=["x + y <= 1"], seed=3)
    study.optimize(lambda trial: -trial.params["x"] - 2 * trial.params["y"], n_trials=5)
    same = ("--param", "x=float(0,1)", "--param", "y=float(0,1)", "--constraint", "x + y <= 1")
    cli("run", "--storage", storage, "--study", "s", *same, "--trials", 10, "--", "sh", "-c", "echo {x}")
    trials = neuralbo.load_study(storage, "s").trials
    assert len(trials) == 10 and all(trial.params["x"] + trial.params["y"] <= 1 for trial in trials)
    assert neuralbo.load_study(storage, "s").space == Space(space, constraints=["x + y <= 1"])


def test_what_a_function_raises_reaches_the_caller() -> None:
    def broken(point: Any) -> bool:
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"):
        Optimizer(BOX, constraints=[broken])
    calls = []

    def later(point: Any) -> bool:
        calls.append(point)
        if len(calls) > 200:
            raise KeyError("too late")
        return True

    with pytest.raises(KeyError, match="too late"):
        neuralbo.minimize(lambda x: x[0], BOX, n_trials=500, seed=1, constraints=[later], method="random")


def test_points_that_violate_a_constraint_are_refused_but_known_results_teach() -> None:
    space = Space(MIXED, constraints=["x * n <= 4"])
    with pytest.raises(ValueError, match=r"x = 0.9.* violate .*x \* n <= 4"):
        space.check({"x": 0.9, "n": 9, "kernel": "rbf"})
    optimizer = Optimizer(space, seed=1)
    optimizer.add({"x": 0.9, "n": 9, "kernel": "rbf"}, 1.0)
    assert optimizer.n_told == 1
