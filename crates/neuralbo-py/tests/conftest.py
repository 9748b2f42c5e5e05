"""What several tests need."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Tuple

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


def parabola(trial: Any) -> float:
    return float(trial.suggest_float("x", -1, 1) ** 2)


def driven(optimizer: Any, value: Callable[[Any], Any], count: int) -> Any:
    """The optimizer after so many points with their values."""
    for _ in range(count):
        point = optimizer.ask()
        optimizer.tell(point, value(point))
    return optimizer


def staircase(values: Iterable[Tuple[float, ...]], corner: Tuple[float, float]) -> float:
    """The hypervolume of two objectives that are minimized, strip by strip."""
    volume, below = 0.0, corner[1]
    for first, second in sorted(values):
        volume += max(corner[0] - first, 0.0) * max(below - second, 0.0)
        below = min(below, second)
    return volume


@contextmanager
def refused(kind: type, words: List[str]) -> Iterator[None]:
    """Expects an exception of this very kind with all of the words in its text."""
    with pytest.raises(kind) as caught:
        yield
    assert type(caught.value) is kind and all(word in str(caught.value) for word in words), caught.value


def python(code: str, timeout: float = 100) -> str:
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def quiet_optuna() -> None:
    if "optuna" in sys.modules:
        sys.modules["optuna"].logging.set_verbosity(sys.modules["optuna"].logging.WARNING)


@pytest.fixture
def storage(tmp_path: Path) -> str:
    return str(tmp_path / "s.db")


@pytest.fixture(scope="session")
def cli() -> Callable[..., str]:
    """Runs the command line, that of NEURALBO_CLI or the package's own, and returns what it prints."""
    given = os.environ.get("NEURALBO_CLI")
    program = [given] if given else [sys.executable, "-m", "neuralbo"]

    def run(*args: Any) -> str:
        done = subprocess.run([*program, *map(str, args)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
