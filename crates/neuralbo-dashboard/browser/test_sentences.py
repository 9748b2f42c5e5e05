"""Sentences that the pages compose from numbers, on studies whose answers are known: docs/design/statements.md lists them."""

import json
import math
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from conftest import Tab
from routes import completes, deviation, predicted, route, share_inside, shown

from test_pages import feasible


def ask(tab: Tab, path: str) -> dict:
    with urlopen(f"{tab.url.split('#')[0].rstrip('/')}{path}") as answer:
        return json.load(answer)


def percent(share: float) -> str:
    value = 100 * share
    return f"{value:.1f}".rstrip("0").rstrip(".") + " %" if value < 9.95 else f"{math.floor(value + 0.5)} %"


def test_the_verdict_on_the_model_is_that_of_its_intervals(tab: Tab, made: dict) -> None:
    inside = share_inside(predicted(made["tuning"]))
    word = "overconfident" if inside < 0.8 else "underconfident" if inside > 0.97 else "well calibrated"
    tab.open(route("tuning", "/model"))
    assert f"The model is {word}." in tab.text()


def test_three_values_are_too_few_for_a_verdict(tab: Tab) -> None:
    points = {"mean": [1.0] * 3, "sd": [0.1] * 3, "value": [1.0, 1.1, 1.9], "number": [0, 1, 2]}
    answer = {"count": 3, "z": [0.0, 1.0, 9.0], "coverage": [{"level": 0.9, "share": 2 / 3}], "points": points}
    tab.page.route("**/calibration*", lambda request: request.fulfill(json=answer))
    tab.open(route("tuning", "/model"))
    tab.page.unroute("**/calibration*")
    assert "Too early to judge the model: a verdict needs 20 predicted values." in tab.text()
    assert "The model is" not in tab.text()


@pytest.mark.parametrize("low, high, said", [(0, 1, ", as expected."), (1, 2, ", within two standard deviations."), (2, 9, " standard deviations away.")])
def test_a_prediction_is_judged_by_its_standard_deviation(tab: Tab, made: dict, low: float, high: float, said: str) -> None:
    chosen = next(t for t in predicted(made["tuning"]) if low < deviation(t) < high)
    tab.open(route("tuning", f"/trial/{chosen['number']}"))
    assert f"observed {shown(chosen['values']['loss'], 5)}" in tab.text()
    assert said in tab.text()


def test_the_best_is_the_lowest_of_what_counts(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    assert f"lowest of {len(completes(made['tuning']))} complete trials" in tab.text()
    tab.open(route("bounded"))
    assert f"lowest of {sum(map(feasible, made['bounded'][1:]))} feasible trials" in tab.text()


def test_half_of_the_values_lie_below_the_median(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/relations?view=distribution"))
    values = sorted(t["values"]["loss"] for t in completes(made["tuning"]))
    summary = f"{len(values)} complete trials; half of them have at most {shown(values[math.ceil(len(values) / 2) - 1], 6)}."
    assert summary in tab.page.content()


def test_failures_are_shares_of_the_trials(tab: Tab, made: dict) -> None:
    finished = [t for t in made["tuning"][1:] if t["state"] != "running"]
    kinds = [t["failure"]["kind"] for t in finished if t["state"] == "failed"]
    tab.open(route("tuning", "/failures"))
    for kind in set(kinds):
        assert f"{percent(kinds.count(kind) / len(finished))} of finished trials" in tab.text()
        assert f"{percent(kinds.count(kind) / len(kinds))} of failures" in tab.text()


def test_importance_says_what_the_model_leaves(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/importance"))
    found = ask(tab, f"/api/studies/{quote('tuning')}/importance")
    assert found["trials"] == len(completes(made["tuning"])) and found["seen"] == 512
    assert f"By a model of 512 of {found['trials']} complete trials." in tab.text()
    assert f"It leaves {percent(1 - found['explained'])} of the variance of held-out trials unexplained." in tab.text()
    assert "noise a share" not in tab.text()


def test_the_advice_has_its_heading(tab: Tab) -> None:
    for name in ("one", "tuning", "empty"):
        tab.open(route(name, "/next"))
        found = ask(tab, f"/api/studies/{name}/next")
        assert tab.page.locator(".hero h2").inner_text() == found["heading"]
        assert found["advice"] in tab.text()
    assert ask(tab, "/api/studies/one/next")["expected_gain"] is None
