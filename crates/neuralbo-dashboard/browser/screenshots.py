"""Pictures of the dashboard for the documentation.

target/browser-tests/venv/bin/python crates/neuralbo-dashboard/browser/screenshots.py docs/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path

import dashboard as dashboards
from conftest import FLAGS, make_tab
from playwright.sync_api import sync_playwright
from routes import route

PICTURES = [
    ("dashboard-light", route("tuning"), "light", {"width": 1200, "height": 860}),
    ("dashboard-dark", route("tuning"), "dark", {"width": 1200, "height": 860}),
    ("contour", route("tuning", "/relations?view=contour&x=lr&y=dropout"), "light", {"width": 1200, "height": 760}),
    ("importance", route("tuning", "/importance"), "dark", {"width": 1200, "height": 800}),
    ("front", route("front", "/front"), "light", {"width": 1200, "height": 700}),
    ("phone", route("tuning"), "light", {"width": 390, "height": 844}),
]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    running = dashboards.Dashboard(dashboards.storage(), "--port", "0")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for name, address, scheme, size in PICTURES:
            tab = make_tab(browser, running.url, viewport=size, color_scheme=scheme)
            tab.open(address)
            tab.model()
            tab.page.wait_for_timeout(500)
            tab.page.screenshot(path=folder / f"{name}.png")
            tab.check()
            tab.page.context.close()
    running.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
