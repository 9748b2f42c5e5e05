#!/usr/bin/env python3
"""Compares the public interface of the library crates with the lists that are checked in, and says which types in it are others'.

    scripts/ci/public_api.py             exit code 1 and a diff where an interface is not the one of its list
    scripts/ci/public_api.py --update    writes the lists: crates/*/public-api.txt

What is public is what rustdoc says of a build without optional features, items that it hides aside. rustdoc's JSON is not stable yet: the
script asks this compiler for it all the same and reads the parts that have not changed for years.
"""

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

ROOT = Path(__file__).resolve().parents[2]
# The crates whose interface is promised, and whose types may appear in it: their own, the standard library's and serde's.
CRATES = {
    "neuralbo": {"neuralbo", "std", "core", "alloc", "serde", "serde_core", "serde_json"},
    "neuralbo-store": {"neuralbo_store", "neuralbo", "std", "core", "alloc", "serde", "serde_core", "serde_json"},
}
# Implemented for everything and said nowhere.
AUTOMATIC = {"StructuralPartialEq", "UnwindSafe", "RefUnwindSafe", "Freeze"}

Item = dict[str, Any]


def documentation(crate: str) -> Item:
    """rustdoc's JSON of a crate with its default features."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    # What is compiled is shared with other builds (before cargo 1.91 it is compiled once more); the result is not, because cargo would
    # remove the HTML in target/doc.
    out = target / "public-api"
    with tempfile.TemporaryDirectory() as folder:
        rustdoc = Path(folder) / "rustdoc"
        rustdoc.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
        rustdoc.chmod(0o755)
        own = {"RUSTDOC": str(rustdoc), "RUSTDOCFLAGS": "-Z unstable-options --output-format json"}
        own |= {"CARGO_TARGET_DIR": str(out), "CARGO_BUILD_BUILD_DIR": str(target)}
        command = ["cargo", "doc", "--quiet", "--locked", "--no-deps", "--package", crate]
        subprocess.run(command, cwd=ROOT, env=os.environ | own, check=True)
    return json.loads((out / "doc" / f"{crate.replace('-', '_')}.json").read_text())


class Interface:
    """The public items of a crate, one line each."""

    def __init__(self, document: Item) -> None:
        self.index: dict[str, Item] = {str(key): item for key, item in document["index"].items()}
        self.paths: dict[str, Item] = {str(key): item for key, item in document["paths"].items()}
        self.crates = {int(key): crate["name"] for key, crate in document["external_crates"].items()}
        root = self.index[str(document["root"])]
        self.name = root["name"]
        self.foreign: dict[str, set[str]] = {}
        self.seen: set[str] = set()
        self.line = ""
        self.lines = sorted(set(self.items(root, self.name)))

    # What there is.

    def items(self, module: Item, path: str) -> Iterator[str]:
        for identifier in module["inner"]["module"]["items"]:
            item = self.index[str(identifier)]
            inner = item["inner"]
            if item["visibility"] != "public":
                continue
            if "use" in inner:
                yield from self.reexport(inner["use"], path)
            elif "module" in inner:
                yield f"mod {path}::{item['name']}"
                yield from self.items(item, f"{path}::{item['name']}")
            else:
                yield from self.item(item, f"{path}::{item['name']}")

    def reexport(self, use: Item, path: str) -> Iterator[str]:
        target = self.index.get(str(use["id"]))
        if target is None:
            yield f"use {path}::{use['name']} = {use['source']}"
        elif use["is_glob"]:
            yield from self.items(target, path)
        elif str(use["id"]) in self.seen:
            yield f"use {path}::{use['name']}"
        else:
            yield from self.item(target, f"{path}::{use['name']}")

    def item(self, item: Item, path: str) -> Iterator[str]:
        if str(item["id"]) in self.seen:
            yield f"use {path}"
            return
        self.seen.add(str(item["id"]))
        kind, inner = next(iter(item["inner"].items()))
        mark = "#[non_exhaustive] " if any("non_exhaustive" in json.dumps(a) for a in item["attrs"]) else ""
        match kind:
            case "struct" | "enum" | "union":
                yield f"{mark}{kind} {path}{self.generics(inner['generics'])}"
                yield from self.fields(inner.get("kind", {}), path)
                for identifier in inner.get("variants", []):
                    variant = self.index[str(identifier)]
                    yield f"variant {path}::{variant['name']}"
                    yield from self.fields(variant["inner"]["variant"]["kind"], f"{path}::{variant['name']}")
                for identifier in inner["impls"]:
                    yield from self.implementation(self.index[str(identifier)]["inner"]["impl"], path)
            case "trait":
                bounds = self.bounds(inner["bounds"])
                yield f"trait {path}{self.generics(inner['generics'])}{': ' + bounds if bounds else ''}"
                for identifier in inner["items"]:
                    yield from self.member(self.index[str(identifier)], path)
            case "function":
                yield self.function(inner, path)
            case "constant":
                yield f"const {path}: {self.type(inner['type'])}"
            case "static":
                yield f"static {path}: {self.type(inner['type'])}"
            case "type_alias":
                yield f"type {path}{self.generics(inner['generics'])} = {self.type(inner['type'])}"
            case _:
                yield f"{kind} {path}"

    def fields(self, kind: Any, path: str) -> Iterator[str]:
        if not isinstance(kind, dict):
            return
        if "tuple" in kind:
            shown = [self.index.get(str(identifier)) for identifier in kind["tuple"] if identifier is not None]
        else:
            shown = [self.index.get(str(identifier)) for identifier in next(iter(kind.values()), {}).get("fields", [])]
        for field in shown:
            if field is not None and field["visibility"] in ("public", "default"):
                yield f"field {path}.{field['name']}: {self.type(field['inner']['struct_field'])}"

    def implementation(self, inner: Item, path: str) -> Iterator[str]:
        trait = inner["trait"]
        if trait is None:
            for identifier in inner["items"]:
                member = self.index[str(identifier)]
                if member["visibility"] == "public":
                    yield from self.member(member, path)
        elif not (inner["is_synthetic"] or inner["blanket_impl"]) and self.short(trait) not in AUTOMATIC:
            yield f"impl {self.path(trait)} for {path}"

    def member(self, member: Item, path: str) -> Iterator[str]:
        kind, inner = next(iter(member["inner"].items()))
        place = f"{path}::{member['name']}"
        match kind:
            case "function":
                yield self.function(inner, place)
            case "assoc_const":
                yield f"const {place}: {self.type(inner['type'])}"
            case "assoc_type":
                yield f"type {place}: {self.bounds(inner['bounds'])}"

    # How it is written.

    def function(self, inner: Item, path: str) -> str:
        signature = inner["sig"]
        arguments = ", ".join(f"{name}: {self.type(kind)}" for name, kind in signature["inputs"])
        output = f" -> {self.type(signature['output'])}" if signature["output"] else ""
        words = "".join(f"{word} " for word in ("const", "async", "unsafe") if inner["header"].get(f"is_{word}"))
        return f"{words}fn {path}{self.generics(inner['generics'])}({arguments}){output}"

    def generics(self, generics: Item) -> str:
        shown = []
        for parameter in generics["params"]:
            kind, inner = next(iter(parameter["kind"].items()))
            if kind == "type" and inner.get("is_synthetic"):
                continue
            bounds = self.bounds(inner.get("bounds", [])) if kind == "type" else ""
            shown.append(parameter["name"] + (f": {bounds}" if bounds else ""))
        where = [
            f"{self.type(p['bound_predicate']['type'])}: {self.bounds(p['bound_predicate']['bounds'])}"
            for p in generics["where_predicates"]
            if "bound_predicate" in p
        ]
        return (f"<{', '.join(shown)}>" if shown else "") + (f" where {', '.join(where)}" if where else "")

    def bounds(self, bounds: list[Item]) -> str:
        return " + ".join(self.path(b["trait_bound"]["trait"]) if "trait_bound" in b else b.get("outlives", "use<>") for b in bounds)

    def short(self, path: Item) -> str:
        return str(path.get("path", path.get("name", ""))).split("::")[-1]

    def path(self, path: Item) -> str:
        """A type or a trait with its arguments; where it is another crate's, that crate is noted."""
        name = self.short(path)
        known = self.paths.get(str(path["id"]))
        if known is not None and known["crate_id"] != 0:
            crate = self.crates.get(known["crate_id"], "?")
            self.foreign.setdefault(crate, set()).add(name)
        return name + self.arguments(path.get("args"))

    def arguments(self, given: Any) -> str:
        if not given:
            return ""
        if "parenthesized" in given:
            inner = given["parenthesized"]
            output = f" -> {self.type(inner['output'])}" if inner["output"] else ""
            return f"({', '.join(map(self.type, inner['inputs']))}){output}"
        inner = given.get("angle_bracketed")
        if not inner:
            return ""
        shown = []
        for argument in inner["args"]:
            if isinstance(argument, str):
                shown.append("_")
                continue
            kind, value = next(iter(argument.items()))
            shown.append(self.type(value) if kind == "type" else value["expr"] if kind == "const" else value)
        for constraint in inner["constraints"]:
            binding, value = next(iter(constraint["binding"].items()))
            text = f" = {self.type(value['type'])}" if binding == "equality" else f": {self.bounds(value)}"
            shown.append(constraint["name"] + text)
        return f"<{', '.join(shown)}>" if shown else ""

    def type(self, given: Any) -> str:
        if isinstance(given, str):
            return "_"
        kind, inner = next(iter(given.items()))
        match kind:
            case "resolved_path":
                return self.path(inner)
            case "generic" | "primitive":
                return inner
            case "borrowed_ref":
                lifetime = f"{inner['lifetime']} " if inner["lifetime"] else ""
                return f"&{lifetime}{'mut ' if inner['is_mutable'] else ''}{self.type(inner['type'])}"
            case "tuple":
                return f"({', '.join(map(self.type, inner))})"
            case "slice":
                return f"[{self.type(inner)}]"
            case "array":
                return f"[{self.type(inner['type'])}; {inner['len']}]"
            case "impl_trait":
                return f"impl {self.bounds(inner)}"
            case "dyn_trait":
                lifetime = f" + {inner['lifetime']}" if inner["lifetime"] else ""
                return f"dyn {' + '.join(self.path(t['trait']) for t in inner['traits'])}{lifetime}"
            case "function_pointer":
                output = f" -> {self.type(inner['sig']['output'])}" if inner["sig"]["output"] else ""
                return f"fn({', '.join(self.type(kind) for _, kind in inner['sig']['inputs'])}){output}"
            case "qualified_path":
                return f"{self.type(inner['self_type'])}::{inner['name']}"
            case "raw_pointer":
                return f"*{'mut' if inner['is_mutable'] else 'const'} {self.type(inner['type'])}"
            case _:
                return kind


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the lists")
    update = parser.parse_args().update
    wrong = 0
    for crate, allowed in CRATES.items():
        interface = Interface(documentation(crate))
        file = ROOT / "crates" / crate / "public-api.txt"
        for other in sorted(set(interface.foreign) - allowed):
            print(f"{crate}: types of {other} are public: {', '.join(sorted(interface.foreign[other]))}")
            wrong = 1
        if update:
            file.write_text("\n".join(interface.lines) + "\n")
        before = file.read_text().splitlines() if file.exists() else []
        changed = list(difflib.unified_diff(before, interface.lines, str(file.relative_to(ROOT)), "this build", n=0, lineterm=""))
        if changed:
            print("\n".join(changed), f"\n{crate}: the public interface has changed; if that is meant: scripts/ci/public_api.py --update", sep="")
            wrong = 1
        else:
            print(f"{crate}: {len(interface.lines)} public items, as listed")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
