"""The trial table at a hundred thousand rows: scrolled, sorted, filtered and searched by the server."""

import dashboard as dashboards
import studies
from conftest import Tab
from playwright.sync_api import expect
from routes import route, shown


def first_row(tab: Tab) -> list[str]:
    return tab.page.locator("tbody tr[data-i='0'] td").all_inner_texts()


def test_only_rows_in_sight_are_in_the_page(tab: Tab) -> None:
    tab.open(route("large", "/trials"))
    expect(tab.page.locator(".note[role=status]")).to_have_text(f"{dashboards.LARGE:,} trials")
    assert tab.page.locator("tbody tr[data-i]").count() < 100
    tab.page.locator(".viewport").evaluate("box => { box.scrollTop = box.scrollHeight }")
    last = tab.page.locator(f"tbody tr[data-i='{dashboards.LARGE - 1}'] td").first
    expect(last).to_have_text("0")
    assert tab.page.locator("tbody tr[data-i]").count() < 100


def test_the_best_of_all_is_first_when_sorted_by_value(tab: Tab) -> None:
    lines = studies.large(dashboards.LARGE)
    next(lines)
    top = min(lines, key=lambda t: t["values"]["value"])
    tab.open(route("large", "/trials"))
    tab.page.get_by_role("button", name="value").click()
    expect(tab.page.locator("tbody tr[data-i='0'] td").first).to_have_text(str(top["number"]))
    assert first_row(tab)[2] == shown(top["values"]["value"], 6)
    expect(tab.page.locator("th", has_text="value")).to_have_attribute("aria-sort", "ascending")
    tab.open(route("large"))
    assert tab.page.locator(".hero .huge").inner_text() == shown(top["values"]["value"], 6)


def matched(tab: Tab) -> object:
    return expect(tab.page.locator(".note[role=status]"))


def test_states_search_and_conditions_filter(tab: Tab, made: dict) -> None:
    trials = made["tuning"][1:]
    tab.open(route("tuning", "/trials"))
    tab.page.get_by_label("failed").check()
    matched(tab).to_have_text(f"{sum(t['state'] == 'failed' for t in trials)} of 1,000 trials")
    tab.page.get_by_label("failed").uncheck()
    tab.page.get_by_label("Filter by expression").fill("lr < 0.001")
    tab.page.keyboard.press("Enter")
    matched(tab).to_have_text(f"{sum(t['params']['lr'] < 0.001 for t in trials)} of 1,000 trials")
    tab.page.get_by_label("Filter by expression").fill("")
    tab.page.keyboard.press("Enter")
    tab.page.get_by_label("Search trials").fill("out of memory")
    matched(tab).to_have_text(
        f"{sum('out of memory' in t.get('failure', {}).get('message', '') for t in trials)} of 1,000 trials"
    )


def test_a_wrong_condition_is_answered_with_the_name_that_is_wrong(tab: Tab) -> None:
    tab.expected = ("status of 400",)
    tab.open(route("tuning", "/trials"))
    tab.page.get_by_label("Filter by expression").fill("nosuch < 3")
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator(".notice.bad")).to_contain_text("nosuch")


def test_rows_are_walked_and_opened_by_keys(tab: Tab) -> None:
    tab.open(route("tuning", "/trials"))
    tab.page.locator(".viewport").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        tab.page.keyboard.press(key)
    expect(tab.page.locator(".trial-head h2")).to_have_text("Trial 997")


def test_columns_are_chosen(tab: Tab) -> None:
    tab.open(route("large", "/trials"))
    assert tab.page.get_by_role("columnheader", name="x19").count() == 0
    tab.page.get_by_text("Columns", exact=True).click()
    tab.page.get_by_label("x19").check()
    assert tab.page.get_by_role("columnheader", name="x19").count() == 1


def test_the_csv_has_every_trial(tab: Tab) -> None:
    tab.open(route("tuning", "/trials"))
    with tab.page.expect_download() as download:
        tab.page.get_by_role("link", name="Download CSV").click()
    rows = download.value.path().read_text().splitlines()
    assert len(rows) == 1001
