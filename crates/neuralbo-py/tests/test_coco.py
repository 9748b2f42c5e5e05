"""`python -m neuralbo.coco` on the real suite: COCO's own log and cocopp's own reader are the witnesses."""

import subprocess
import sys
from pathlib import Path

import pytest

from neuralbo import Optimizer, coco

pytest.importorskip("cocoex")


def run(*arguments: str, code: int = 0) -> str:
    """What it says of errors."""
    done = subprocess.run([sys.executable, "-m", "neuralbo.coco", *arguments], capture_output=True, text=True, timeout=100)
    assert done.returncode == code, done.stderr
    return done.stderr


def test_lists_of_numbers() -> None:
    assert coco.parse_numbers("1,3-5,4", range(1, 25), "functions") == [1, 3, 4, 5]
    assert coco.parse_numbers("2-10", coco.DIMENSIONS, "dimensions") == [2, 3, 5, 10]


@pytest.mark.parametrize("text", ["", "a", "1-", "0", "25", "5-3", "1,,2", "-1", "1.5"])
def test_wrong_lists_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="functions"):
        coco.parse_numbers(text, coco.FUNCTIONS, "functions")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--dimensions", "2,4"], ["--dimensions", "`4`", "2, 3, 5, 10, 20, 40"]),
        (["--budget", "0"], ["--budget", "at least 1"]),
        (["--method", "magic"], ["magic", "neuralbo"]),
    ],
)
def test_wrong_options_end_with_2_and_say_why(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    said = run(*arguments, "--output", str(tmp_path / "out"), code=2)
    assert all(word in said for word in words), said
    assert not (tmp_path / "out").exists()


def test_a_seed_is_the_labs() -> None:
    # FNV-1a of `method\0bbob-f01-d02\0` and 1 in four little-endian bytes, by the definition of the hash.
    value = 0xCBF29CE484222325
    for byte in b"method\0bbob-f01-d02\0\x01\0\0\0":
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    assert coco.seed_of(1, 2, 1) == value


def logged(folder: Path) -> dict[tuple[int, int], list[int]]:
    """(function, dimension) -> evaluations of each instance, as cocopp reads them from a path without blanks."""
    import cocopp

    return {(data.funcId, data.dim): [int(count) for count in data.maxevals] for data in cocopp.load(str(folder))}


@pytest.mark.filterwarnings("ignore::UserWarning:cocopp")
def test_the_suite_is_run_and_post_processed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cocopp")
    output = tmp_path / "with blank"
    options = ["--method", "sobol", "--dimensions", "2,3", "--functions", "1,8", "--instances", "1,4", "--budget", "4"]
    run(*options, "--output", str(output))
    assert (output / "ppdata" / "index.html").is_file()
    monkeypatch.chdir(output)
    assert logged(Path("exdata/sobol")) == {(1, 2): [8, 8], (8, 2): [8, 8], (1, 3): [12, 12], (8, 3): [12, 12]}


def test_no_postprocess_leaves_the_logs_alone(tmp_path: Path) -> None:
    options = ["--method", "random", "--dimensions", "2", "--functions", "1", "--instances", "1", "--no-postprocess"]
    run(*options, "--output", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exdata"]


def test_the_points_are_those_of_the_optimizer() -> None:
    import cocoex

    problem = cocoex.Suite("bbob", "instances: 1", "dimensions: 2 function_indices: 8")[0]
    best = coco.minimize_problem(problem, "neuralbo", 12)
    assert problem.evaluations == 12
    optimizer = Optimizer([(-5.0, 5.0)] * 2, seed=coco.seed_of(8, 2, 1))
    fresh = cocoex.Suite("bbob", "instances: 1", "dimensions: 2 function_indices: 8")[0]
    for _ in range(12):
        point = optimizer.ask()
        optimizer.tell(point, float(fresh(point)))
    assert optimizer.best is not None and optimizer.best.fun == best


def test_it_stops_at_the_final_target() -> None:
    import cocoex

    problem = cocoex.Suite("bbob", "instances: 1", "dimensions: 2 function_indices: 1")[0]
    coco.minimize_problem(problem, "neuralbo", 400)
    assert problem.final_target_hit
    assert problem.evaluations < 400


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cocoex", None)
    with pytest.raises(ImportError, match=r"pip install neuralbo\[coco\]"):
        coco.load("cocoex")
