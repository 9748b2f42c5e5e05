#!/usr/bin/env python3
"""How large the tree is: lines per crate and language, and a few counts of names, as tables in Markdown.

    scripts/ci/lines.py

Counts the files that git knows, as they are formatted (rustfmt's standard settings). Homonyms are names of public or private
types (struct, enum, trait, type) that more than one definition in `crates/*/src` has; tests and examples are not looked at.
"""

import collections
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# An indented `type` belongs to a trait or an implementation: it is not a name of its own.
TYPE = re.compile(r"^(?:(?:pub(?:\([^)]*\))?\s+)?type|\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait))\s+([A-Z]\w*)", re.M)
FUNCTION = re.compile(r"\bfn\s+\w+\s*(?:<[^{;]*?>)?\s*\(([^{;]*?)\)\s*(?:->[^{;]*)?(?:where[^{;]*)?[{;]", re.S)
TUPLE_PARAMETER = re.compile(r":\s*&?\s*(?:'\w+\s+)?(?:mut\s+)?\((?!\s*\))[^()]*,")
TEST = re.compile(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*fn\s+(finding_\w+)")


def files(*patterns):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", *patterns], check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def lines(paths):
    return sum(path.read_bytes().count(b"\n") for path in paths)


def without_tests(text):
    """The code before the first `#[cfg(test)] mod` with a body, which is the last item of a file."""
    return re.split(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod \w+ \{", text)[0]


def is_test(path):
    return "tests" in path.parts or path.name in ("tests.rs", "testing.rs")


def row(*cells):
    print("| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |")


def main():
    crates = sorted(path.name for path in (ROOT / "crates").iterdir() if (path / "src").is_dir())
    row("lines", "`src`", "tests, benches, examples")
    row("---", "---:", "---:")
    for crate in crates:
        inside, all_rust = lines(files(f"crates/{crate}/src/*.rs")), lines(files(f"crates/{crate}/*.rs"))
        row(f"`{crate}`", inside, all_rust - inside)
    row("all crates", lines(files("crates/*/src/*.rs")), lines(files("crates/*.rs")) - lines(files("crates/*/src/*.rs")))
    print()
    row("lines of", "")
    row("---", "---:")
    for label, patterns in {"Python": ("*.py", "*.pyi"), "JavaScript": ("*.js",), "shell": ("*.sh",), "docs": ("*.md", ":!results")}.items():
        row(label, lines(files(*patterns)))
    sources = [without_tests(path.read_text()) for path in files("crates/*/src/*.rs") if not is_test(path)]
    names = collections.Counter(name for text in sources for name in TYPE.findall(text))
    homonyms = {name: count for name, count in names.items() if count > 1}
    tuples = sum(bool(TUPLE_PARAMETER.search(match[1])) for text in sources for match in FUNCTION.finditer(text))
    row("type names used more than once", len(homonyms))
    row("functions with a tuple as parameter", tuples)
    row("tests named `finding_…`", sum(len(TEST.findall(path.read_text())) for path in files("crates/*.rs")))
    print("\nType names used more than once:", ", ".join(f"{name} {count}" for name, count in sorted(homonyms.items())))


if __name__ == "__main__":
    main()
