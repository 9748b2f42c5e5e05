"""The problems have the fronts, ideal points and prices that they promise."""

import numpy as np
import pytest

from bench.objectives.hypervolume import hypervolume, nondominated
from bench.objectives.optimizers.base import centre, from_cube
from bench.objectives.problems import PAIRS, SETS, kinds, problem, select
from bench.objectives.problems import synthetic


def share(chosen, points):
    values = np.array([chosen.scaled(chosen.evaluate(params)) for params in points])
    return hypervolume(nondominated(values), [1.0] * chosen.objectives) / chosen.best


def params_of(point):
    return {f"x{i}": float(value) for i, value in enumerate(point)}


@pytest.mark.parametrize("name, volume", [("zdt1", 120 + 2 / 3), ("zdt2", 120 + 1 / 3), ("zdt3", 128.778116)])
def test_hypervolumes_of_zdt_fronts(name, volume):
    chosen = problem(f"{name}-d10")
    size = np.prod(np.subtract(chosen.reference, chosen.ideal))
    assert chosen.best * size == pytest.approx(volume, abs=1e-4)
    front = [params_of([f] + [0.0] * 9) for f in np.linspace(0.0, 1.0, 2001)]
    assert share(chosen, front) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("name, rest", [("dtlz2", 0.5), ("dtlz7", 0.0)])
def test_fronts_of_dtlz_reach_the_best_hypervolume_from_below(name, rest):
    chosen = problem(f"{name}-d06")
    grid = np.linspace(0.0, 1.0, 25)
    reached = share(chosen, [params_of([a, b] + [rest] * 4) for a in grid for b in grid])
    assert 0.9 < reached < 1.0


def test_dtlz2_is_a_sphere_of_its_distance():
    x = np.array([0.3, 0.8, 0.1, 0.9, 0.5, 0.4])
    assert np.linalg.norm(synthetic.dtlz2(x)) == pytest.approx(1.0 + np.sum((x[2:] - 0.5) ** 2))


@pytest.mark.parametrize("name", ("zdt1-d10", "zdt2-d10", "zdt3-d10", "dtlz2-d06", "dtlz7-d06", "bbob-biobj-f23-i03-d03"))
def test_no_point_is_below_the_ideal(name):
    chosen = problem(name)
    rng = np.random.default_rng(5)
    values = np.array([chosen.scaled(chosen.evaluate(chosen.space.sample(rng))) for _ in range(200)])
    assert (values >= 0.0).all()


def test_two_spheres_have_five_sixths_of_the_box():
    """Between the optima of two spheres the front is f2 = (1 - sqrt(f1))²."""
    import cocoex

    chosen = problem("bbob-biobj-f01-i01-d02")
    assert chosen.best == pytest.approx(5.0 / 6.0, abs=1e-5)
    # The instances 2 and 4 of the sphere are the ones that the suite pairs here.
    first, second = (np.array(cocoex.BareProblem("bbob", 1, 2, instance).best_parameter()) for instance in (2, 4))
    line = [params_of(first + t * (second - first)) for t in np.linspace(0.0, 1.0, 1001)]
    ends = [chosen.scaled(chosen.evaluate(params)) for params in (line[0], line[-1])]
    assert np.array(ends) == pytest.approx(np.array([[0.0, 1.0], [1.0, 0.0]]), abs=1e-9)
    assert share(chosen, line) == pytest.approx(1.0, abs=1e-3)


def test_pairs_are_those_of_the_suite():
    import cocoex

    suite = cocoex.Suite("bbob-biobj", "instances: 1", "dimensions: 2")
    for function, (first, second) in enumerate(PAIRS, 1):
        name = suite.get_problem_by_function_dimension_instance(function, 2, 1).name
        assert f"bbob_f{first:03}_" in name.split("__")[0] and f"bbob_f{second:03}_" in name.split("__")[1]
    assert kinds(1) == ("separable", "separable") and kinds(55) == ("weak structure", "weak structure")


def test_prices_of_models_are_counts():
    from bench.hpo.tasks.base import cancer, digits
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.neural_network import MLPClassifier

    from bench.objectives.problems import models

    x, y = digits()
    net = models._fitted(MLPClassifier((7, 3), max_iter=1), x, y)
    assert models.weights({"first": 7, "second": 3}) == sum(part.size for part in (*net.coefs_, *net.intercepts_))
    x, y = cancer()
    stumps = GradientBoostingClassifier(n_estimators=5, max_depth=1).fit(x, y)
    assert models.comparisons(stumps, x) == pytest.approx(5.0)


@pytest.mark.parametrize("name", ("net-digits", "boosting-cancer"))
def test_models_repeat_and_differ(name):
    chosen = problem(name)
    small, large = from_cube(chosen.space, [0.1] * 5), from_cube(chosen.space, [0.6] * 5)
    assert chosen.evaluate(small) == chosen.evaluate(small)
    assert chosen.evaluate(small) != chosen.evaluate(large)


def test_points_of_the_cube_become_parameters():
    space = problem("net-digits").space
    assert from_cube(space, [0.0] * 5)["first"] == 2 and from_cube(space, [1.0] * 5)["first"] == 64
    assert centre(space)["rate"] == pytest.approx(10**-2.5)
    for u in np.random.default_rng(0).random((50, 5)):
        space.check(from_cube(space, u))


def test_report_and_tuning_share_nothing():
    names = {group: {name for name, _ in runs} for group, runs in SETS.items()}
    assert not names["tuning"] & names["report"]
    assert set(SETS["subset"]) <= set(SETS["report"])
    assert len(select("report", ["bbob-biobj-*-d10"])) == 165


@pytest.mark.parametrize("call", [lambda: problem("zdt4-d10"), lambda: select("all"), lambda: select("quick", ["tea*"])])
def test_unknown_names_are_told(call):
    with pytest.raises(ValueError, match="known are|matches tea"):
        call()
