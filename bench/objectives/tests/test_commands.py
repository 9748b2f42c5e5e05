"""The quick set from the command line: run, go on, report."""

import csv

import pytest

from bench.objectives.__main__ import main
from bench.objectives.runs import load

NAMES = ["optuna-nsga2-small", "random", "sobol", "tpe"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("objectives")
    assert main(["run", "--set", "quick", "--only", ",".join(NAMES), "--workers", "2", "--out", str(out)]) == 0
    return out


def test_every_run_is_judged(folder):
    runs = load([folder])
    assert len(runs) == 6 * len(NAMES)
    for run in runs:
        volumes = [run.hypervolumes[factor] for factor in (5, 10, 20)]
        assert volumes == sorted(volumes) and 0.0 < volumes[-1] <= 1.0
        assert 0.0 < run.areas[20] <= volumes[-1]


def test_finished_runs_are_kept(folder, capsys):
    file = folder / "tpe.csv"
    before = file.read_text().splitlines()
    file.write_text("\n".join(before[:-1]) + "\n")
    assert main(["run", "--set", "quick", "--only", "tpe", "--out", str(folder)]) == 0
    assert "6 runs, 5 of them done" in capsys.readouterr().out
    after = file.read_text().splitlines()
    assert after[:-1] == before[:-1]
    assert after[-1].split(",")[-3:] == before[-1].split(",")[-3:]


def test_reports_name_the_best(folder, tmp_path):
    assert main(["report", str(folder), "--set", "quick", "--ours", "tpe", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "report.md").read_text()
    assert "## bbob-biobj, D = 2" in text and "## zdt1" in text and "separable – separable" in text
    rows = list(csv.DictReader((tmp_path / "summary.csv").open()))
    assert {row["optimizer"] for row in rows} == set(NAMES)
    assert all(0.0 < float(row["mean"]) <= 1.0 for row in rows)


def test_bad_words_end_with_an_error(tmp_path, capsys):
    assert main(["run", "--only", "tea", "--out", str(tmp_path)]) == 2
    assert "unknown optimizer 'tea'" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "nothing"), "--out", str(tmp_path)]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["report", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "no runs" in capsys.readouterr().err
