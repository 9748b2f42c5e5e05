#!/usr/bin/env python3
"""Checks the dependencies of this platform, offline: licences, bans and duplicates of deny.toml, no unsafe code.

    scripts/ci/supply_chain.py                             checks; exit code 1 where a rule is broken
    scripts/ci/supply_chain.py --sbom sbom.json            also writes a CycloneDX 1.5 bill of materials
    scripts/ci/supply_chain.py --licences licences.txt     also writes the licences of the dependencies with their texts

Both name what the program and the Python package are built from, without what only tests and examples use.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
# What users install: the program and the engine of the Python package.
RELEASED = ("neuralbo-cli", "neuralbo-py")
LICENCE_FILE = re.compile(r"(un)?licen[cs]e|copying|notice|copyright", re.IGNORECASE)


def metadata() -> dict[str, Any]:
    """What is built on this platform: the packages of others need not have been downloaded."""
    version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = next(line.split()[1] for line in version.splitlines() if line.startswith("host:"))
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def allowed(expression: str, licences: set[str]) -> bool:
    """Whether an SPDX expression can be met: `/` is an old form of OR; AND binds tighter than OR, as in Python."""
    words = {"(": "(", ")": ")", "AND": "and", "OR": "or", "/": "or"}
    tokens = re.findall(r"[()/]|[^\s()/]+(?: WITH [^\s()/]+)?", expression)
    return eval(" ".join(words.get(token, str(token in licences)) for token in tokens), {})


def broken_packages(packages: list[dict[str, Any]], rules: dict[str, Any]) -> list[str]:
    """Licences, bans, sources and duplicates."""
    licences, banned = set(rules["licenses"]["allow"]), {entry["crate"].split("@")[0] for entry in rules["bans"]["deny"]}
    versions: dict[str, set[str]] = defaultdict(set)
    broken = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        versions[package["name"]].add(package["version"])
        if not (package["license"] and allowed(package["license"], licences)):
            broken.append(f"licence of {name}: {package['license'] or 'none'}")
        if package["source"] == REGISTRY and package["name"] in banned:
            broken.append(f"banned: {name}")
        if package["source"] not in (None, REGISTRY):
            broken.append(f"source of {package['name']}: {package['source']}")
    several = {name for name, found in versions.items() if len(found) > 1}
    skipped = {entry["crate"] for entry in rules["bans"]["skip"]}
    return broken + [f"several versions of {name}: {', '.join(sorted(versions[name]))}" for name in sorted(several - skipped)]


def broken_safety() -> list[str]:
    lints = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["lints"]["rust"]
    broken = [] if lints.get("unsafe_code") in ("deny", "forbid") else ["Cargo.toml: unsafe_code is allowed"]
    for manifest in sorted([*ROOT.glob("crates/*/Cargo.toml"), ROOT / "fuzz/Cargo.toml"]):
        if not tomllib.loads(manifest.read_text()).get("lints", {}).get("workspace"):
            broken.append(f"{manifest.relative_to(ROOT)}: the lints of the workspace are not used")
    for source in sorted([*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("fuzz/src/**/*.rs")]):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            if re.search(r"\bunsafe\s*(\{|fn|impl)|allow\(\s*unsafe_code", line.split("//")[0]):
                broken.append(f"{source.relative_to(ROOT)}:{number}: unsafe code")
    return broken


def component(package: dict[str, Any], checksums: dict[tuple[str, str], str]) -> dict[str, Any]:
    name, version = package["name"], package["version"]
    found = {
        "type": "library",
        "bom-ref": f"pkg:cargo/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:cargo/{name}@{version}",
    }
    if package["license"]:
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := checksums.get((name, version)):
        found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return found


def built_in(data: dict[str, Any]) -> list[str]:
    """The packages that the program and the Python package are built from, by id, in order of name and version."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    packages = {p["id"]: p for p in data["packages"]}
    waiting = [key for key, p in packages.items() if p["name"] in RELEASED]
    found = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            used = any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            if used and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return sorted(found, key=lambda key: (packages[key]["name"], packages[key]["version"]))


def sbom(data: dict[str, Any]) -> dict[str, Any]:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(p["name"], p["version"]): p["checksum"] for p in lock if "checksum" in p}
    packages = {p["id"]: p for p in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    keys = built_in(data)
    ref = {key: f"pkg:cargo/{packages[key]['name']}@{packages[key]['version']}" for key in keys}
    program = next(key for key in keys if packages[key]["name"] == RELEASED[0])
    depends = [{"ref": ref[key], "dependsOn": sorted({ref[d] for d in nodes[key]["dependencies"] if d in ref})} for key in keys]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(packages[program], checksums), "type": "application"}},
        "components": [component(packages[key], checksums) for key in keys if key != program],
        "dependencies": depends,
    }


def licences(data: dict[str, Any]) -> str:
    """The dependencies with their licences, and every text once with the packages that have it."""
    packages = {p["id"]: p for p in data["packages"]}
    others = [packages[key] for key in built_in(data) if packages[key]["source"]]
    texts: dict[str, list[str]] = defaultdict(list)
    lines = ["Libraries that neuralbo is built from, and their licences.", ""]
    for package in others:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license']}")
        folder = Path(package["manifest_path"]).parent
        for path in sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name)):
            texts[path.read_text(errors="replace").strip()].append(f"{name} ({path.name})")
    lines.append("SQLite (inside libsqlite3-sys): public domain")
    for text, names in texts.items():
        lines += ["", "=" * 80, *names, "=" * 80, "", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sbom", type=Path, help="where the bill of materials is written")
    parser.add_argument("--licences", type=Path, help="where the licences are written")
    options = parser.parse_args()
    rules, data = tomllib.loads((ROOT / "deny.toml").read_text()), metadata()
    packages = data["packages"]
    broken = broken_packages(packages, rules) + broken_safety()
    for line in broken:
        print(line, file=sys.stderr)
    if options.sbom:
        found = sbom(data)
        options.sbom.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{options.sbom}: {len(found['components'])} components")
    if options.licences:
        options.licences.write_text(licences(data))
    print(f"{len(packages)} packages, {len(broken)} rules broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
