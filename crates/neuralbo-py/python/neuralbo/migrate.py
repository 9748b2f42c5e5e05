"""Rewrites scripts for Optuna: ``python -m neuralbo.migrate script.py [-o out.py]``.

Imports, samplers, pruners, storages and names change where there is a counterpart, everything else stays as it is, comments
and layout included. What needs a person is listed with its line, on standard error; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from neuralbo._migrate_script import Script, canonical
from neuralbo._migrate_words import CLASSES, FIGURES, METHODS, NAMES, NOT_HERE, PRUNERS, SAMPLERS, STATES, STORAGES

ALONE = "create_trial: only as the argument of add_trial"
#: Arguments of Optuna's `optimize` by position.
OPTIMIZE = ("objective", "n_trials", "timeout", "workers", "catch", "callbacks", "gc_after_trial", "show_progress_bar")


@dataclass(frozen=True, order=True)
class Remark:
    """A place of the script and what to know about it."""

    line: int
    text: str


@dataclass
class Migration:
    """A rewritten script.

    >>> migrated = migrate("import optuna\\nstudy = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))\\n")
    >>> print(migrated.text, end="")
    import neuralbo
    study = neuralbo.create_study(method="neuralbo", seed=1)
    >>> migrated.changed, migrated.left
    (2, [])
    """

    text: str
    #: Lines of the script that are different now.
    changed: int
    #: What could not be rewritten.
    left: List[Remark] = field(default_factory=list)
    #: What was rewritten, but may mean something else.
    check: List[Remark] = field(default_factory=list)


def migrate(source: str) -> Migration:
    """Rewrite the text of a script; SyntaxError if it is not Python."""
    rewriter = _Rewriter(source)
    text = rewriter.rewritten()
    matcher = difflib.SequenceMatcher(None, source.splitlines(), text.splitlines(), autojunk=False)
    changed = sum(max(j - i, m - k) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal")
    return Migration(text, changed, sorted(rewriter.left), sorted(set(rewriter.check)))


class _Rewriter(Script, ast.NodeVisitor):
    """Collects replacements of parts of the script, inner ones first."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        #: What is left, with the name of an import that it still needs.
        self.left: Dict[Remark, Optional[str]] = {}
        self.check: List[Remark] = []
        #: Variables that are figures, and samplers as dicts.
        self._figures: Set[str] = set()
        self._samplers: Set[str] = set()
        self._modules = ["neuralbo"]

    def rewritten(self) -> str:
        """The new text."""
        if self.imports:
            self.visit(self.tree)
            self.rewrite_imports(self._modules, {name for name in self.left.values() if name is not None})
        return self.text(0, self.length)

    def _leave(self, node: ast.AST, text: str, stays: bool = True) -> None:
        """What needs a person; where it `stays` in the script, so does its import."""
        root = node.func if isinstance(node, ast.Call) else node
        while isinstance(root, ast.Attribute):
            root = root.value
        self.left[Remark(node.lineno, text)] = root.id if stays and isinstance(root, ast.Name) else None  # type: ignore[attr-defined]

    def _note(self, node: ast.AST, text: str) -> None:
        self.check.append(Remark(node.lineno, text))  # type: ignore[attr-defined]

    # Names.

    def visit_Name(self, node: ast.Name) -> None:
        self._rename(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.path(node) is not None:
            self._rename(node)
            return
        self.generic_visit(node)
        inner = node.value
        if node.attr == "__name__" and isinstance(inner, ast.Attribute) and inner.attr == "__class__":
            what = inner.value
            if isinstance(what, ast.Attribute) and what.attr in ("sampler", "pruner"):
                word = "method" if what.attr == "sampler" else "pruner"
                self.left.pop(Remark(what.lineno, NOT_HERE.get(what.attr, "")), None)
                self.replace(node, f"{self.of(what.value)}.{word}")
        elif node.attr in NOT_HERE:
            self._leave(node, NOT_HERE[node.attr])

    def _rename(self, node: ast.expr) -> None:
        path = self.path(node)
        if path is None:
            return
        name = canonical(path)
        if name in NAMES or name in CLASSES:
            self._put_name(node, NAMES.get(name) or CLASSES[name])
            return
        if name in SAMPLERS or name in PRUNERS or name in STORAGES or name in FIGURES:
            self._leave(node, f"{path} is not called here, so that its arguments are unknown")
        else:
            package = next((one for one in sorted(NOT_HERE, key=len, reverse=True) if path.startswith(one)), None)
            self._leave(node, NOT_HERE[package] if package else f"{path} has no counterpart")

    def _use(self, module: str) -> None:
        if module in ("logging", "neuralbo.plot") and module not in self._modules:
            self._modules.append(module)

    def _put_name(self, node: ast.AST, text: str) -> None:
        self._use(text.split(".")[0])
        self.replace(node, text)

    # Calls.

    def visit_Call(self, node: ast.Call) -> None:
        path = self.path(node.func)
        name = None if path is None else canonical(path)
        kinds: List[Tuple[object, Callable[[ast.Call, str], None]]] = [
            (SAMPLERS, self._sampler), (PRUNERS, self._pruner), (STORAGES, self._storage), (FIGURES, self._figure)
        ]
        for words, rewrite in kinds:
            if name is not None and name in words:  # type: ignore[operator]
                self._visit_arguments(node)
                rewrite(node, name)
                return
        special = {
            "create_study": self._create_study, "load_study": self._load_study, "logging.get_logger": self._get_logger,
            "importance.get_param_importances": self._importance, "get_all_study_summaries": self._summaries, "trial.create_trial": self._create_trial,
        }.get(name or "")
        if special is not None:
            self._visit_arguments(node)
            special(node)
            return
        self.generic_visit(node)
        if path is None and isinstance(node.func, ast.Attribute):
            self._method(node, node.func)

    def _visit_arguments(self, node: ast.Call) -> None:
        for child in [*node.args, *node.keywords]:
            self.visit(child)

    def _arguments(self, node: ast.Call, names: Sequence[str]) -> Dict[str, ast.expr]:
        """Arguments by name, positional ones under these names."""
        found = dict(zip(names, node.args))
        found.update({one.arg: one.value for one in node.keywords if one.arg is not None})
        return found

    def _drop(self, node: ast.Call, keyword: ast.keyword) -> None:
        """Removes a keyword with one of its commas."""
        start, end = self.place(keyword)
        _, last = self.place(node)
        rest = self.bytes[end : last - 1]
        if rest.lstrip().startswith(b","):
            end += len(rest) - len(rest.lstrip()) + 1
            while self.bytes[end : end + 1] in (b" ", b"\n"):
                end += 1
        else:
            before = self.bytes[:start].rstrip()
            # After a comment the comma before it stays.
            start = len(before) - 1 if before.endswith(b",") else start
        self.replace_span(start, end, "")

    def _sampler(self, node: ast.Call, name: str) -> None:
        method, positional = SAMPLERS[name]
        given = self._arguments(node, positional)
        if "constraints_func" in given:
            self._leave(node, "constraints_func: return the quantities from the objective and give outcome_constraints= instead", False)
        lost = [one for one in given if one not in ("seed", "constraints_func")]
        if lost:
            self._note(node, f"{name.rsplit('.', 1)[-1]}: {', '.join(lost)} left out; options of `{method}` are in docs/methods.md")
        if name.endswith(("GridSampler", "BruteForceSampler")):
            self._note(node, "`random` evaluates every point of a finite space once, in random order, and no grid of an infinite one")
        seed = given.get("seed")
        entries = [f'"method": "{method}"'] + ([] if seed is None else [f'"seed": {self.of(seed)}'])
        self.replace(node, "{" + ", ".join(entries) + "}")

    def _create_study(self, node: ast.Call) -> None:
        self._put_name(node.func, "neuralbo.create_study")
        for one in node.keywords:
            if one.arg != "sampler":
                continue
            text = self.of(one.value)
            if isinstance(one.value, ast.Call) and text.startswith("{"):
                pairs = [pair.split(": ", 1) for pair in text[1:-1].split(", ", 1)]
                self.replace(one, ", ".join(f"{key.strip(chr(34))}={value}" for key, value in pairs))
            elif isinstance(one.value, ast.Constant):
                self._drop(node, one)
            elif text in self._samplers:
                self.replace(one, f"**{text}")
            else:
                self._leave(node, f"sampler={text}: give method= and seed= instead", False)

    def _load_study(self, node: ast.Call) -> None:
        self._put_name(node.func, "neuralbo.load_study")
        for one in node.keywords:
            if one.arg in ("sampler", "pruner"):
                self._drop(node, one)
                self._note(node, "load_study: a stored study keeps its method and its pruner")

    def _pruner(self, node: ast.Call, name: str) -> None:
        positional, write = PRUNERS[name]
        given = self._arguments(node, positional)
        texts = {one: self.of(value) for one, value in given.items() if not _is_auto(value)}
        word, left_out = write(texts)
        if word is None:
            self._leave(node, f"{name.rsplit('.', 1)[-1]}: {left_out}")
            return
        if left_out:
            self._note(node, f"{name.rsplit('.', 1)[-1]}: {left_out}")
        # Arguments that are no numbers are computed where the script runs.
        self.replace(node, ("f" if "{" in word else "") + f'"{word}"')

    def _storage(self, node: ast.Call, name: str) -> None:
        positional, remark = STORAGES[name]
        given = self._arguments(node, positional)
        lost = [one for one in given if one != positional[0]] if positional else []
        if lost or remark:
            self._note(node, f"{name.rsplit('.', 1)[-1]}: {', '.join(lost) + ' left out' if lost else remark}")
        self.replace(node, self.of(given[positional[0]]) if positional and positional[0] in given else "None")

    def _figure(self, node: ast.Call, name: str) -> None:
        figure, allowed = FIGURES[name]
        given = self._arguments(node, ("study",))
        lost = [one for one in given if one not in ("study", *allowed)]
        extra: List[str] = []
        params = given.get("params")
        if figure == "contour" and params is not None:
            if not (isinstance(params, (ast.List, ast.Tuple)) and len(params.elts) == 2):
                self._leave(node, f"{name.rsplit('.', 1)[-1]}: neuralbo.plot.contour takes two parameters, (study, \"x\", \"y\")")
                return
            extra = [self.of(one) for one in params.elts]
        elif lost:
            self._note(node, f"{name.rsplit('.', 1)[-1]}: {', '.join(lost)} left out")
        arguments = ", ".join([*([self.of(given["study"])] if "study" in given else []), *extra])
        self._use("neuralbo.plot")
        self.replace(node, f"neuralbo.plot.{figure}({arguments})")

    def _get_logger(self, node: ast.Call) -> None:
        self._put_name(node.func, "logging.getLogger")
        if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == "optuna":
            self.replace(node.args[0], '"neuralbo"')
        self._note(node, "the logger is silent until its level is INFO; neuralbo.log_to_stderr() shows a line for each trial")

    def _importance(self, node: ast.Call) -> None:
        given = self._arguments(node, ("study",))
        if set(given) - {"study"}:
            self._note(node, f"get_param_importances: {', '.join(set(given) - {'study'})} left out")
        self.replace(node, f"{self.of(given['study'])}.importance().total")

    def _summaries(self, node: ast.Call) -> None:
        storage = self._arguments(node, ("storage",)).get("storage")
        if storage is None:
            self._leave(node, "get_all_study_summaries without a storage")
            return
        text = self.of(storage)
        self._note(node, "get_all_study_summaries: these are the studies; n_trials is len(study.trials)")
        self.replace(node, f"[neuralbo.load_study({text}, name) for name in neuralbo.list_studies({text})]")

    def _create_trial(self, node: ast.Call) -> None:
        self._leave(node, ALONE)

    # Methods of studies and trials, by their names.

    def _method(self, node: ast.Call, function: ast.Attribute) -> None:
        name = function.attr
        if name == "optimize":
            self._optimize(node)
        elif name in METHODS:
            renamed, extra, keywords = METHODS[name]
            if renamed != name or extra:
                values = [self.of(one) for one in node.args]
                if renamed == "suggest_float" and len(values) == 4:
                    extra = f"step={values.pop()}"
                parts = [*values, *(self.of(one) for one in node.keywords), *([extra] if extra else [])]
                self.replace(node, f"{self.of(function.value)}.{renamed}({', '.join(parts)})")
            for one in node.keywords:
                if one.arg in keywords:
                    self._keyword(node, one, keywords[one.arg])
        elif name == "add_trial":
            self._add_trial(node)
        elif name == "show" and not node.args and self._is_figure(function.value):
            self.replace(node, f"{self.of(function.value)}.figure.show()")

    def _keyword(self, node: ast.Call, keyword: ast.keyword, name: Optional[str]) -> None:
        if name is None:
            self._drop(node, keyword)
            self._note(node, f"{keyword.arg}= left out")
        else:
            self.replace(keyword, f"{name}={self.of(keyword.value)}")

    def _optimize(self, node: ast.Call) -> None:
        for place, value in enumerate(node.args[3:], start=3):
            if place < len(OPTIMIZE):
                self.replace(value, f"{OPTIMIZE[place]}={self.of(value)}")
        for one in node.keywords:
            if one.arg == "gc_after_trial":
                self._keyword(node, one, None)
            elif one.arg in ("n_jobs", "func"):
                self._keyword(node, one, {"n_jobs": "workers", "func": "objective"}[one.arg])

    def _add_trial(self, node: ast.Call) -> None:
        inner = node.args[0] if node.args else node.keywords[0].value if node.keywords else None
        if not isinstance(inner, ast.Call) or canonical(self.path(inner.func) or "") != "trial.create_trial":
            return
        self.left.pop(Remark(inner.lineno, ALONE), None)
        for one in inner.keywords:
            if one.arg == "values":
                self._keyword(inner, one, "value")
            elif one.arg == "system_attrs":
                self._keyword(inner, one, None)
        start, end = self.place(node.args[0] if node.args else node.keywords[0])
        self.replace_span(start, end, self.text(self.place(inner.func)[1] + 1, self.place(inner)[1] - 1).strip().rstrip(","))

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        if any(_is_state(one) for one in sides):
            for one in sides:
                for text in ast.walk(one) if not _is_state(one) else ():
                    if isinstance(text, ast.Constant) and text.value in STATES:
                        self.replace(text, f'"{STATES[text.value]}"')

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        names = {one.id for one in node.targets if isinstance(one, ast.Name)}
        if self._is_figure(node.value):
            self._figures |= names
        elif isinstance(node.value, ast.Call) and canonical(self.path(node.value.func) or "") in SAMPLERS:
            self._samplers |= names

    def _is_figure(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._figures
        return isinstance(node, ast.Call) and canonical(self.path(node.func) or "") in FIGURES

def _is_state(node: ast.expr) -> bool:
    """Whether it is `….state`, or the column of this name."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return bool(node.slice.value == "state")
    return isinstance(node, ast.Attribute) and node.attr == "state"


def _is_auto(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in ("auto", None)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m neuralbo.migrate", description="Rewrites a script for Optuna.")
    parser.add_argument("script", type=Path, help="the script")
    parser.add_argument("-o", "--output", type=Path, help="where the rewritten script goes; default: standard output")
    given = parser.parse_args(arguments)
    try:
        migrated = migrate(given.script.read_bytes().decode())
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        print(f"{given.script}: {error}", file=sys.stderr)
        return 2
    if given.output is None:
        print(migrated.text, end="")
    else:
        given.output.write_bytes(migrated.text.encode())
    print(f"{given.script}: {migrated.changed} lines changed", file=sys.stderr)
    for title, remarks in (("to do by hand", migrated.left), ("to check", migrated.check)):
        for one in remarks:
            print(f"{given.script}:{one.line}: {title}: {one.text}", file=sys.stderr)
    return 1 if migrated.left else 0


if __name__ == "__main__":
    sys.exit(main())
