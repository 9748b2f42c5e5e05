"""Figures: what they show is read back from matplotlib's artists and compared with the trials."""

import math
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import driven, refused

import neuralbo

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from neuralbo import plot  # noqa: E402
from neuralbo.plot._scales import Scale  # noqa: E402
from neuralbo.plot._slices import cut_along  # noqa: E402

SPACE = neuralbo.Space(
    {
        "lr": neuralbo.Float(1e-4, 1.0, log=True),
        "layers": neuralbo.Int(1, 4),
        "kind": neuralbo.Categorical(["relu", "gelu", "tanh"]),
        "bias": neuralbo.Bool(),
    }
)


def loss(params: dict[str, Any]) -> float:
    kind = {"relu": 0.2, "gelu": 0.0, "tanh": 0.6}[params["kind"]]
    return float((math.log10(params["lr"]) + 2) ** 2 + 0.1 * params["layers"] + kind + 0.1 * params["bias"])


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def mixed() -> neuralbo.Optimizer:
    optimizer = neuralbo.Optimizer(SPACE, seed=2)
    for number in range(24):
        point = optimizer.ask()
        optimizer.tell(point, None if number % 8 == 5 else loss(point))
    return optimizer


@pytest.fixture(scope="module")
def box() -> neuralbo.Optimizer:
    return driven(neuralbo.Optimizer([(-2.0, 2.0), (0.0, 1.0)], seed=3), lambda point: float((point[0] - 1) ** 2 + point[1]), 16)


def drawn(ax: Axes) -> None:
    ax.figure.canvas.draw()


def fake(values: list[Any], direction: str = "minimize", **state: Any) -> neuralbo.Study:
    """A study with one trial for each value; None is a failure."""
    study = neuralbo.create_study(space={"x": (0.0, 1.0)}, direction=direction)
    for value in values:
        study.add_trial({"x": 0.5}, value, **(state if value is None else {}))
    return study


def curve(ax: Axes, index: int = 0) -> list[tuple[float, float]]:
    line = [one for one in ax.lines if one.get_drawstyle() == "steps-post"][index]
    return [(float(x), float(y)) for x, y in zip(line.get_xdata(), line.get_ydata())]


def test_convergence_shows_the_best_so_far() -> None:
    ax = plot.convergence(fake([5.0, 7.0, None, 3.0, 4.0]))
    drawn(ax)
    assert curve(ax) == [(1, 5.0), (2, 5.0), (3, 5.0), (4, 3.0), (5, 3.0)]


def test_convergence_of_a_maximization_rises() -> None:
    ax = plot.convergence(fake([1.0, None, 3.0, 2.0], "maximize"))
    assert [value for _, value in curve(ax)] == [1.0, 1.0, 3.0, 3.0]
    assert "larger" in ax.get_ylabel()


def test_convergence_of_maximize_rises() -> None:
    result = neuralbo.maximize(lambda x: float(-abs(x[0] - 0.3)), [(0, 1)], n_trials=8, seed=1)
    values = [value for _, value in curve(plot.convergence(result))]
    assert values == sorted(values)
    assert values[-1] == result.fun


def test_convergence_tells_curves_apart_without_colour() -> None:
    sources = [fake([3.0, 2.0]), fake([4.0, 1.0]), fake([5.0, 0.5])]
    ax = plot.convergence(*sources, labels=["a", "b", "c"])
    drawn(ax)
    styles = {line.get_linestyle() for line in ax.lines if line.get_drawstyle() == "steps-post"}
    assert len(styles) == 3
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]


def test_convergence_draws_into_given_axes_and_on_a_log_axis_where_values_span_much() -> None:
    _, ax = plt.subplots()
    assert plot.convergence(fake([1000.0, 1.0]), ax=ax) is ax
    assert ax.get_yscale() == "log"
    assert plot.convergence(fake([3.0, -1.0])).get_yscale() == "linear"


def test_convergence_takes_results_studies_and_optimizers_together(box: neuralbo.Optimizer) -> None:
    result = neuralbo.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=5, seed=1)
    study = neuralbo.create_study(study_name="named", seed=1)
    study.optimize(lambda trial: trial.suggest_float("a", 0.0, 1.0), n_trials=4)
    ax = plot.convergence(result, study, box)
    drawn(ax)
    assert [len(curve(ax, index)) for index in range(3)] == [5, 4, 16]
    assert "named" in ax.get_legend_handles_labels()[1]


def test_convergence_of_failures_only_is_an_empty_curve() -> None:
    drawn(plot.convergence(fake([None, None])))


def test_pruned_trials_are_called_pruned() -> None:
    source = fake([1.0, None, 0.5], state="pruned")
    assert "pruned" in plot.convergence(source).get_legend_handles_labels()[1]
    assert "pruned (1)" in plot.parallel_coordinates(source).get_legend_handles_labels()[1]


def test_slices_draw_the_models_own_predictions(box: neuralbo.Optimizer) -> None:
    figure = plot.slices(box, at=[0.5, 0.25], points=7)
    figure.canvas.draw()
    line = next(line for line in figure.axes[0].lines if line.get_label() == "mean")
    cut = [-2.0 + 4.0 * k / 6 for k in range(7)]
    mean, _ = box.predict([[x, 0.25] for x in cut])
    assert list(line.get_xdata()) == pytest.approx(cut)
    assert list(line.get_ydata()) == pytest.approx(list(mean))


def test_the_band_holds_ninety_percent(box: neuralbo.Optimizer) -> None:
    cut = cut_along(box, Scale("x1", 0.0, 1.0), {"x0": 0.5, "x1": 0.0}, 3)
    _, sd = box.predict([[0.5, 0.0], [0.5, 0.5], [0.5, 1.0]])
    # 1.6449 standard deviations to either side by the tables of the normal distribution.
    widths = [(high - low) / 2 for low, high in zip(cut.low, cut.high)]
    assert widths == pytest.approx([1.6449 * float(one) for one in sd], rel=1e-3)


def test_slices_cut_through_the_best_point(box: neuralbo.Optimizer) -> None:
    figure = plot.slices(box, points=5)
    assert box.best is not None
    places = [next(line for line in ax.lines if line.get_linestyle() == "--").get_xdata()[0] for ax in figure.axes]
    assert places == pytest.approx(list(box.best.x))


def test_slices_of_mixed_spaces_have_log_axes_and_words(mixed: neuralbo.Optimizer) -> None:
    figure = plot.slices(mixed, points=12)
    figure.canvas.draw()
    axes = {ax.get_xlabel(): ax for ax in figure.axes if ax.get_visible()}
    assert list(axes) == ["lr", "layers", "kind", "bias"]
    assert axes["lr"].get_xscale() == "log"
    assert [tick.get_text() for tick in axes["kind"].get_xticklabels()] == ["relu", "gelu", "tanh"]
    assert [tick.get_text() for tick in axes["bias"].get_xticklabels()] == ["False", "True"]


def test_slices_of_a_study_fit_a_model_to_its_trials() -> None:
    study = neuralbo.create_study(space={"a": neuralbo.Float(0, 1), "b": neuralbo.Float(0, 1)}, method="gp-ei", initial=4, seed=1)
    study.optimize(lambda trial: (trial.suggest_float("a", 0, 1) - 0.4) ** 2 + trial.suggest_float("b", 0, 1), n_trials=10)
    figure = plot.slices(study, points=9)
    assert [ax.get_xlabel() for ax in figure.axes] == ["a", "b"]


def test_slices_do_not_let_a_wide_band_hide_the_means() -> None:
    optimizer = neuralbo.Optimizer({"a": neuralbo.Float(0, 1), "kind": neuralbo.Categorical(["known", "new"])}, seed=1)
    for k in range(9):
        optimizer.add({"a": k / 8, "kind": "known"}, (k / 8) ** 2)

    def predict(points: Any) -> tuple[list[float], list[float]]:
        return [point["a"] ** 2 for point in points], [1000.0 if point["kind"] == "new" else 0.0 for point in points]

    source = SimpleNamespace(
        predict=predict, trials=optimizer.trials, space=optimizer.space, objectives=optimizer.objectives, direction="minimize"
    )
    low, high = plot.slices(source, points=9).axes[0].get_ylim()
    assert -1.0 < low < 0.0 and 1.0 < high < 2.0


def test_parallel_coordinates_have_a_line_for_each_trial(mixed: neuralbo.Optimizer) -> None:
    ax = plot.parallel_coordinates(mixed)
    drawn(ax)
    lines = [line for line in ax.lines if len(line.get_xdata()) == 5]
    dotted = [line for line in ax.lines if line.get_linestyle() == ":" and len(line.get_xdata()) == 4]
    assert (len(lines), len(dotted)) == (21, 3)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["lr", "layers", "kind", "bias", "value"]
    assert {"relu", "gelu", "tanh", "False", "True", "0.0001", "1"} <= {text.get_text() for text in ax.texts}


def test_parallel_coordinates_mark_the_best(mixed: neuralbo.Optimizer) -> None:
    ax = plot.parallel_coordinates(mixed)
    best = next(line for line in ax.lines if line.get_label() == "best")
    heights = [float(height) for height in best.get_ydata()]
    assert mixed.best is not None
    point = mixed.best.x
    kind = ["relu", "gelu", "tanh"].index(point["kind"]) / 2
    expected = [(math.log10(point["lr"]) + 4) / 4, (point["layers"] - 1) / 3, kind, float(point["bias"]), 0.0]
    assert heights == pytest.approx(expected)


def test_parallel_coordinates_of_results_and_studies() -> None:
    result = neuralbo.minimize(loss, SPACE, n_trials=6, seed=1)
    drawn(plot.parallel_coordinates(result))
    study = neuralbo.create_study(direction="maximize", seed=1)
    study.optimize(lambda trial: trial.suggest_int("layers", 1, 4) + trial.suggest_float("a", 0.1, 10.0, log=True), n_trials=5)
    ax = plot.parallel_coordinates(study)
    best = next(line for line in ax.lines if line.get_label() == "best")
    assert best.get_ydata()[-1] == 1.0


def pool() -> neuralbo.Optimizer:
    return driven(neuralbo.Optimizer(pool=[[0.0], [1.0], [2.0]], seed=1), float, 1)


@pytest.mark.parametrize("call, kind, word", [
    (lambda box: plot.convergence(), ValueError, "at least one"),
    (lambda box: plot.convergence(fake([1.0]), labels=["a", "b"]), ValueError, "labels: found 2 for 1"),
    (lambda box: plot.convergence(3), TypeError, "found int"),
    (lambda box: plot.slices(box, points=1), ValueError, "points: found 1"),
    (lambda box: plot.slices(box, at=[0.5]), ValueError, "at: found"),
    (lambda box: plot.slices(neuralbo.Optimizer([(0, 1)], seed=1)), ValueError, "at least one complete trial"),
    (lambda box: plot.slices(pool()), ValueError, "pool"),
    (lambda box: plot.parallel_coordinates(fake([None])), ValueError, "at least one complete trial"),
    (lambda box: plot.pareto(fake([1.0])), ValueError, "needs several objectives; found 1"),
    (lambda box: plot.hypervolume(fake([1.0])), ValueError, "needs several objectives"),
    (lambda box: plot.outcome_constraints(fake([1.0])), ValueError, "outcome constraints, found none"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(box: neuralbo.Optimizer, call: Any, kind: type, word: str) -> None:
    with refused(kind, [word]):
        call(box)


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = None\n"
        "import neuralbo\nfrom neuralbo import plot\n"
        "result = neuralbo.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=3, seed=1, method='random')\n"
        "plot.convergence(result)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "ImportError: neuralbo.plot needs matplotlib: pip install neuralbo[plot]" in done.stderr
