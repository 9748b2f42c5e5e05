#!/usr/bin/env python3
"""Checks what can be known of other compilers and systems without them.

    scripts/ci/portability.py

1. The oldest compiler: no dependency asks for a newer one than `rust-version` of Cargo.toml.
2. Other systems: what only Unix or Linux has is used in modules named `platform`, or behind a `cfg` that names the system.

`scripts/ci/cross-check.sh` compiles with that compiler and for these systems where rustup can download them.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from supply_chain import ROOT, metadata

SYSTEM_ONLY = re.compile(r"\bstd::os::(unix|linux|fd)\b|\b(rustix|libc|nix)::|\bsignal_hook::low_level\b")
CONDITION = re.compile(r"#!?\[cfg\((?:all\()?(unix|target_os|target_family|test, unix)")
# A condition stands directly above the item or statement that it is for.
REACH = 3


def rust_version(text: str) -> tuple[int, ...]:
    parts = tuple(int(part) for part in text.split("."))
    return parts + (0,) * (3 - len(parts))


def too_new(oldest: str, packages: list[dict[str, Any]]) -> list[str]:
    newer = [p for p in packages if p["rust_version"] and rust_version(p["rust_version"]) > rust_version(oldest)]
    return [f"{p['name']} {p['version']} needs Rust {p['rust_version']}; Cargo.toml says {oldest}" for p in newer]


def blocks(lines: list[str]) -> list[bool]:
    """Which lines are in a `mod` behind a condition; modules end at a line that closes their indentation."""
    inside, end = [], None
    for number, line in enumerate(lines):
        if end is not None and line.rstrip() == end:
            end = None
        above = lines[max(0, number - REACH) : number]
        opens = re.match(r"(\s*)(?:pub(?:\([^)]*\))? )?mod \w+ \{", line)
        if end is None and opens and any(CONDITION.search(other) for other in above):
            end = opens[1] + "}"
        inside.append(end is not None)
    return inside


def system_only(path: Path, text: str) -> list[str]:
    if any(part in ("platform", "platform.rs") for part in path.parts):
        return []
    lines = text.splitlines()
    behind = blocks(lines)
    broken = []
    for number, line in enumerate(lines):
        near = lines[max(0, number - REACH) : number + 1]
        if SYSTEM_ONLY.search(line.split("//")[0]) and not behind[number] and not any(CONDITION.search(n) for n in near):
            broken.append(f"{path}:{number + 1}: outside of `platform` without a condition: {line.strip()}")
    return broken


def self_test() -> None:
    use = "use std::os::unix::fs::PermissionsExt;\n"
    assert system_only(Path("src/a.rs"), use)
    assert not system_only(Path("src/platform/a.rs"), use)
    assert not system_only(Path("src/a.rs"), "#[cfg(unix)]\n" + use)
    assert system_only(Path("src/a.rs"), "#[cfg(unix)]\nfn a() {}\n\nfn b() {\n    rustix::fs::sync();\n}\n")
    assert not system_only(Path("src/a.rs"), "#[cfg(unix)]\nmod a {\n    fn b() {\n\n\n        rustix::fs::sync();\n    }\n}\n")
    assert too_new("1.89", [{"name": "a", "version": "1.0.0", "rust_version": "1.90"}])
    assert not too_new("1.89", [{"name": "a", "version": "1.0.0", "rust_version": "1.89.0"}])


def main() -> int:
    self_test()
    oldest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    packages = metadata()["packages"]
    broken = too_new(oldest, packages)
    sources = sorted(ROOT.glob("crates/*/src/**/*.rs"))
    for source in sources:
        broken += system_only(source.relative_to(ROOT), source.read_text())
    for line in broken:
        print(line, file=sys.stderr)
    stated = sum(p["rust_version"] is not None for p in packages)
    print(f"Rust {oldest}: {stated} of {len(packages)} packages state theirs; {len(sources)} files; {len(broken)} rules broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
