#!/usr/bin/env python3
"""Checks the dependencies of this platform, offline: licences, bans and duplicates of deny.toml, no unsafe code; writes the bill of materials.

    scripts/ci/supply_chain.py                    checks; exit code 1 where a rule is broken
    scripts/ci/supply_chain.py --sbom sbom.json   also writes a CycloneDX 1.5 bill of materials
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


def broken_licences(packages: list[dict[str, Any]], rules: dict[str, Any]) -> list[str]:
    licences = set(rules["licenses"]["allow"])
    wrong = [p for p in packages if not (p["license"] and allowed(p["license"], licences))]
    return [f"licence of {p['name']} {p['version']}: {p['license'] or 'none'}" for p in wrong]


def broken_bans(packages: list[dict[str, Any]], rules: dict[str, Any]) -> list[str]:
    banned = {entry["crate"].split("@")[0] for entry in rules["bans"]["deny"]}
    from_registry = [p for p in packages if p["source"] == REGISTRY]
    return [f"banned: {p['name']} {p['version']}" for p in from_registry if p["name"] in banned]


def broken_sources(packages: list[dict[str, Any]]) -> list[str]:
    return [f"source of {p['name']}: {p['source']}" for p in packages if p["source"] not in (None, REGISTRY)]


def broken_duplicates(packages: list[dict[str, Any]], rules: dict[str, Any]) -> list[str]:
    versions: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        versions[package["name"]].add(package["version"])
    several = {name for name, found in versions.items() if len(found) > 1}
    skipped = {entry["crate"] for entry in rules["bans"]["skip"]}
    return [f"several versions of {name}: {', '.join(sorted(versions[name]))}" for name in sorted(several - skipped)]


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


def sbom(data: dict[str, Any]) -> dict[str, Any]:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(p["name"], p["version"]): p["checksum"] for p in lock if "checksum" in p}
    packages = {p["id"]: p for p in data["packages"]}
    ref = {key: f"pkg:cargo/{p['name']}@{p['version']}" for key, p in packages.items()}
    program = next(p for p in data["packages"] if p["name"] == "neuralbo-cli")
    depends = [{"ref": ref[n["id"]], "dependsOn": sorted({ref[d] for d in n["dependencies"]})} for n in data["resolve"]["nodes"]]
    others = sorted((p for p in data["packages"] if p is not program), key=lambda p: (p["name"], p["version"]))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(program, checksums), "type": "application"}},
        "components": [component(p, checksums) for p in others],
        "dependencies": sorted(depends, key=lambda d: d["ref"]),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sbom", type=Path, help="where the bill of materials is written")
    options = parser.parse_args()
    rules, data = tomllib.loads((ROOT / "deny.toml").read_text()), metadata()
    packages = data["packages"]
    broken = broken_licences(packages, rules) + broken_bans(packages, rules) + broken_sources(packages)
    broken += broken_duplicates(packages, rules) + broken_safety()
    for line in broken:
        print(line, file=sys.stderr)
    if options.sbom:
        options.sbom.write_text(json.dumps(sbom(data), indent=1) + "\n")
        print(f"{options.sbom}: {len(packages) - 1} components")
    print(f"{len(packages)} packages, {len(broken)} rules broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
