"""Tables of runs whose answers are known."""

import pytest

from bench.objectives.runs import Run
from bench.objectives.table import Table, ranks, standard_error, versus


def run(problem, optimizer, seed, value, factors=(5, 10, 20)):
    return Run(problem, optimizer, seed, 40, 1.0, 2.0, {20: value / 2}, {factor: value for factor in factors})


def coco(optimizer, function, instance, value):
    return run(f"bbob-biobj-f{function:02}-i{instance:02}-d02", optimizer, 0, value)


def test_instances_of_a_function_are_one_unit():
    table = Table([coco("a", 1, 3, 0.2), coco("a", 1, 4, 0.4), coco("a", 7, 3, 0.5)])
    assert table.units("bbob-biobj, D = 2", ("hypervolumes", 20)) == {"a": {"f01": pytest.approx(0.3), "f07": 0.5}}
    assert table.units("bbob-biobj, D = 2", ("areas", 20))["a"]["f07"] == 0.25


def test_only_what_all_have_run_is_compared():
    table = Table([coco("a", 1, 3, 0.2), coco("a", 2, 3, 0.9), coco("b", 1, 3, 0.3)])
    assert [one.problem for one in table.runs] == ["bbob-biobj-f01-i03-d02"] * 2
    with pytest.raises(ValueError, match="no problem has runs of all of a, b"):
        Table([coco("a", 1, 3, 0.2), coco("b", 2, 3, 0.3)])


def test_budgets_are_the_common_ones():
    table = Table([run("zdt1-d10", "a", 0, 0.5, (5, 10, 20, 50, 100)), run("zdt1-d10", "b", 0, 0.5)])
    assert table.factors == [5, 10, 20] and table.areas == [20]


def test_ranks_and_pairs():
    units = {"a": {"1": 0.9, "2": 0.8, "3": 0.5}, "b": {"1": 0.7, "2": 0.6, "3": 0.5}}
    assert ranks(units) == pytest.approx({"a": (1 + 1 + 1.5) / 3, "b": (2 + 2 + 1.5) / 3})
    result = versus(units, "a", "b")
    assert (result.wins, result.ties, result.losses) == (2, 1, 0)
    assert result.difference == pytest.approx(0.4 / 3)
    assert standard_error(units["a"]) == pytest.approx(0.208167 / 3**0.5, abs=1e-6)
