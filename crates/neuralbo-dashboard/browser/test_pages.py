"""Every page opens on every study without an error, and says what the data say."""

import re

import pytest
from conftest import Tab
from routes import HOSTILE_NAME, PAGES, all_routes, best, completes, predicted, route, share_inside, shown


@pytest.mark.parametrize("address", all_routes())
def test_a_page_opens_without_errors(tab: Tab, address: str) -> None:
    tab.open(address)
    assert len(tab.text()) > 40
    assert "Loading…" not in tab.text()
    assert tab.page.locator(".notice.bad").count() == 0, tab.text()
    tab.picture(address.replace("/", "_").replace("?", "_")[:80])


def test_the_best_trial_is_the_first_thing_to_see(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    top = best(made["tuning"], "loss")
    hero = tab.page.locator(".hero")
    assert hero.bounding_box()["y"] < 300
    assert hero.locator(".huge").inner_text() == shown(top["values"]["loss"], 6)
    assert f"trial {top['number']}" in hero.inner_text()
    assert top["params"]["optimizer"] in hero.inner_text()
    hero.get_by_role("link", name="Open the trial").click()
    tab.settle()
    assert tab.page.locator(".trial-head h2").inner_text() == f"Trial {top['number']}"


@pytest.mark.parametrize("page", [p for p in PAGES if p not in ("/front", "/outcome-constraints")])
def test_an_empty_study_is_described_in_words(tab: Tab, page: str) -> None:
    tab.open(route("empty", page))
    tab.model()
    assert tab.page.locator("main canvas:visible").count() == 0
    said = tab.page.locator(".page").inner_text()
    assert re.search(r"No .*(yet|failed|intermediate|observation|prediction)|There is no model yet|A contour needs two|Ranks need two", said), said


def test_small_values_keep_their_digits(tab: Tab) -> None:
    tab.open(route("one"))
    assert tab.page.locator(".hero .huge").inner_text() == "1.07e-20"


def test_counts_are_those_of_the_data(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    states = [t["state"] for t in made["tuning"][1:]]
    tally = tab.page.locator(".tally").inner_text().replace("\n", " ")
    for state in ("complete", "failed", "pruned", "running"):
        assert f"{states.count(state)} {state}" in tally


def test_failures_are_shown_by_kind_with_their_messages(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/failures"))
    kinds = [t["failure"]["kind"] for t in made["tuning"][1:] if t["state"] == "failed"]
    for kind in set(kinds):
        card = tab.page.locator(".card", has=tab.page.get_by_role("heading", name=kind, exact=True))
        assert f"{kinds.count(kind)} trials" in card.inner_text()
    assert "CUDA out of memory" in tab.text()
    assert tab.page.locator("figure").count() == 7


def test_a_trial_says_why_it_was_chosen_and_what_was_predicted(tab: Tab, made: dict) -> None:
    chosen = next(t for t in made["tuning"][1:] if t["provenance"]["origin"] == "model:thompson" and t["state"] == "complete")
    tab.open(route("tuning", f"/trial/{chosen['number']}"))
    text = tab.text()
    assert "by Thompson sampling" in text
    assert "Predicted" in text and f"observed {shown(chosen['values']['loss'], 5)}" in text
    assert shown(chosen["params"]["lr"], 8) in text


def test_inactive_parameters_are_called_inactive(tab: Tab, made: dict) -> None:
    without = next(t for t in made["tuning"][1:] if "momentum" not in t["params"])
    tab.open(route("tuning", f"/trial/{without['number']}"))
    row = tab.page.get_by_role("row", name="momentum")
    assert "inactive" in row.inner_text()


def test_a_failed_trial_shows_its_message(tab: Tab, made: dict) -> None:
    broken = next(t for t in made["tuning"][1:] if t["state"] == "failed")
    tab.open(route("tuning", f"/trial/{broken['number']}"))
    assert broken["failure"]["message"] in tab.page.locator(".failure").inner_text()


def dominates(a: dict, b: dict) -> bool:
    pair = [(a["values"]["loss"], b["values"]["loss"]), (-a["values"]["throughput"], -b["values"]["throughput"])]
    return all(x <= y for x, y in pair) and any(x < y for x, y in pair)


def test_the_front_is_that_of_brute_force(tab: Tab, made: dict) -> None:
    trials = completes(made["front"])
    front = {t["number"] for t in trials if not any(dominates(other, t) for other in trials)}
    tab.open(route("front", "/front"))
    shown_numbers = {int(n) for n in tab.page.locator("section.card td:first-child").all_inner_texts()}
    assert shown_numbers == front
    tab.open(route("front"))
    assert tab.page.locator(".hero .huge").inner_text() == str(len(front))


def feasible(t: dict) -> bool:
    return t["values"]["memory"] <= 4e9 and 0.8 <= t["values"]["recall"] <= 0.99


def test_outcome_constraints_count_what_is_feasible(tab: Tab, made: dict) -> None:
    good = [t for t in made["bounded"][1:] if feasible(t)]
    tab.open(route("bounded", "/outcome-constraints"))
    text = tab.text()
    assert f"{len(good)} of 200 complete" in text.replace("\n", " ")
    assert f"trial {good[0]['number']}" in text
    tab.open(route("bounded"))
    top = min(good, key=lambda t: t["values"]["cost"])
    assert tab.page.locator(".hero .huge").inner_text() == shown(top["values"]["cost"], 6)


def test_curves_show_pruned_trials_as_such(tab: Tab) -> None:
    tab.open(route("tuning", "/curves"))
    legend = tab.page.locator(".legend").inner_text()
    assert "pruned" in legend and "complete" in legend


def test_workers_have_rows_in_the_timeline(tab: Tab) -> None:
    tab.open(route("tuning", "/timeline"))
    assert "4 workers" in tab.text()


def test_calibration_counts_predicted_trials(tab: Tab, made: dict) -> None:
    trials = predicted(made["tuning"])
    tab.open(route("tuning", "/model"))
    assert f"{round(100 * share_inside(trials))} % of {len(trials)} new values" in tab.text()


def test_seeds_are_one_band(tab: Tab) -> None:
    tab.open("#/compare?studies=seeds-1%2Cseeds-2%2Cseeds-3%2Ctuning")
    legend = tab.page.locator(".legend").inner_text()
    assert "seeds (3 runs: mean and band)" in legend and "tuning" in legend


def test_the_list_has_every_study(tab: Tab) -> None:
    tab.open("#/")
    for name in ("empty", "one", "tuning", "front", "bounded", "large", "seeds-2", HOSTILE_NAME):
        assert tab.page.get_by_role("link", name=name, exact=True).count() == 1
    tab.page.get_by_role("searchbox").fill("seeds")
    assert tab.page.locator("tbody tr").count() == 3


def test_an_address_that_names_nothing_says_so(tab: Tab) -> None:
    tab.expected = ("status of 404",)
    tab.open("#/study/nosuch")
    assert "nosuch" in tab.page.locator(".notice").first.inner_text()
    tab.open("#/nowhere")
    assert "There is no page" in tab.text()


def test_every_module_is_fetched_at_once(tab: Tab) -> None:
    """A module that is missing from the list in index.html would be found one round trip later."""
    script = "performance.getEntriesByType('resource').map(e => new URL(e.name).pathname).filter(p => p.endsWith('.js'))"
    tab.open("#/")
    listed = set(
        tab.page.evaluate(
            "[...document.querySelectorAll('link[rel=modulepreload], script[src]')].map(n => new URL(n.href || n.src).pathname)"
        )
    )
    assert set(tab.page.evaluate(script)) == listed
