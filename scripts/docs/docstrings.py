"""Docstrings as Markdown: Sphinx's roles become links, examples become blocks of code."""

import ast
import re
from pathlib import Path
from typing import Any

import griffe

PACKAGE = Path(__file__).resolve().parents[2] / "crates" / "neuralbo-py" / "python" / "neuralbo"

ROLE = re.compile(r":(?:func|class|meth|attr|mod|data|exc):`~?([\w.]+)`")
LITERAL = re.compile(r"``(.+?)``")


def public_names() -> set[str]:
    """`__all__` of the package."""
    for node in ast.parse((PACKAGE / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    raise SystemExit("neuralbo has no __all__")


PUBLIC = public_names()


def reference(role: re.Match[str]) -> str:
    """A link to what is public; other names are code, as they are relative to the class that inherits them."""
    name = role.group(1).removeprefix("neuralbo.")
    return f"[`{name}`][neuralbo.{name}]" if name in PUBLIC else f"`{name}`"


def fenced(text: str) -> str:
    """Puts every paragraph that begins with `>>>` into a fence."""
    lines, inside = [], ""
    for line in text.splitlines():
        begins = line.lstrip().startswith(">>>")
        if begins and not inside:
            inside = line[: len(line) - len(line.lstrip())] + "```"
            lines.append(f"{inside}pycon")
        elif inside and not line.strip():
            lines.append(inside)
            inside = ""
        lines.append(line)
    return "\n".join([*lines, inside] if inside else lines)


class Docstrings(griffe.Extension):
    """Changes every docstring before it is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = LITERAL.sub(r"`\1`", ROLE.sub(reference, fenced(obj.docstring.value)))
