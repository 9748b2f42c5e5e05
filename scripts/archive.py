#!/usr/bin/env python3
"""Packs raw traces into one archive outside of the tree and prints the line that documents it.

    python3 scripts/archive.py lab-results --out ../neuralbo-traces-2026-11-16.tar.gz >> results/archives.md

The same files give the same bytes: names are sorted, owners and times left out. A later reader checks the sum and unpacks:

    sha256sum ../neuralbo-traces-2026-11-16.tar.gz
    tar -xzf ../neuralbo-traces-2026-11-16.tar.gz && neuralbo lab report lab-results
"""

import argparse
import gzip
import hashlib
import pathlib
import subprocess
import sys
import tarfile


def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The entry without what differs from machine to machine."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() else 0o644
    return entry


def pack(folders: list[pathlib.Path], out: pathlib.Path) -> int:
    """Writes the archive; the number of files in it."""
    files = 0
    with out.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed, tarfile.open(mode="w", fileobj=packed) as tar:
        for folder in folders:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                tar.add(path, arcname=str(pathlib.Path(folder.name) / path.relative_to(folder)), filter=plain)
                files += 1
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders of traces")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the archive, outside of the repository")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        if not folder.is_dir():
            parser.error(f"{folder} is no folder")
    root = pathlib.Path(__file__).resolve().parent.parent
    if root in arguments.out.resolve().parents:
        parser.error(f"--out {arguments.out} is inside of the repository; expected a path outside of {root.name}")
    files = pack(arguments.folders, arguments.out)
    if files == 0:
        arguments.out.unlink()
        parser.error("the folders hold no files")
    sum_of = hashlib.sha256(arguments.out.read_bytes()).hexdigest()
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip() or "unknown"
    size = arguments.out.stat().st_size / 1e6
    print(f"| `{arguments.out.name}` | {files} files, {size:.1f} MB | {commit} | `{sum_of}` |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
