"""A report is one file that shows the same pages without a server."""

from pathlib import Path

import dashboard as dashboards
import pytest
from conftest import Tab, make_tab
from playwright.sync_api import Browser, expect
from routes import PAGES, best, route, shown

# The study has one objective and no outcome constraint.
REPORT_PAGES = [page for page in PAGES if page not in ("/front", "/outcome-constraints")]


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report") / "tuning.html"
    dashboards.neuralbo("report", "tuning", "-o", str(path), "--storage", str(dashboards.storage()))
    return path


@pytest.fixture
def offline(browser: Browser, report: Path) -> Tab:
    tab = make_tab(browser, report.as_uri(), offline=True)
    yield tab
    tab.check()
    tab.page.context.close()


@pytest.mark.parametrize("page", REPORT_PAGES)
def test_pages_open_from_the_file(offline: Tab, page: str) -> None:
    offline.page.goto(f"{offline.url}{route('tuning', page)}")
    offline.settle()
    assert offline.page.locator(".notice.bad").count() == 0, offline.text()
    assert len(offline.text()) > 40


def test_the_file_opens_with_its_best_trial_and_its_table_sorts(offline: Tab, made: dict) -> None:
    offline.page.goto(offline.url)
    offline.settle()
    top = best(made["tuning"], "loss")
    assert offline.page.locator(".hero .huge").inner_text() == shown(top["values"]["loss"], 6)
    offline.page.goto(f"{offline.url}{route('tuning', '/trials')}")
    offline.settle()
    offline.page.get_by_role("button", name="loss").click()
    expect(offline.page.locator("tbody tr[data-i='0'] td").first).to_have_text(str(top["number"]))
