"""The quick suite from the command line: run, go on, report."""

import csv

import pytest

from bench.__main__ import main
from bench.runs import load

RUN = ["run", "--tasks", "svm-digits,zdt1-d05,linear-digits", "--methods", "tpe,random,tpe+asha", "--trials", "4", "--workers", "2"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "runs.jsonl"
    assert main([*RUN, "--out", str(out)]) == 0
    return out


def test_methods_run_on_the_tasks_that_take_them(file):
    runs = load([file])
    assert len(runs) == 2 * (2 + 2 + 2)
    assert {run.method for run in runs if run.task == "linear-digits"} == {"tpe", "tpe+asha"}
    for run in runs:
        assert run.losses[0.25] >= run.losses[0.5] >= run.losses[1.0] >= 0.0


def test_finished_runs_are_kept(file, capsys):
    lines, before = file.read_text().splitlines(keepends=True), {run.key: run.losses for run in load([file])}
    file.write_text("".join(lines[:-1]))
    assert main([*RUN, "--out", str(file)]) == 0
    assert "12 runs, 11 of them done" in capsys.readouterr().out
    assert file.read_text().splitlines(keepends=True)[:-1] == lines[:-1]
    assert {run.key: run.losses for run in load([file])} == before


def test_reports_have_a_table_and_a_summary(file, tmp_path):
    arguments = ["--tasks", "svm-digits,zdt1-d05", "--methods", "tpe,random", "--ours", "tpe", "--out", str(tmp_path)]
    assert main(["report", str(file), *arguments]) == 0
    text = (tmp_path / "report.md").read_text()
    assert "## tuning (1)" in text and "## objectives" in text and "| random |" in text
    assert len(list(csv.DictReader((tmp_path / "summary.csv").open()))) == 2 * 3 * 2


def test_thinking_time_is_measured_after_known_trials(capsys):
    assert main(["thinking", "--task", "zdt1-d05", "--methods", "random,tpe", "--trials", "20", "--repeats", "2"]) == 0
    assert capsys.readouterr().out.count("after 20 trials") == 2


def test_bad_words_end_with_an_error(tmp_path, capsys):
    assert main(["run", "--methods", "tea", "--out", str(tmp_path / "r")]) == 2
    assert "unknown method 'tea'" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "nothing"), "--out", str(tmp_path)]) == 2
    assert "does not exist" in capsys.readouterr().err
