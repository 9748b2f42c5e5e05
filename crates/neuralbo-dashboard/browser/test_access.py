"""Accessibility: axe-core on every page in light and dark, keys, and the width of a phone."""

from pathlib import Path

import axe_playwright_python
import dashboard as dashboards
import pytest
from conftest import make_tab
from playwright.sync_api import Browser, expect
from routes import PAGES, best, route

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
STUDIES = [("tuning", page) for page in [*PAGES, "/trial/25"] if page not in ("/front", "/outcome-constraints")]
ROUTES = [
    "#/",
    "#/compare?studies=seeds-1%2Cseeds-2",
    route("empty"),
    route("front"),
    route("front", "/front"),
    route("bounded", "/outcome-constraints"),
] + [route(*study) for study in STUDIES]


def findings(tab) -> list[str]:
    """What axe finds that is serious or critical."""
    if not tab.page.evaluate("typeof axe === 'object'"):
        tab.page.evaluate(AXE)
    violations = tab.page.evaluate("axe.run().then(result => result.violations)")
    serious = [v for v in violations if v["impact"] in ("serious", "critical")]
    return [f"{v['id']}: {v['nodes'][0]['html']} {v['nodes'][0]['failureSummary']}" for v in serious]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ROUTES)
def test_axe_finds_nothing_serious(browser: Browser, dashboard: dashboards.Dashboard, address: str, scheme: str) -> None:
    tab = make_tab(browser, dashboard.url, color_scheme=scheme)
    tab.open(address)
    assert findings(tab) == []
    tab.page.context.close()


@pytest.mark.parametrize("address", ROUTES)
def test_a_phone_shows_every_page_without_scrolling_sideways(
    browser: Browser, dashboard: dashboards.Dashboard, address: str
) -> None:
    tab = make_tab(browser, dashboard.url, viewport={"width": 360, "height": 740}, has_touch=True)
    tab.open(address)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 360
    tab.picture(f"phone_{address.replace('/', '_').replace('?', '_')[:60]}")
    tab.page.context.close()


def test_the_skip_link_comes_first_and_leads_to_the_content(tab) -> None:
    tab.open(route("tuning"))
    tab.page.keyboard.press("Tab")
    expect(tab.page.locator(".skip")).to_be_focused()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("main")).to_be_focused()


def test_pages_are_reached_by_keys(tab, made: dict) -> None:
    tab.open(route("tuning"))
    tab.page.keyboard.press("]")
    expect(tab.page.locator(".tabs [aria-current]")).to_have_text("Trials")
    tab.page.keyboard.press("b")
    expect(tab.page.locator(".trial-head h2")).to_have_text(f"Trial {best(made['tuning'], 'loss')['number']}")
    tab.page.keyboard.press("?")
    expect(tab.page.get_by_role("dialog")).to_be_visible()
    tab.page.get_by_label("Use single keys as shortcuts").uncheck()
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.page.keyboard.press("s")
    expect(tab.page.locator(".trial-head h2")).to_be_visible()


def test_colours_can_be_changed_and_stay(tab) -> None:
    tab.open("#/")
    for expected in ("light", "dark"):
        tab.page.get_by_role("button", name="Colours").click()
        assert tab.page.evaluate("document.documentElement.dataset.theme") == expected
    tab.page.reload()
    assert tab.page.evaluate("getComputedStyle(document.body).color") == "rgb(231, 235, 239)"
