"""The quick profile from the command line: run, go on, pack, report."""

import csv

import pytest

from bench.hpo.__main__ import main
from bench.hpo.runs import load, read_rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("hpo")
    assert main(["run", "--profile", "quick", "--optimizers", "neuralbo,tpe,random", "--workers", "2", "--out", str(out)]) == 0
    return out


def test_every_run_has_its_trials(folder):
    files = sorted(folder.glob("runs/*/*/*.csv"))
    assert len(files) == 3 * 3 * 2
    for file in files:
        rows = read_rows(file)
        assert [row.trial for row in rows] == list(range(1, 13))
        assert all(row.best == min(other.value for other in rows[: row.trial]) for row in rows)
        assert [row.trial for row in rows if row.true is not None] == [3, 6, 12]


def test_finished_runs_are_kept(folder, capsys):
    file = folder / "runs" / "svm-digits" / "tpe" / "0.csv"
    before, other = file.read_text(), folder / "runs" / "svm-digits" / "tpe" / "1.csv"
    values = [row.value for row in read_rows(other)]
    other.unlink()
    assert main(["run", "--profile", "quick", "--optimizers", "tpe", "--out", str(folder)]) == 0
    assert "6 runs, 5 of them done" in capsys.readouterr().out
    assert file.read_text() == before
    assert [row.value for row in read_rows(other)] == values


def test_packed_runs_report_the_same(folder, tmp_path):
    packed = tmp_path / "runs.csv"
    assert main(["pack", str(folder), "--out", str(packed)]) == 0
    assert [(run.key, run.losses) for run in load([packed])] == [(run.key, run.losses) for run in load([folder])]
    for name, source in (("a", folder), ("b", packed)):
        assert main(["report", str(source), "--out", str(tmp_path / name)]) == 0
    tables = [list(csv.reader((tmp_path / name / "summary.csv").open())) for name in "ab"]
    assert tables[0] == tables[1]
    assert len(tables[0]) == 1 + 3 * 3 * 3
    text = (tmp_path / "a" / "report.md").read_text()
    assert "## Tasks for tuning (3)" in text and "| tpe |" in text and "held out (" not in text


def test_bad_words_end_with_an_error(tmp_path, capsys):
    assert main(["run", "--optimizers", "tea", "--out", str(tmp_path)]) == 2
    assert "unknown optimizer 'tea'" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert main(["report", str(tmp_path)]) == 2
