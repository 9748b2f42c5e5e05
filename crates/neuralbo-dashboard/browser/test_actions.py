"""What can be changed from the page, with the token and not without."""

import json
from pathlib import Path

import dashboard as dashboards
import pytest
from conftest import Tab, make_tab
from playwright.sync_api import Browser, expect
from routes import route
from test_live import small


@pytest.fixture
def editable(browser: Browser, tmp_path: Path, start):
    path = small(tmp_path)
    running = start(path, "--port", "0", "--allow-edit")
    tab = make_tab(browser, running.url)
    return path, running, tab


def give(tab: Tab, token: str) -> None:
    tab.page.get_by_role("textbox", name="Token").fill(token)
    tab.page.get_by_role("button", name="Continue").click()


def test_nothing_can_be_changed_where_it_is_not_allowed(tab: Tab) -> None:
    tab.open(route("tuning"))
    assert tab.page.get_by_role("heading", name="Actions").count() == 0


def test_a_wrong_token_is_refused_and_asked_for_again(editable) -> None:
    _, running, tab = editable
    tab.expected = ("status of 401", "status of 403")
    tab.open(route("live"))
    tab.page.get_by_role("button", name="Stop", exact=True).click()
    give(tab, "wrong-token-of-some-length")
    expect(tab.page.locator(".edit .bad")).to_be_visible()
    tab.page.get_by_role("button", name="Stop", exact=True).click()
    give(tab, running.token)
    expect(tab.page.locator(".edit .good")).to_contain_text("Stopped")
    tab.check()


def test_limits_and_a_trial_reach_the_study(editable) -> None:
    path, running, tab = editable
    tab.open(route("live"))
    tab.page.get_by_label("Trials", exact=True).fill("77")
    tab.page.get_by_role("button", name="Change", exact=True).click()
    give(tab, running.token)
    expect(tab.page.locator(".headline .unit", has_text="of 77")).to_be_visible(timeout=20_000)
    tab.page.locator("summary", has_text="Enqueue a trial").click()
    tab.page.locator("[name='p:lr']").fill("0.0125")
    tab.page.get_by_role("button", name="Add", exact=True).click()
    expect(tab.page.locator(".edit .good", has_text="Added")).to_be_visible(timeout=20_000)
    tab.check()
    asked = json.loads(dashboards.neuralbo("ask", "live", "--storage", str(path), "--json"))
    assert asked["params"]["lr"] == 0.0125


def test_a_note_stays_with_its_trial(editable) -> None:
    _, running, tab = editable
    tab.open(route("live", "/trial/3"))
    tab.page.get_by_label("Note").fill("looks promising <b>really</b>")
    tab.page.get_by_role("button", name="Keep").click()
    give(tab, running.token)
    expect(tab.page.locator(".edit .good")).to_have_text("Kept.", timeout=20_000)
    tab.page.reload()
    tab.settle()
    assert tab.page.locator(".said").inner_text() == "looks promising <b>really</b>"
    tab.check()


def test_a_note_an_attribute_and_a_new_name_stay_with_the_study(editable) -> None:
    path, running, tab = editable
    tab.expected = ("status of 404", "status of 409")
    tab.open(route("live"))
    tab.page.locator("summary", has_text="Note on the study").click()
    tab.page.get_by_label("Note", exact=True).fill("for the <b>paper</b>")
    tab.page.get_by_role("button", name="Keep").click()
    give(tab, running.token)
    expect(tab.page.locator(".said")).to_have_text("for the <b>paper</b>", timeout=20_000)
    tab.page.locator("summary", has_text="Attribute of the study").click()
    tab.page.get_by_label("Attribute", exact=True).fill("data")
    tab.page.get_by_label("Value (text or JSON)").fill('{"rows": 3}')
    tab.page.get_by_role("button", name="Set", exact=True).click()
    expect(tab.page.get_by_role("row", name="data")).to_contain_text('"rows": 3', timeout=20_000)
    tab.page.locator("summary", has_text="Rename the study").click()
    tab.page.get_by_label("New name").fill("a new, longer name")
    tab.page.get_by_role("button", name="Rename", exact=True).click()
    expect(tab.page.get_by_role("heading", level=1, name="a new, longer name")).to_be_visible(timeout=20_000)
    expect(tab.page.locator(".said")).to_have_text("for the <b>paper</b>", timeout=20_000)
    listed = dashboards.neuralbo("studies", "--storage", str(path))
    assert "a new, longer name\t" in listed and "live\t" not in listed
    tab.check()


def test_a_study_is_deleted_by_typing_its_name(editable) -> None:
    path, running, tab = editable
    tab.expected = ("status of 400", "status of 404")
    tab.open(route("live"))
    tab.page.locator("summary", has_text="Delete the study").click()
    tab.page.get_by_label("Type the name of the study").fill("lives")
    tab.page.get_by_role("button", name="Delete", exact=True).click()
    give(tab, running.token)
    expect(tab.page.locator(".edit .bad")).to_contain_text("it must be `live`")
    assert "live" in dashboards.neuralbo("studies", "--storage", str(path))
    tab.page.get_by_label("Type the name of the study").fill("live")
    tab.page.get_by_role("button", name="Delete", exact=True).click()
    expect(tab.page.get_by_role("heading", name="No study yet")).to_be_visible(timeout=20_000)
    assert "live" not in dashboards.neuralbo("studies", "--storage", str(path))
    tab.check()
