"""Hypervolumes against closed forms and brute force."""

import itertools

import numpy as np
import pytest

from bench.objectives.hypervolume import Archive, hypervolume, nondominated


def inclusion_exclusion(points, reference):
    """The volume of a union of boxes, summed over all subsets."""
    total = 0.0
    for size in range(1, len(points) + 1):
        for subset in itertools.combinations(points, size):
            corner = np.max(subset, axis=0)
            total -= (-1.0) ** size * np.prod(np.maximum(reference - corner, 0.0))
    return total


def test_one_point_is_a_box():
    assert hypervolume([(1.0, 2.0)], (4.0, 4.0)) == pytest.approx(6.0)
    assert hypervolume([(1.0, 2.0, 3.0)], (4.0, 4.0, 4.0)) == pytest.approx(6.0)


def test_points_beyond_the_reference_add_nothing():
    assert hypervolume([(1.0, 5.0), (5.0, 1.0), (4.0, 0.0)], (4.0, 4.0)) == 0.0
    assert hypervolume([], (1.0, 1.0)) == 0.0


@pytest.mark.parametrize("objectives", (2, 3, 4))
def test_against_inclusion_and_exclusion(objectives):
    rng = np.random.default_rng(objectives)
    for _ in range(20):
        points = rng.integers(0, 8, size=(7, objectives)).astype(float)
        reference = np.full(objectives, 7.0)
        assert hypervolume(points, reference) == pytest.approx(inclusion_exclusion(points, reference))


def test_nondominated_keeps_one_of_each():
    points = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 2.0], [3.0, 0.0]])
    assert nondominated(points).tolist() == [[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]]


@pytest.mark.parametrize("objectives", (2, 3))
def test_an_archive_has_the_hypervolume_of_all_its_points(objectives):
    rng = np.random.default_rng(objectives)
    points = rng.random((60, objectives)) * 1.2
    archive = Archive([1.0] * objectives)
    grown = [archive.add(point) for point in points]
    expected = [hypervolume(points[: count + 1], [1.0] * objectives) for count in range(len(points))]
    assert grown == pytest.approx(expected)
    assert grown == sorted(grown)
