"""A page follows its study, stays calm without its server, and goes on when it is back."""

import json
from pathlib import Path

import dashboard as dashboards
import studies
from conftest import make_tab
from playwright.sync_api import Browser, expect
from routes import route


def small(folder: Path) -> Path:
    path = folder / "live.db"
    file = studies.write(folder, "live", list(studies.tuning("live", 30, 4)))
    dashboards.neuralbo("import", str(file), "--storage", str(path))
    return path


def tell(path: Path, value: float) -> int:
    asked = json.loads(dashboards.neuralbo("ask", "live", "--storage", str(path), "--json"))
    dashboards.neuralbo("tell", "live", str(asked["trial"]), "--value", str(value), "--storage", str(path))
    return asked["trial"]


def test_a_new_best_appears_by_itself(browser: Browser, tmp_path: Path, start) -> None:
    path = small(tmp_path)
    running = start(path, "--port", "0")
    tab = make_tab(browser, running.url)
    tab.open(route("live"))
    expect(tab.page.locator(".live")).to_have_text("live")
    number = tell(path, 0.000123)
    expect(tab.page.locator(".hero .huge")).to_have_text("0.000123", timeout=15_000)
    assert f"trial {number}" in tab.page.locator(".hero").inner_text()
    tab.check()


def test_a_stopped_server_is_said_calmly_and_the_page_goes_on(browser: Browser, tmp_path: Path, start) -> None:
    path = small(tmp_path)
    running = start(path, "--port", "0")
    port = running.url.rsplit(":", 1)[1]
    tab = make_tab(browser, running.url)
    tab.open(route("live"))
    shown = tab.page.locator(".hero .huge").inner_text()
    running.stop()
    expect(tab.page.locator(".live")).to_contain_text("server unreachable", timeout=15_000)
    assert tab.page.locator(".hero .huge").inner_text() == shown
    tell(path, 0.000045)
    start(path, "--port", port)
    expect(tab.page.locator(".hero .huge")).to_have_text("4.5e-5", timeout=30_000)
