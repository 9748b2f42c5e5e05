"""The problems with several objectives have the fronts and ideal points that they promise."""

import numpy as np
import pytest

from bench.peers import Outcome
from bench.tasks import get
from bench.tasks.objectives import PAIRS


def loss(task, points):
    """Of points of the box."""
    params = [{param.name: float(x) for param, x in zip(task.space.params, point)} for point in points]
    return task.loss([(p, task.evaluate(p, 0)) for p in params])


@pytest.mark.parametrize("name", ("zdt1", "zdt2", "zdt3"))
def test_fronts_of_zdt_have_the_whole_hypervolume(name):
    front = [[f] + [0.0] * 9 for f in np.linspace(0.0, 1.0, 2001)]
    assert loss(get(f"{name}-d10"), front) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("name, rest", [("dtlz2", 0.5), ("dtlz7", 0.0)])
def test_fronts_of_dtlz_reach_the_best_hypervolume_from_below(name, rest):
    grid = np.linspace(0.0, 1.0, 25)
    assert 0.0 < loss(get(f"{name}-d06"), [[a, b] + [rest] * 4 for a in grid for b in grid]) < 0.1


@pytest.mark.parametrize("name", ("zdt1-d10", "zdt2-d10", "zdt3-d10", "dtlz2-d06", "dtlz7-d06"))
def test_no_point_is_below_the_ideal(name):
    task, rng = get(name), np.random.default_rng(5)
    values = np.array([task.evaluate(task.space.sample(rng), 0).values for _ in range(200)])
    assert (values >= np.array(task.ideal) - 1e-9).all()


def test_points_beyond_the_reference_add_nothing():
    task = get("zdt1-d05")
    assert task.loss([({}, Outcome((12.0, 0.5)))]) == 1.0
    assert task.loss([({}, Outcome((0.0, 0.0)))]) == pytest.approx(1.0 - 121.0 / (120 + 2 / 3))


def test_two_spheres_have_five_sixths_of_the_box():
    """Between the optima of two spheres the front is f2 = (1 - sqrt(f1))²."""
    cocoex = pytest.importorskip("cocoex")
    task = get("bbob-biobj-f01-d02").instance(0)
    assert task.best == pytest.approx(5.0 / 6.0, abs=1e-5)
    # The instances 2 and 4 of the sphere are the ones that the suite pairs here.
    first, second = (np.array(cocoex.BareProblem("bbob", 1, 2, instance).best_parameter()) for instance in (2, 4))
    assert loss(task, [first + t * (second - first) for t in np.linspace(0.0, 1.0, 1001)]) == pytest.approx(0.0, abs=1e-3)


def test_pairs_are_those_of_the_suite():
    cocoex = pytest.importorskip("cocoex")
    suite = cocoex.Suite("bbob-biobj", "instances: 1", "dimensions: 2")
    for function, (first, second) in enumerate(PAIRS, 1):
        name = suite.get_problem_by_function_dimension_instance(function, 2, 1).name
        assert f"bbob_f{first:03}_" in name.split("__")[0] and f"bbob_f{second:03}_" in name.split("__")[1]


def test_costs_of_models_are_counts():
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.neural_network import MLPClassifier

    from bench.tasks import models
    from bench.tasks.tuning import cancer, digits

    net = models._fitted(MLPClassifier((7, 3), max_iter=1), *digits())
    assert models.weights({"first": 7, "second": 3}) == sum(part.size for part in (*net.coefs_, *net.intercepts_))
    x, y = cancer()
    stumps = GradientBoostingClassifier(n_estimators=5, max_depth=1).fit(x, y)
    assert models.comparisons(stumps, x) == pytest.approx(5.0)


@pytest.mark.parametrize("name", ("net-digits", "boosting-cancer"))
def test_models_repeat_and_differ(name):
    task = get(name)
    small, large = task.space.at([0.1] * 5), task.space.at([0.6] * 5)
    assert task.evaluate(small, 0) == task.evaluate(small, 1) != task.evaluate(large, 0)
