"""The page of all commands and options, from what the program itself says; site.py puts it into the site.

The program is `$NEURALBO`, or the one on the PATH.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HEAD = """# All commands and options

Generated from the program's help. For explanations see [The command line](../cli.md).

"""


def program() -> str:
    found = os.environ.get("NEURALBO") or shutil.which("neuralbo")
    if not found:
        raise SystemExit("no program `neuralbo`: name it in $NEURALBO")
    return found


def commands(neuralbo: str) -> list[list[str]]:
    """Every command as its words, in the order of the program's own list; `neuralbo man` writes a page for each."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([neuralbo, "man", folder], check=True, capture_output=True)
        names = [path.stem.split("-")[1:] for path in Path(folder).iterdir()]
    listed = text(neuralbo, [])
    return sorted(names, key=lambda words: (listed.find(f"\n  {words[0]} ") if words else -1, words))


def text(neuralbo: str, words: list[str]) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NEURALBO_")}
    shown = subprocess.run([neuralbo, *words, "--help"], check=True, capture_output=True, text=True, env={**environment, "NO_COLOR": "1"})
    return "\n".join(line.rstrip() for line in shown.stdout.splitlines()) + "\n"


def page() -> str:
    neuralbo = program()
    return HEAD + "\n".join(f"## {' '.join(['neuralbo', *words])}\n\n```text\n{text(neuralbo, words)}```\n" for words in commands(neuralbo))
