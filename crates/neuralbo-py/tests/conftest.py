"""What several tests need."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, Callable

import pytest


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
