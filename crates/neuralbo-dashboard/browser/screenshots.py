"""Pictures of the dashboard for the documentation; needs Pillow beside what the tests need.

target/browser-tests/venv/bin/python crates/neuralbo-dashboard/browser/screenshots.py docs/pictures
"""

import sys
from pathlib import Path

import dashboard as dashboards
from conftest import FLAGS, make_tab
from PIL import Image
from playwright.sync_api import sync_playwright
from routes import route

LARGEST = 150_000
PICTURES = [
    ("dashboard-light", route("tuning"), "light", {"width": 1200, "height": 860}),
    ("dashboard-dark", route("tuning"), "dark", {"width": 1200, "height": 860}),
    ("contour", route("tuning", "/relations?view=contour&x=lr&y=dropout"), "light", {"width": 1200, "height": 860}),
    ("importance", route("tuning", "/importance"), "dark", {"width": 1200, "height": 800}),
    ("front", route("front", "/front"), "light", {"width": 1200, "height": 700}),
    ("phone", route("tuning"), "light", {"width": 390, "height": 844}),
]


def save(picture: bytes, path: Path) -> None:
    """As it is, or with few colours where a map makes it large."""
    path.write_bytes(picture)
    if len(picture) > LARGEST:
        Image.open(path).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


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
            save(tab.page.screenshot(), folder / f"{name}.png")
            tab.check()
            tab.page.context.close()
    running.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
