"""Figures of several objectives and outcome constraints."""

from typing import Any

import pytest

import neuralbo

pytest.importorskip("matplotlib")

from neuralbo import plot  # noqa: E402


@pytest.fixture(scope="module")
def found() -> neuralbo.Result:
    return neuralbo.minimize(
        lambda x: {"a": x[0] ** 2, "b": (x[0] - 1) ** 2, "c": x[1], "size": x[0]},
        [(-1, 2), (0, 1)],
        objectives=["a:minimize", "b:minimize", "c:maximize"],
        outcome_constraints=["0.1 <= size <= 0.9"],
        reference={"a": 4.0, "b": 4.0, "c": 0.0},
        method="random",
        n_trials=30,
        seed=1,
    )


def points(ax: Any, label: str) -> Any:
    return next(one.get_offsets() for one in ax.collections if str(one.get_label()).startswith(label))


def test_the_front_stands_out_among_all_trials(found: neuralbo.Result) -> None:
    ax = plot.pareto(found, objectives=["c", "a"])
    front = sorted((trial.measured["c"], trial.measured["a"]) for trial in found.front)
    assert sorted(map(tuple, points(ax, "Pareto front").tolist())) == front
    infeasible = [trial for trial in found.history if not trial.feasible]
    assert len(points(ax, "not feasible")) == len(infeasible) > 0
    assert ax.get_xlabel() == "c (larger is better)" and ax.get_ylabel() == "a (smaller is better)"
    [reference] = [line for line in ax.lines if line.get_label() == "reference point"]
    assert (reference.get_xdata()[0], reference.get_ydata()[0]) == (0.0, 4.0)


def test_the_hypervolume_grows(found: neuralbo.Result) -> None:
    ax = plot.hypervolume(found, found, labels=["one", "two"])
    heights = list(ax.lines[0].get_ydata())
    assert heights == sorted(heights) and heights[-1] == pytest.approx(found.hypervolume) and len(heights) == 30


def test_constraints_are_drawn_with_their_bounds(found: neuralbo.Result) -> None:
    [ax] = plot.outcome_constraints(found).axes
    satisfied = [trial for trial in found.history if trial.feasible]
    assert len(points(ax, "satisfied")) == len(satisfied) and len(points(ax, "violated")) == 30 - len(satisfied)
    assert {float(line.get_ydata()[0]) for line in ax.lines} == {0.1, 0.9}
    assert ax.get_title(loc="left") == "0.1 <= size <= 0.9"


def test_a_study_is_drawn_like_a_result() -> None:
    study = neuralbo.create_study(objectives=["a:minimize", "b:minimize"], space={"x": (0.0, 1.0)}, method="random")
    for x in (0.1, 0.5, 0.9):
        study.add_trial({"x": x}, (x, 1 - x))
    assert len(points(plot.pareto(study), "Pareto front")) == 3
    assert len(plot.hypervolume(study).lines[0].get_ydata()) == 3


def test_a_plane_has_two_objectives(found: neuralbo.Result) -> None:
    with pytest.raises(ValueError, match="two of a, b, c"):
        plot.pareto(found, objectives=["a", "size"])
