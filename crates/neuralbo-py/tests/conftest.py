"""What several tests need."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def cli() -> Callable[..., str]:
    """Runs the command line and returns what it prints."""
    given = os.environ.get("NEURALBO_CLI")
    found = [path for path in (given, REPOSITORY / "target/release/neuralbo", REPOSITORY / "target/debug/neuralbo") if path]
    program = next((path for path in found if shutil.which(str(path))), None)
    if program is None:
        pytest.skip("NOT TESTED: no neuralbo binary; build it with `cargo build --release` or set NEURALBO_CLI")

    def run(*args: Any) -> str:
        done = subprocess.run([str(program), *map(str, args)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
