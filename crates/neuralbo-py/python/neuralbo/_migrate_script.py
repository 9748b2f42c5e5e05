"""The text of a script, its imports of Optuna, and edits of it; for :mod:`neuralbo.migrate`."""

from __future__ import annotations

import ast
from typing import Collection, Dict, List, Optional, Sequence, Tuple


class Script:
    """A script whose parts are replaced, inner ones before those around them."""

    def __init__(self, source: str) -> None:
        self.bytes = source.encode()
        self.length = len(self.bytes)
        self.tree = ast.parse(source)
        self._starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._edits: Dict[Tuple[int, int], str] = {}
        #: What names of the script stand for, by the imports.
        self._aliases: Dict[str, str] = {}
        self.imports: List[ast.stmt] = []
        for node in ast.walk(self.tree):
            self._read_import(node)

    def _read_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            names = [(_bound(one), one.name if one.asname else _bound(one)) for one in node.names if _is_theirs(one.name)]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and _is_theirs(node.module or ""):
            names = [(one.asname or one.name, f"{node.module}.{one.name}") for one in node.names]
        else:
            return
        if names:
            self._aliases.update(names)
            self.imports.append(node)

    def place(self, node: ast.AST) -> Tuple[int, int]:
        where: ast.expr = node  # type: ignore[assignment]
        end_line, end = where.end_lineno or where.lineno, where.end_col_offset or where.col_offset
        return self._starts[where.lineno - 1] + where.col_offset, self._starts[end_line - 1] + end

    def text(self, start: int, end: int) -> str:
        parts, at = [], start
        for (first, last), text in sorted(self._edits.items()):
            if start <= first and last <= end:
                parts += [self.bytes[at:first].decode(), text]
                at = last
        return "".join(parts) + self.bytes[at:end].decode()

    def of(self, node: ast.AST) -> str:
        return self.text(*self.place(node))

    def replace(self, node: ast.AST, text: str) -> None:
        self.replace_span(*self.place(node), text)

    def replace_span(self, start: int, end: int, text: str) -> None:
        inside = [place for place in self._edits if start <= place[0] and place[1] <= end]
        for place in inside:
            del self._edits[place]
        self._edits[(start, end)] = text

    def path(self, node: ast.AST) -> Optional[str]:
        """The name in Optuna's packages that an expression stands for."""
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id)
        if isinstance(node, ast.Attribute):
            parent = self.path(node.value)
            return None if parent is None else f"{parent}.{node.attr}"
        return None

    def rewrite_imports(self, modules: Sequence[str], needed: Collection[str]) -> None:
        """Imports these modules in place of Optuna's, of which only the `needed` names stay."""
        has_logging = any(isinstance(node, ast.Import) and any(one.name == "logging" for one in node.names) for node in self.tree.body)
        wanted = [f"import {module}" for module in modules if not (module == "logging" and has_logging)]
        nested = {id(node) for node in self.imports if node not in self.tree.body}
        for node in self.imports:
            kept = _kept(node, needed)
            start, end = self.place(node)
            # One that is not at the top may be all that a block has.
            lines = [*(["import neuralbo"] if id(node) in nested else wanted), *([kept] if kept else [])]
            wanted = wanted if id(node) in nested else []
            indent = ("\r\n" if b"\r\n" in self.bytes else "\n") + self.bytes[self._starts[node.lineno - 1] : start].decode()
            if lines:
                self.replace_span(start, end, indent.join(lines))
            else:
                rest = self.bytes[end : end + 2]
                self.replace_span(start, end + (2 if rest == b"\r\n" else rest[:1] == b"\n"), "")


def _kept(node: ast.stmt, needed: Collection[str]) -> str:
    """The import of these names, and of other packages."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return ""
    is_from = isinstance(node, ast.ImportFrom)
    names = [
        one for one in node.names
        if (one.asname or one.name if is_from else _bound(one)) in needed or not (is_from or _is_theirs(one.name))
    ]
    listed = ", ".join(f"{one.name} as {one.asname}" if one.asname else one.name for one in names)
    return "" if not names else f"from {node.module} import {listed}" if isinstance(node, ast.ImportFrom) else f"import {listed}"


def _bound(name: ast.alias) -> str:
    """The name that a plain import binds."""
    return name.asname or name.name.split(".")[0]


def _is_theirs(module: str) -> bool:
    return module.split(".")[0] in ("optuna", "optuna_integration", "optuna_dashboard")


def canonical(path: str) -> str:
    """One name for what Optuna exports from several modules."""
    name = path.split(".", 1)[1] if "." in path else ""
    for module in ("study.", "trial.", "exceptions."):
        if name.startswith(module) and name != "trial.create_trial":
            return name[len(module) :]
    return {"create_trial": "trial.create_trial"}.get(name, name)
