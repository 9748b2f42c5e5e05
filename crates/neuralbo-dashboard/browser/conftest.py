"""A browser, a dashboard, and pages that note everything that goes wrong in them."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

import dashboard as dashboards
import studies

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Chromium reports every answer of status 4xx, such as 409 where there is no model yet, as an error of the console.
NO_MODEL = "the server responded with a status of 409"
SCREENSHOTS = dashboards.FOLDER / "screenshots"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "the tests need Chromium (Debian's package chromium)"
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=FLAGS)


@pytest.fixture(scope="session")
def dashboard() -> Iterator[dashboards.Dashboard]:
    running = dashboards.Dashboard(dashboards.storage(), "--port", "0")
    yield running
    running.stop()


@pytest.fixture
def start() -> Iterator[Any]:
    """Starts further dashboards; all are stopped after the test."""
    started: list[dashboards.Dashboard] = []

    def begin(path: Path, *options: str) -> dashboards.Dashboard:
        started.append(dashboards.Dashboard(path, *options))
        return started[-1]

    yield begin
    for running in started:
        running.stop()


@pytest.fixture(scope="session")
def made() -> dict[str, list[dict[str, Any]]]:
    """The trials of every study but the large one, by its file's name, as they were written."""
    return studies.all_studies(0)


class Tab:
    """A page that is checked: errors of scripts, of the console and of the content security policy are kept."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url, self.errors = page, url, []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("requestfailed", self.note_failure)
        self.expected: tuple[str, ...] = ()  # Errors that a test brings about.

    def note_failure(self, request: Any) -> None:
        # Streams and answers that nobody waits for any more end with the page.
        if "ERR_ABORTED" not in (request.failure or ""):
            self.errors.append(f"{request.url}: {request.failure}")

    def open(self, route: str) -> None:
        self.page.goto(f"{self.url}/{route}")
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_selector("main[aria-busy=false]", timeout=180_000)

    def model(self) -> None:
        """Waits until the model has said what it has to say."""
        expect(self.page.get_by_text("Computing…")).to_have_count(0, timeout=120_000)

    def text(self) -> str:
        return self.page.inner_text("main")

    def check(self) -> None:
        allowed = (NO_MODEL, *self.expected)
        unexpected = [error for error in self.errors if not any(part in error for part in allowed)]
        assert unexpected == []
        assert self.page.evaluate("window.hacked") is None

    def picture(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")


def make_tab(browser: Browser, url: str, **options: Any) -> Tab:
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 850}} | options))
    return Tab(context.new_page(), url)


@pytest.fixture
def tab(browser: Browser, dashboard: dashboards.Dashboard) -> Iterator[Tab]:
    made = make_tab(browser, dashboard.url)
    yield made
    made.check()
    made.page.context.close()
