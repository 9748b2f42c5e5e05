#!/usr/bin/env python3
"""Runs every block of code of the documentation.

    python3 scripts/docs/blocks.py                       (all pages)
    python3 scripts/docs/blocks.py docs/quickstart.md    (one)

Each page gets an empty folder with a copy of `examples`, and its blocks run there from top to bottom:

    sh, console   by the shell, with `neuralbo` from the PATH; of `console` the lines after `$`
    python        in one process for the page, with the interpreter that runs this script
    toml, json    are read
    rust          must stand on a page that a library includes as doc tests, which `cargo test` runs
    text, …       are shown only

A block with `title="train.py"` is a file: it is saved in the folder under that name and not run. A block after
`<!-- not run: REASON -->` is not run, and the reason is printed; so is one that needs a Python package which is not installed,
unless `--require-all` is given.
"""

import argparse
import ast
import concurrent.futures
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)(`{3,})(\S*) *(.*)$")
MARK = re.compile(r"<!-- not run: (.+?) -->")
TITLE = re.compile(r'title="([^"]+)"')
INCLUDED = re.compile(r'include_str!\("([^"]+\.md)"\)')
SHOWN = {"text", "mermaid", "diff"}
# Extras of the package: a module of `neuralbo.integrations` needs the one of its name.
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
SECONDS = 120


@dataclass
class Block:
    page: Path
    line: int
    language: str
    code: str
    title: str | None
    mark: str | None

    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


class Failed(Exception):
    """A block did not run."""


class NotRun(Exception):
    """A block cannot run here."""


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    mark, fence, code, start = None, None, [], 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        match = FENCE.match(line)
        if fence is None and match:
            fence, code, start = match, [], number + 1
        elif fence is not None and line.strip() == fence.group(2):
            title = TITLE.search(fence.group(4))
            text = "\n".join(code) + "\n"
            found.append(Block(page, start, fence.group(3), text, title and title.group(1), mark))
            fence, mark = None, None
        elif fence is not None:
            code.append(line.removeprefix(fence.group(1)))
        elif line.strip():
            marked = MARK.search(line)
            mark = marked.group(1) if marked else None
    if fence is not None:
        raise SystemExit(f"{page}: the fence before line {start} is not closed")
    return found


class Session:
    """One Python process for the blocks of a page."""

    LOOP = """
def serve():
    import json, sys, traceback
    for line in sys.stdin:
        place, code = json.loads(line)
        try:
            exec(compile(code, place, "exec"), sys.modules["__main__"].__dict__)
            answer = ""
        except BaseException:
            answer = traceback.format_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        print(json.dumps(answer), file=sys.__stderr__, flush=True)
serve()
"""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.output = folder.parent / "python.out"
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.LOOP],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=self.output.open("w"),
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, block: Block) -> None:
        assert self.process.stdin and self.process.stderr
        code = "\n" * (block.line - 1) + block.code
        self.process.stdin.write(json.dumps([block.place().rsplit(":", 1)[0], code]) + "\n")
        self.process.stdin.flush()
        for line in self.process.stderr:
            try:
                answer = json.loads(line)
            except ValueError:
                continue  # a warning of a library
            if not isinstance(answer, str):
                continue
            if answer:
                raise Failed(answer)
            return
        raise Failed(f"python ended with status {self.process.wait()}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def needed(code: str) -> set[str]:
    """The packages that a block imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            bridge = node.module.removeprefix("neuralbo.integrations.")
            names.add(bridge if bridge in EXTRAS else node.module.split(".")[0])
    return names


class Page:
    """Runs the blocks of one page."""

    def __init__(self, path: Path, doc_tests: set[Path], require_all: bool) -> None:
        self.path, self.doc_tests, self.require_all = path, doc_tests, require_all
        self.counts: Counter[str] = Counter()
        self.report: list[str] = []
        self.failed = False
        self.session: Session | None = None

    def run(self) -> "Page":
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as outer:
            self.folder = Path(outer) / "page"
            shutil.copytree(ROOT / "examples", self.folder / "examples")
            self.environment = self.clean_environment(Path(outer))
            for block in blocks(self.path):
                self.one(block)
            if self.session:
                self.session.close()
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items())) or "no blocks"
        self.report.insert(0, f"{self.path.relative_to(ROOT)}: {counted} ({time.monotonic() - started:.1f} s)")
        return self

    @staticmethod
    def clean_environment(outer: Path) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("NEURALBO", "PG"))}
        here = {"HOME": str(outer), "NEURALBO_SPOOL": str(outer / "spool"), "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "RAY_USAGE_STATS_ENABLED": "0"}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        return {**kept, **here, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def one(self, block: Block) -> None:
        try:
            if block.mark:
                raise NotRun(block.mark)
            self.counts[self.handle(block)] += 1
        except NotRun as reason:
            self.counts["not run"] += 1
            self.report.append(f"    not run: {block.place()}: {reason}")
        except (Failed, SyntaxError, ValueError) as error:
            self.failed = True
            self.report.append(f"    FAILED: {block.place()}: {error}")

    def handle(self, block: Block) -> str:
        """What was done with a block."""
        if block.title:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code)
            return "files"
        language = block.language.split(",")[0]
        runner = getattr(self, f"run_{language}", None)
        if runner is not None:
            runner(block)
        elif language not in SHOWN:
            raise Failed(f"nothing is known of blocks of `{language}`: name the language, or say why it is not run")
        return language

    def run_sh(self, block: Block) -> None:
        self.shell(block.code)

    run_bash = run_sh

    def run_console(self, block: Block) -> None:
        self.shell("".join(line[2:] + "\n" for line in block.code.splitlines() if line.startswith("$ ")))

    def shell(self, code: str) -> None:
        started = subprocess.Popen(
            ["sh", "-e", "-c", code],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = started.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            raise Failed(f"still running after {SECONDS} s") from None
        if started.returncode != 0:
            raise Failed(f"status {started.returncode}\n{output[-4000:]}")

    def run_python(self, block: Block) -> None:
        absent = sorted(name for name in needed(block.code) if importlib.util.find_spec(name) is None and not (self.folder / f"{name}.py").exists())
        if absent and not self.require_all:
            raise NotRun(f"not installed: {', '.join(absent)}")
        if self.session is None:
            self.session = Session(self.folder, self.environment)
        self.session.run(block)

    def run_toml(self, block: Block) -> None:
        tomllib.loads(block.code)

    def run_json(self, block: Block) -> None:
        for part in block.code.split("\n\n"):
            json.loads(part)

    def run_rust(self, block: Block) -> None:
        if self.path not in self.doc_tests:
            raise Failed("no library includes this page in its doc tests")
        if "ignore" in block.language:
            raise Failed("`ignore` needs a mark that says why")


def doc_tests() -> set[Path]:
    """The pages that libraries include as doc tests."""
    found: set[Path] = set()
    for source in ROOT.glob("crates/*/src/**/*.rs"):
        text = source.read_text()
        if "cfg(doctest)" in text:
            found.update((source.parent / name).resolve() for name in INCLUDED.findall(text))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--require-all", action="store_true", help="a package that is not installed is a failure")
    arguments = parser.parse_args()
    pages = [path.resolve() for path in arguments.pages] or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    included = doc_tests()
    runs = [Page(path, included, arguments.require_all) for path in pages]
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as pool:
        for page in pool.map(Page.run, runs):
            print("\n".join(page.report), flush=True)
    total = sum((page.counts for page in runs), Counter())
    failed = sum(page.failed for page in runs)
    print(f"{len(runs)} pages; " + ", ".join(f"{count} {kind}" for kind, count in sorted(total.items())) + f"; {failed} pages failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
