"""The code of the pages on Python and every program of examples/python run, and the page leaves no public name out."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neuralbo

pytest.importorskip("tomllib", reason="the tools of the documentation need Python 3.11")

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))

import blocks  # noqa: E402


@pytest.mark.parametrize("name", ["python", "objectives", "pruning"])
def test_the_code_of_a_page_runs(name: str) -> None:
    page = blocks.Page(ROOT / "docs" / f"{name}.md", blocks.doc_tests(), require_all=False).run()
    assert not page.failed and page.counts["python"], page.report


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "python").glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    absent = sorted(name for name in blocks.needed(path.read_text()) if importlib.util.find_spec(name) is None)
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}")
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def test_page_names_everything_public() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    absent = [name for name in neuralbo.__all__ if not re.search(rf"\b{name}\b", page)]
    assert not absent, f"docs/python.md does not mention {absent}"
