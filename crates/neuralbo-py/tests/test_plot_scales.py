"""Scales: where values lie on an axis, which values a cut visits, which ticks are written."""

from typing import Any

import pytest

import neuralbo
from neuralbo.plot._scales import Scale, scale_from_values, scale_of, word


@pytest.mark.parametrize(
    "scale, value, position",
    [
        (Scale("a", 1e-4, 1.0, log=True), 1e-2, 0.5),
        (Scale("a", -1.0, 3.0), 0.0, 0.25),
        (Scale("a", 2.0, 2.0), 2.0, 0.5),
        (Scale("a", choices=("x", "y", "z")), "z", 1.0),
        (Scale("a", choices=(1, True)), True, 1.0),
    ],
)
def test_scales_place_values(scale: Scale, value: Any, position: float) -> None:
    assert scale.position(value) == pytest.approx(position)


def test_grids_hold_only_values_of_the_parameter() -> None:
    assert scale_of("a", neuralbo.Int(1, 4)).grid(100) == [1, 2, 3, 4]
    assert scale_of("a", neuralbo.Int(1, 1000, log=True)).grid(4) == [1, 10, 100, 1000]
    assert scale_of("a", neuralbo.Float(0.0, 1.0, step=0.25)).grid(50) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert scale_of("a", neuralbo.Float(0.0, 1.0, step=0.3)).grid(50) == pytest.approx([0.0, 0.3, 0.6, 0.9])
    assert scale_of("a", neuralbo.Int(0, 10, step=4)).grid(2) == [0, 8]
    assert scale_of("a", neuralbo.Bool()).grid(50) == [False, True]
    wide = scale_of("a", neuralbo.Int(0, 10**6)).grid(11)
    assert wide == [k * 10**5 for k in range(11)]


def test_scales_without_a_space_follow_the_values() -> None:
    assert scale_from_values("a", [3, 1, 2]) == Scale("a", 1.0, 3.0, whole=True)
    assert scale_from_values("a", [True, False]).choices == (True, False)
    assert scale_from_values("a", ["x", "y", "x"]).choices == ("x", "y")


def test_words_of_choices_are_short() -> None:
    assert [word(choice) for choice in (0.1 + 0.2, 3, "relu", None, "a very long name")] == ["0.3", "3", "relu", "None", "a very long n…"]


@pytest.mark.parametrize(
    "scale",
    [
        Scale("a", 1e-5, 0.1, log=True),
        Scale("a", 0.0, 0.47),
        Scale("a", -3.0, 7000.0),
        Scale("a", 2.0, 900.0, log=True, whole=True),
    ],
)
def test_ticks_include_the_ends_and_do_not_touch(scale: Scale) -> None:
    places = [place for place, _ in scale.ticks()]
    assert (places[0], places[-1]) == (pytest.approx(0.0), pytest.approx(1.0))
    assert all(b - a > 0.05 for a, b in zip(places, places[1:]))
