"""The report on runs whose answers are known."""

import pytest

from bench.hpo.report import Table, verdict, versus, write_report
from bench.hpo.runs import Run


def runs_of(optimizer, task, finals, first=1.0):
    return [Run(task, optimizer, seed, 60, 1.0, {30: first, 60: final}, {1: first, 40: final}) for seed, final in enumerate(finals)]


@pytest.fixture
def table():
    runs = []
    for task in ("knn-digits", "svm-digits", "mlp-diabetes"):
        runs += runs_of("neuralbo", task, [0.1 + 0.001 * seed for seed in range(8)])
        runs += runs_of("tpe", task, [0.2 + 0.001 * seed for seed in range(8)])
        runs += runs_of("random", task, [0.3 + 0.001 * seed for seed in range(4)])
    return Table(runs)


def test_regret_is_one_for_random_at_first_and_zero_for_the_best(table):
    assert table.scale("knn-digits") == (0.1, 1.0)
    assert table.regrets(30, "knn-digits") == pytest.approx({"neuralbo": 1.0, "tpe": 1.0, "random": 1.0})
    assert table.regrets(60, "knn-digits")["random"] == pytest.approx((0.3015 - 0.1) / 0.9)


def test_wins_are_counted_by_task(table):
    result = versus(table, 60, table.tasks, "neuralbo", "tpe")
    assert (result.wins, result.ties, result.losses) == (3, 0, 0)
    # Three tasks, all of one sign: 2 / 2³.
    assert result.p == pytest.approx(0.25)
    result = versus(table, 30, table.tasks, "neuralbo", "tpe")
    assert (result.wins, result.ties, result.losses, result.p) == (0, 3, 0, 1.0)


def test_verdicts_have_a_direction():
    low, high = [1.0, 1.1, 1.2, 1.3], [2.0, 2.1, 2.2, 2.3]
    assert verdict(low, high)[0] == "win" and verdict(high, low)[0] == "loss"
    assert verdict(low, high)[1] == pytest.approx(2 / 70)


def test_halves_are_reported_apart(table, tmp_path):
    write_report(table.runs, tmp_path, "neuralbo")
    text = (tmp_path / "report.md").read_text()
    for title in ("## All tasks (3)", "## Tasks for tuning (2)", "## Tasks held out (1)"):
        assert title in text
    assert "| neuralbo | 1.000 | 0.004 | 2.00 [2.00, 2.00] | 1.00 [1.00, 1.00] |" in text
    assert "neuralbo 8, random 4, tpe 8" in text


def test_tasks_that_not_all_have_run_are_left_out(table):
    more = Table(table.runs + runs_of("neuralbo", "svr-diabetes", [0.5]))
    assert more.tasks == table.tasks


def test_runs_without_a_common_budget_are_refused(table):
    odd = Run("knn-digits", "smac", 0, 50, 1.0, {12: 1.0, 25: 0.5, 50: 0.5}, {1: 1.0})
    with pytest.raises(ValueError, match="no budget in common"):
        Table([*table.runs, odd])
