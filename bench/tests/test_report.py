"""The report on runs whose answers are known."""

import pytest

from bench.report import Table, verdict, versus, write_report
from bench.runs import Run, append, load


def runs_of(method, task, finals, first=1.0, trials=60):
    return [Run(task, method, seed, trials, 1.0, {0.25: first, 0.5: first, 1.0: final}) for seed, final in enumerate(finals)]


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
    assert table.regrets(0.25, "knn-digits") == pytest.approx({"neuralbo": 1.0, "tpe": 1.0, "random": 1.0})
    assert table.regrets(1.0, "knn-digits")["random"] == pytest.approx((0.3015 - 0.1) / 0.9)


def test_regret_of_runs_without_a_feasible_trial_is_bounded():
    table = Table(runs_of("neuralbo", "g06", [0.0], first=1.0) + runs_of("random", "g06", [float("inf")], first=float("inf")))
    assert table.regrets(1.0, "g06") == {"neuralbo": 0.0, "random": 10.0}


def test_wins_are_counted_by_task(table):
    result = versus(table, 1.0, table.tasks, "neuralbo", "tpe")
    assert (result.wins, result.ties, result.losses) == (3, 0, 0)
    # Three tasks, all of one sign: 2 / 2³.
    assert result.p == pytest.approx(0.25)
    result = versus(table, 0.25, table.tasks, "neuralbo", "tpe")
    assert (result.wins, result.ties, result.losses, result.p) == (0, 3, 0, 1.0)


def test_verdicts_have_a_direction():
    low, high = [1.0, 1.1, 1.2, 1.3], [2.0, 2.1, 2.2, 2.3]
    assert verdict(low, high)[0] == "win" and verdict(high, low)[0] == "loss"
    assert verdict(low, high)[1] == pytest.approx(2 / 70)


def test_groups_are_reported_apart(table, tmp_path):
    write_report(table.runs, tmp_path, "neuralbo")
    text = (tmp_path / "report.md").read_text()
    for title in ("## all (3)", "## tuning (2)", "## tuning, held out (1)"):
        assert title in text
    assert "| neuralbo | 1.000 | 1.000 | 0.004 | 2.00 [2.00, 2.00] | 2.00 [2.00, 2.00] | 1.00 [1.00, 1.00] | 1 |" in text
    assert "neuralbo 8, random 4, tpe 8" in text


def test_tasks_that_not_all_have_run_are_left_out(table):
    more = Table(table.runs + runs_of("neuralbo", "svr-diabetes", [0.5]))
    assert more.tasks == table.tasks
    with pytest.raises(ValueError, match="no task has runs of all of neuralbo, tpe"):
        Table(runs_of("neuralbo", "knn-digits", [0.1]) + runs_of("tpe", "svm-digits", [0.1]))


def test_runs_of_different_lengths_are_refused(table):
    with pytest.raises(ValueError, match="50 and 60 trials"):
        Table([*table.runs, *runs_of("smac", "knn-digits", [0.5], trials=50)])


def test_runs_are_kept_and_half_a_line_is_skipped(tmp_path):
    file, runs = tmp_path / "runs.jsonl", runs_of("tpe", "knn-digits", [0.25, float("inf")])
    append(file, runs[0])
    file.write_text(file.read_text() + '{"task": "knn-dig')
    append(file, runs[1])
    assert load([file]) == runs
    with pytest.raises(ValueError, match="does not exist"):
        load([tmp_path / "nothing"])
