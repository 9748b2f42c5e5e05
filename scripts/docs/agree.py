#!/usr/bin/env python3
"""Checks what pages say about each other and about the sources: the rows of README's table of results are those of docs/results.md, its figure
shows the same optimizers, and the files of docs/architecture.md exist.

    python3 scripts/docs/agree.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"^## What it achieves\n(.*?)^## ", flags=re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"!\[[^\]]*\]\((docs/[^)]+\.svg)\)")


def missing_files() -> list[str]:
    """Files of the way of one trial that are in no crate."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    walk = page[page.index("## The way of one trial") : page.index("## A point's way")]
    files = ["/" + str(path.relative_to(ROOT)) for path in (ROOT / "crates").rglob("*.rs")]
    return [name for name in re.findall(r"`([\w/-]+\.rs)`", walk) if not any(path.endswith("/" + name) for path in files)]


def main() -> int:
    section = SECTION.search((ROOT / "README.md").read_text())
    if section is None:
        print("README.md has no section 'What it achieves'")
        return 1
    rows = [line for line in section.group(1).splitlines() if line.startswith("|")]
    results = (ROOT / "docs" / "results.md").read_text().splitlines()
    wrong = [f"README.md says `{row}`, docs/results.md does not" for row in rows if row not in results]
    drawn = " ".join((ROOT / path).read_text() for path in FIGURE.findall(section.group(1)))
    shown = re.findall(r"<text[^>]*>([^<]+)<", drawn)
    optimizers = [row.split("|")[1].strip(" *") for row in rows[2:]]
    wrong += [f"the figure does not show `{name}`" for name in optimizers if name not in shown]
    wrong += [f"docs/architecture.md names `{name}`, which does not exist" for name in missing_files()]
    print("\n".join(wrong) or f"README.md and docs/results.md agree on {len(optimizers)} optimizers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
