"""BBOB's table from rows and from traces of the lab."""

import gzip
import json
import math

import pytest

from bench.tables import Score, load, main, mean, score


def test_the_area_counts_targets_from_when_they_are_reached():
    # All 51 targets in the first evaluation; none; and all after 20 evaluations per dimension, too late for the area.
    assert score([0.0] * 40, 2).area == pytest.approx(1.0)
    assert score([1e3] * 40, 2).area == 0.0
    assert score([1e3] * 39 + [0.0], 2).area == 0.0
    # 10² to 10⁰ are 11 targets, reached after one evaluation per dimension.
    found = score([1e3] + [1.0] * 39, 2)
    assert found.area == pytest.approx(11 / 51 * math.log10(20) / math.log10(40)) and found.gaps[0] == 1e3 and found.final == 0.0


def test_rows_and_traces_give_the_same(tmp_path):
    best = [10.0, 1.0] + [1e-3] * 38
    trace = tmp_path / "lab" / "bbob" / "traces" / "bbob-f08-d02" / "m" / "run-003.csv.gz"
    trace.parent.mkdir(parents=True)
    header = {"problem": "bbob-f08-d02", "method": "m", "run": 3}
    rows = [f"{at},{gap}" for at, gap in enumerate([99.0, *best])]
    with gzip.open(trace, "wt") as out:
        out.write("\n".join([f"# {json.dumps(header)}", "evaluation,best", *rows]) + "\n")
    found = score(best, 2)
    names = ",".join(f"gap_{at:g}" for at in (0.5, 1, 2, 3, 5, 10, 20))
    file = tmp_path / "runs.csv"
    file.write_text(f"method,dim,function,instance,area,{names}\nm,2,8,3,{found.area!r},{','.join(map(repr, found.gaps))}\n")
    assert load(file) == load(tmp_path / "lab") == {"m": {(2, 8, 3): found}}
    assert mean(load(file)["m"], [(2, 8, 3)], "final") == "-3.0000 ± 0.0000"


def test_packed_parts_of_an_experiment_are_one_file(tmp_path, monkeypatch):
    """Two machines ran different instances of the same methods."""
    names = ",".join(f"gap_{at:g}" for at in (0.5, 1, 2, 3, 5, 10, 20))
    runs = {"m": [("2,8,1", 0.25), ("10,8,2", 0.5)], "n": [("2,8,1", 0.125)]}
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    row = "{},{},{},9.000e+00,8.000e+00,7.000e+00,6.000e+00,5.000e+00,4.000e+00,1.000e-09\n".format
    head = f"method,dim,function,instance,area,{names}\n"
    first.write_text(head + row("m", *runs["m"][0]))
    second.write_text(head + row("m", *runs["m"][1]) + row("n", *runs["n"][0]))
    packed = tmp_path / "all.csv.gz"
    monkeypatch.setattr("sys.argv", ["tables", str(first), str(second), "--pack", str(packed)])
    main()
    gaps = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 1e-9]
    assert load(packed) == {"m": {(2, 8, 1): Score(0.25, gaps), (10, 8, 2): Score(0.5, gaps)}, "n": {(2, 8, 1): Score(0.125, gaps)}}
