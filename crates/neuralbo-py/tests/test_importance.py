"""Importance and its figures, against functions whose indices are known."""

import math

import pytest

import neuralbo
from neuralbo import plot


def ishigami(x):
    return math.sin(x[0]) + 7 * math.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * math.sin(x[0])


@pytest.fixture(scope="module")
def optimizer():
    found = neuralbo.Optimizer([(-math.pi, math.pi)] * 3, method="sobol", seed=1)
    points = found.ask(200)
    found.tell(points, [ishigami(x) for x in points])
    return found


@pytest.fixture(scope="module")
def study():
    def train(trial):
        x = trial.suggest_float("x", 1e-3, 1, log=True)
        kind = trial.suggest_categorical("kind", ["a", "b"])
        for step in range(3):
            trial.report(x / (step + 1), step)
        if trial.number == 3:
            raise RuntimeError("broken")
        return math.log(x) + (1 if kind == "b" else 0)

    found = neuralbo.create_study(seed=1, method="sobol")
    found.optimize(train, n_trials=20, catch=(RuntimeError,))
    return found


def test_ishigami(optimizer):
    found = optimizer.importance()
    assert found.seen == 200 and found.explained > 0.9
    for name, first, total in (("x0", 0.3139, 0.5576), ("x1", 0.4424, 0.4424), ("x2", 0.0, 0.2437)):
        assert found.first[name] == pytest.approx(first, abs=0.06)
        assert found.total[name] == pytest.approx(total, abs=0.06)
    assert found.interactions[0].parameters == ("x0", "x2")
    assert found == optimizer.importance()
    assert found != optimizer.importance(seed=1)
    lines = repr(found).splitlines()
    assert len(lines) == 4 and "(200 of 200 trials)" in lines[0] and lines[1].split()[:2] == ["x0", f"{found.total['x0']:.2f}"]
    assert f"{found.total['x1']:.2f}" in found._repr_html_()


def test_dependence(optimizer):
    curve = optimizer.partial_dependence("x1", grid=5)
    # The mean over the others is 7 sin² of it.
    assert curve.mean == pytest.approx([7 * math.sin(x) ** 2 for x in curve.values], abs=0.8)
    assert all(low <= mean <= high for low, mean, high in zip(curve.low, curve.mean, curve.high))
    surface = optimizer.partial_dependence_2d("x0", "x1", grid=4, at_trial=0)
    assert len(surface.mean) == 4 and len(surface.mean[0]) == 4 and len(surface.sd[3]) == 4


def test_choices_and_regions(study):
    found = study.importance()
    assert [effect.value for effect in found.choices["kind"]] == ["a", "b"]
    assert found.trials == 19
    assert study.importance(near_best=0.2).objective == "value"


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
def test_figures(study, optimizer, backend):
    pytest.importorskip(backend)
    for figure in (
        plot.importance(study, backend=backend),
        plot.slice(study, "x", backend=backend),
        plot.slice(study, "kind", backend=backend),
        plot.contour(study, "x", "kind", grid=4, backend=backend),
        plot.contour(optimizer, "x0", "x1", grid=4, at_trial=3, backend=backend),
        plot.timeline(study, backend=backend),
        plot.learning_curves(study, backend=backend),
    ):
        assert figure is not None


def test_curves_hold_what_was_reported(study):
    pytest.importorskip("matplotlib")
    axes = plot.learning_curves(study)
    lines = [line.get_ydata() for line in axes.get_lines()]
    assert len(lines) == 20 and all(len(line) == 3 for line in lines)
    axes = plot.timeline(study)
    assert len(axes.patches) == 20 and set(axes.get_legend_handles_labels()[1]) == {"complete", "failed"}


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda s: s.importance("speed"), ValueError, "`speed` is neither"),
        (lambda s: s.importance(near_best=2), ValueError, "near_best: found 2"),
        (lambda s: s.partial_dependence("none"), ValueError, "none"),
        (lambda s: s.partial_dependence("x", grid=1), ValueError, "grid"),
        (lambda s: plot.importance(s, backend="gnuplot"), ValueError, "backend: found 'gnuplot'"),
        (lambda s: plot.importance(3), TypeError, "int"),
        (lambda s: plot.timeline(3), TypeError, "int"),
    ],
)
def test_bad_input(study, call, error, words):
    with pytest.raises(error, match=words):
        call(study)


def test_too_few_trials():
    study = neuralbo.create_study()
    with pytest.raises(neuralbo.NoModel):
        study.importance()


def test_contours_are_of_the_most_important_parameters_unless_named(optimizer, monkeypatch):
    drawn = []
    monkeypatch.setattr(plot._dependence, "draw_surface", lambda surface, axes, dots: drawn.append((surface.x, surface.y)))
    for names in ((), ("x1",), (None, "x0")):
        plot.contour(optimizer, *names, grid=3)
    assert drawn == [("x0", "x1"), ("x1", "x0"), ("x1", "x0")]
    with pytest.raises(ValueError, match="two parameters"):
        single = neuralbo.Optimizer([(0, 1)], seed=1)
        single.add([[i / 11] for i in range(12)], [i / 11 for i in range(12)])
        plot.contour(single)
