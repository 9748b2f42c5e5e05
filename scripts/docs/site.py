"""What mkdocs cannot do by itself: pages that live elsewhere in the repository or are made from the program, and links to its files.

A hook of mkdocs.yml. Pages are read as they are in the repository, so links between them work there and on the site.
"""

import logging
import os
import re
import sys
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # mkdocs loads a hook by its path

from commands import page as commands_page

ROOT = Path(__file__).resolve().parents[2]
LOG = logging.getLogger("mkdocs.plugins.site")
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", flags=re.MULTILINE | re.DOTALL)
# Files of the repository that are pages of the site under another name.
MOVED = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
RUSTDOC = Path(os.environ.get("NEURALBO_RUSTDOC", ROOT / "target" / "doc")).resolve()


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    def add(path: str, **source: Any) -> None:
        files.append(File.generated(config, path, **source))

    for name, page in MOVED.items():
        add(page, content=(ROOT / name).read_text())
    add("reference/commands.md", content=commands_page())
    for path in rustdoc():
        add("rust/" + path.relative_to(RUSTDOC).as_posix(), abs_src_path=str(path))
    return files


def rustdoc() -> list[Path]:
    """What `cargo doc` has written."""
    if not (RUSTDOC / "neuralbo" / "index.html").exists():
        LOG.warning("no rustdoc in %s: run `cargo doc --no-deps` first", RUSTDOC)
        return []
    return [path for path in sorted(RUSTDOC.rglob("*")) if path.is_file() and path.suffix != ".md" and path.name != ".lock"]


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    source = source_of(page.file.src_uri)
    return outside_fences(markdown, lambda text: LINK.sub(lambda link: linked(link, source, page.file.src_uri, config), text))


def source_of(uri: str) -> str:
    """Where in the repository a page comes from."""
    return next((name for name, page in MOVED.items() if page == uri), "docs/" + uri)


def shown(fence: str) -> str:
    """A block without the lines that rustdoc hides."""
    lines = fence.splitlines()
    hidden = lines[0].strip("` ~").startswith("rust")
    return "\n".join(line for line in lines if not (hidden and (line == "#" or line.startswith("# "))))


def outside_fences(markdown: str, change: Any) -> str:
    parts, at = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[at : fence.start()]), shown(fence.group())]
        at = fence.end()
    return "".join([*parts, change(markdown[at:])])


def linked(link: re.Match[str], source: str, uri: str, config: Any) -> str:
    """A link to a file of the repository, as the site needs it."""
    before, target, after = link.groups()
    if "://" in target or target.startswith(("#", "mailto:")):
        return link.group()
    path, hash_, anchor = target.partition("#")
    goal = normpath(f"{dirname(source)}/{path}".lstrip("/"))
    inside = MOVED.get(goal) or (goal[len("docs/") :] if goal.startswith("docs/") else None)
    if inside is not None:
        return f"{before}{relpath(inside, dirname(uri) or '.')}{hash_}{anchor}{after}"
    if not (ROOT / goal).exists():
        LOG.warning("%s links to '%s', which is not in the repository", source, target)
    kind = "tree" if (ROOT / goal).is_dir() else "blob"
    return f"{before}{config.repo_url.rstrip('/')}/{kind}/main/{goal}{hash_}{anchor}{after}"
