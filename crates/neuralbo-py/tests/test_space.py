"""Spaces: domains, points and their forms."""

import json
import pickle

import pytest
from conftest import refused
from test_conditions import SVM

from neuralbo import Bool, Categorical, Fixed, Float, Int, Ordinal, Space

EVERYTHING = {
    "lr": Float(1e-5, 1e-1, log=True),
    "momentum": Float(0.0, 1.0, step=0.25),
    "layers": Int(1, 4),
    "width": Int(16, 64, step=16),
    "units": Int(1, 1024, log=True),
    "opt": Categorical(["adam", "sgd", None]),
    "size": Ordinal(["small", "medium", "large"]),
    "bias": Bool(),
    "seed": Fixed(42),
}


def test_order_and_names_are_kept() -> None:
    space = Space(EVERYTHING)
    assert space.names == list(EVERYTHING) and len(space) == 9
    assert space["layers"] == Int(1, 4)


def test_pairs_are_floats_and_scalars_are_fixed() -> None:
    assert Space({"x": (0, 1), "k": 3, "word": "a"}) == Space({"x": Float(0, 1), "k": Fixed(3), "word": Fixed("a")})


CONSTRAINED = Space({"x": (0, 1), "n": Int(1, 9), "constraints": Int(1, 2)}, constraints=["x * n <= 4", "n == 2 or x <= 0.5"])


@pytest.mark.parametrize("space", [Space(EVERYTHING), Space(SVM), CONSTRAINED], ids=["everything", "conditions", "constraints"])
def test_a_space_survives_json_pickle_its_repr_and_the_engine(space: Space) -> None:
    assert Space.from_dict(json.loads(json.dumps(space.to_dict()))) == space
    again = pickle.loads(pickle.dumps(space))
    assert again == space and hash(again) == hash(space)
    assert eval(repr(space)) == space == Space._from_core(space._core)


def test_points_are_checked_and_brought_to_their_types() -> None:
    point = {"lr": 0.01, "momentum": 0.5, "layers": 2.0, "width": 32, "units": 5, "opt": None, "size": "small", "bias": True}
    checked = Space(EVERYTHING).check(point)
    assert checked == {**point, "seed": 42} and list(checked) == list(EVERYTHING)
    assert isinstance(checked["layers"], int)


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"lr": 2.0}, ValueError, ["lr", "2.0", "1e-5 to 0.1"]),
        ({"lr": "0.01"}, TypeError, ["lr", "0.01", "number"]),
        ({"lr": float("nan")}, ValueError, ["lr", "NaN"]),
        ({"momentum": 0.3}, ValueError, ["momentum", "0.3", "0.25"]),
        ({"momentum": "a"}, TypeError, ["momentum", "`a`"]),
        ({"layers": 2.5}, ValueError, ["layers", "2.5", "1 to 4"]),
        ({"layers": 10**30}, ValueError, ["layers", "64 bits"]),
        ({"width": 17}, ValueError, ["width", "17"]),
        ({"opt": "lion"}, ValueError, ["opt", "lion", "adam"]),
        ({"opt": [1]}, ValueError, ["opt", "[1]", "adam"]),
        ({"opt": object()}, TypeError, ["opt", "object"]),
        ({"size": "huge"}, ValueError, ["size", "huge", "medium"]),
        ({"seed": 1}, ValueError, ["seed", "42"]),
        ({"typo": 1}, ValueError, ["typo", "lr"]),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(changed: dict, kind: type, words: list) -> None:
    good = {"lr": 0.01, "momentum": 0.5, "layers": 2, "width": 32, "units": 5, "opt": "sgd", "size": "large", "bias": False}
    with refused(kind, words):
        Space(EVERYTHING).check({**good, **changed})
