"""The neutral space."""

import numpy as np
import pytest

from bench.space import Constraint, Param, Space, When, at_least, choice, integer, one_of, ordinal, real

TREE = Space(
    (
        integer("layers", 1, 3),
        choice("solver", "adam", "sgd"),
        real("momentum", 0.0, 1.0, when=one_of("solver", "sgd")),
        real("decay", 0.0, 1.0, step=0.25, when=(When("layers", ">=", 2), *one_of("solver", "sgd"))),
        ordinal("batch", 8, 16, 32, when=at_least("layers", 3)),
    )
)


def test_samples_have_their_active_parameters_and_no_others():
    rng = np.random.default_rng(0)
    for _ in range(200):
        params = TREE.sample(rng)
        TREE.check(params)
        assert ("momentum" in params) == (params["solver"] == "sgd")
        assert ("decay" in params) == (params["solver"] == "sgd" and params["layers"] >= 2)
        assert ("batch" in params) == (params["layers"] == 3)


def test_restrict_drops_what_is_not_active():
    flat = {"layers": 1, "solver": "adam", "momentum": 0.5, "decay": 0.25, "batch": 8}
    assert TREE.restrict(flat) == {"layers": 1, "solver": "adam"}


@pytest.mark.parametrize(
    "params",
    [
        {"layers": 1, "solver": "adam", "momentum": 0.5},
        {"layers": 1, "solver": "sgd"},
        {"layers": 4, "solver": "adam", "batch": 8},
        {"layers": 1.0, "solver": "adam"},
        {"layers": 1, "solver": "lbfgs"},
        {"layers": 2, "solver": "sgd", "momentum": 0.5, "decay": 0.3},
    ],
)
def test_wrong_points_are_refused(params):
    with pytest.raises(ValueError):
        TREE.check(params)


def test_integers_are_uniform_up_to_the_ends():
    rng = np.random.default_rng(0)
    counts = np.bincount([integer("n", 1, 4).value_at(u) for u in rng.random(4000)])[1:]
    assert counts.min() > 900


def test_violations_are_signed_distances():
    constraint = Constraint("2 * a + b / 2 <= 3 - c")
    assert constraint.violation({"a": 1.0, "b": 2.0, "c": 1.0}) == pytest.approx(1.0)
    assert constraint.violation({"a": 0.0, "b": 2.0, "c": 1.0}) == pytest.approx(-1.0)


@pytest.mark.parametrize("text", ["a < b", "a", "a <= b <= c"])
def test_other_expressions_are_refused(text):
    with pytest.raises(ValueError):
        Constraint(text).violation({"a": 1.0, "b": 1.0, "c": 1.0})


def test_parents_come_first():
    with pytest.raises(ValueError, match="parent"):
        Space((real("x", 0, 1, when=one_of("kind", "a")), choice("kind", "a", "b")))


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="rate: low"):
        real("rate", 0.0, 1.0, log=True)
    with pytest.raises(ValueError, match="kind"):
        Param("rate", "double", 0.0, 1.0)


def test_points_of_the_cube_become_parameters_and_back():
    box = Space((real("x", -5, 5), real("rate", 1e-4, 1e-1, log=True), integer("n", 2, 64, log=True)))
    assert box.at([0.0, 0.0, 0.0]) == pytest.approx({"x": -5, "rate": 1e-4, "n": 2})
    assert box.at([1.0, 1.0, 1.0]) == pytest.approx({"x": 5, "rate": 1e-1, "n": 64})
    assert box.places({"x": 2.5, "rate": 1e-2, "n": 64}) == pytest.approx([0.75, 2 / 3, 1.0])
    assert TREE.at([0.0] * 5) == {"layers": 1, "solver": "adam"} and not TREE.plain and box.plain


def test_spaces_of_the_protocol_are_read_and_others_refused_by_name():
    domains = {"x": {"type": "float", "low": 0.0, "high": 1.0}, "on": {"type": "bool"}, "k": {"type": "choice", "choices": ["a", "b"]}}
    assert [param.kind for param in Space.of_protocol(domains).params] == ["float", "choice", "choice"]
    with pytest.raises(ValueError, match="doc: a domain of type 'rows'"):
        Space.of_protocol({"doc": {"type": "rows", "table": [[1.0]]}})
