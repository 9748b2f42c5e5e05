"""Markup in names, workers, attributes, messages and choices is text."""

import pytest
import studies
from conftest import Tab
from routes import HOSTILE_NAME, PAGES, route


@pytest.mark.parametrize("page", [*PAGES, "/trial/4", "/trial/5"])
def test_no_page_makes_elements_of_text(tab: Tab, page: str) -> None:
    tab.open(route(HOSTILE_NAME, page))
    assert tab.page.locator("h1").inner_text() == HOSTILE_NAME
    assert tab.page.locator("main img").count() == 0
    assert tab.page.locator("main script").count() == 0


def test_hostile_texts_are_shown_as_they_are(tab: Tab) -> None:
    tab.open(route(HOSTILE_NAME, "/trial/4"))
    text = tab.text()
    assert f"worker {studies.IMAGE}" in text
    assert studies.HOSTILE in tab.page.locator(".failure pre").inner_text()
    assert tab.page.locator("td", has_text=studies.HOSTILE).count() >= 1
    tab.open("#/")
    assert tab.page.get_by_role("link", name=HOSTILE_NAME, exact=True).count() == 1
