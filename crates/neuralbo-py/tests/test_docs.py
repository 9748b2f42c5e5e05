"""Every Python block of docs/python.md and docs/objectives.md and every program of examples/python runs, and the page leaves no public
name out."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neuralbo

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "python.md"
OBJECTIVES = ROOT / "docs" / "objectives.md"
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
SECTION = re.compile(r"^## (.+)$")


def sections(page: str) -> dict[str, str]:
    """The code of each section, every line at its number in the page so that tracebacks point there."""
    found: dict[str, list[str]] = {}
    title, inside = "", False
    lines = page.splitlines()
    for number, line in enumerate(lines):
        heading = SECTION.match(line)
        if heading and not inside:
            title = heading.group(1)
        elif line.startswith("```"):
            inside = line.strip() == "```python"
        elif inside:
            found.setdefault(title, [""] * len(lines))[number] = line
    return {name: "\n".join(code).rstrip() + "\n" for name, code in found.items()}


def blocks(page: str) -> list[str]:
    """Each block of code for itself."""
    return re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def missing(code: str) -> list[str]:
    """Packages the code imports that are not installed."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    bridge = "neuralbo.integrations."
    needed = {name[len(bridge) :] if name.startswith(bridge) else name.split(".")[0] for name in names}
    if "plot" in code:
        needed.add("matplotlib")
    return sorted(name for name in needed if importlib.util.find_spec(name) is None)


def run(script: Path, folder: Path) -> None:
    """Runs a program in an empty folder without a screen."""
    absent = missing(script.read_text())
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}")
    environment = {**os.environ, "MPLBACKEND": "Agg", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run([sys.executable, str(script)], cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"{script.name}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


CODE = sections(PAGE.read_text())


@pytest.mark.parametrize("title", list(CODE))
def test_section_runs(title: str, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(CODE[title])
    run(script, tmp_path)


@pytest.mark.parametrize("place, code", list(enumerate(blocks(OBJECTIVES.read_text()))))
def test_block_on_objectives_runs(place: int, code: str, tmp_path: Path) -> None:
    script = tmp_path / f"objectives{place}.py"
    script.write_text(code)
    run(script, tmp_path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    run(path, tmp_path)


def test_page_names_everything_public() -> None:
    page = PAGE.read_text()
    absent = [name for name in neuralbo.__all__ if not name.startswith("_") and not re.search(rf"\b{name}\b", page)]
    assert not absent, f"docs/python.md does not mention {absent}"


def test_links_lead_somewhere() -> None:
    prose = re.sub(r"^```.*?^```", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", prose)
    local = [target for target in targets if "://" not in target]
    assert local
    assert [target for target in local if not (PAGE.parent / target).exists()] == []


def test_sections_keep_the_line_numbers_of_the_page() -> None:
    page = "# t\n\n## One\n\n```python\na = 1\n```\n\n```sh\nls\n```\n\n## Two\n\n```python\nb = 2\n```\n"
    found = sections(page)
    assert found == {"One": "\n" * 5 + "a = 1\n", "Two": "\n" * 15 + "b = 2\n"}
