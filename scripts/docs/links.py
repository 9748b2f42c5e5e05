#!/usr/bin/env python3
"""Checks every internal link and anchor of the built site.

    python3 scripts/docs/links.py target/docs/site

rustdoc checks its own pages; here they are only targets. Links to other hosts are counted and not followed.
"""

import sys
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for key, value in attributes:
            if key in ("href", "src") and value:
                self.links.append(value)
            elif key == "id" or (key == "name" and tag == "a"):
                self.anchors.add(value or "")


@lru_cache(maxsize=None)
def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text())
    return page


def wrong(site: Path, source: Path, link: str) -> str | None:
    """Why a link leads nowhere."""
    parts = urlsplit(link)
    start = site if parts.path.startswith("/") else source.parent
    goal = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else source.resolve()
    if goal.is_dir():
        goal /= "index.html"
    if not goal.is_file():
        return "no such file"
    if parts.fragment and goal.suffix == ".html" and unquote(parts.fragment) not in read(goal).anchors:
        return "no such anchor"
    return None


def main(site: Path) -> int:
    pages = [path for path in sorted(site.rglob("*.html")) if path.relative_to(site).parts[0] != "rust"]
    inside, outside, broken = 0, 0, []
    for path in pages:
        for link in read(path).links:
            if urlsplit(link).scheme or link.startswith("//"):
                outside += 1
                continue
            inside += 1
            if reason := wrong(site, path, link):
                broken.append(f"{path.relative_to(site)}: {link}: {reason}")
    print("\n".join(sorted(set(broken))))
    print(f"{len(pages)} pages, {inside} internal links, {len(broken)} broken; {outside} links to other hosts")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
