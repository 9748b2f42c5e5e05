"""What several tests need."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


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
