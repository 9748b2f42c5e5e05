"""Notebook cards: what they say, that they are well-formed and that text cannot become markup."""

from typing import Any
from xml.etree import ElementTree

import pytest

import neuralbo
from neuralbo._html import result_card, study_card, unit_heights

EVIL = '<script>alert("x")</script>'


def words(card: str) -> "list[str]":
    """The texts of a card, which must be well-formed."""
    return [text for text in ElementTree.fromstring(card).itertext() if text]


def tags(card: str) -> "set[str]":
    return {element.tag for element in ElementTree.fromstring(card).iter()}


def parabola(x: Any) -> float:
    return float((x[0] - 0.5) ** 2)


def test_a_result_is_shown() -> None:
    result = neuralbo.minimize(parabola, [(-1, 1)], n_trials=8, seed=4)
    assert {"best value", "evaluations", "8", "seed", "4", f"{result.fun:.6g}"} <= set(words(result_card(result)))
    assert "svg" in tags(result_card(result))


def test_a_notebook_asks_for_the_card() -> None:
    result = neuralbo.minimize(parabola, [(-1, 1)], n_trials=4, seed=4)
    assert result._repr_html_() == result_card(result)
    study = neuralbo.create_study(seed=1)
    assert study._repr_html_() == study_card(study)


def test_failures_are_counted() -> None:
    def half(x: Any) -> float:
        return float("nan") if x[0] < 0 else float(x[0])

    result = neuralbo.minimize(half, [(-1, 1)], n_trials=8, seed=4)
    assert f"8, {result.nfail} of them failed" in words(result_card(result))


def test_a_result_without_any_value_has_a_card() -> None:
    result = neuralbo.minimize(lambda x: None, [(-1, 1)], n_trials=3, seed=4)
    assert "neuralbo result: found nothing" in words(result_card(result))
    assert "svg" not in tags(result_card(result))


def test_a_study_is_shown() -> None:
    study = neuralbo.create_study(study_name="tuning", direction="maximize", seed=1)
    assert "none yet" in words(study_card(study))
    study.optimize(lambda trial: trial.suggest_float("height", 0.0, 2.0), n_trials=5)
    assert {"neuralbo study: tuning", "maximize", "5 complete", "height", f"{study.best_value:.6g}"} <= set(words(study_card(study)))


def test_text_cannot_become_markup() -> None:
    space = neuralbo.Space({"kind": neuralbo.Categorical([EVIL, "plain"])})
    study = neuralbo.create_study(study_name=EVIL, space=space, seed=1)
    study.enqueue_trial({"kind": EVIL})
    study.optimize(lambda trial: 1.0 if trial.suggest_categorical("kind", [EVIL, "plain"]) == EVIL else 2.0, n_trials=2)
    assert EVIL in words(study_card(study)) and "script" not in tags(study_card(study))


def test_many_parameters_are_counted() -> None:
    result = neuralbo.minimize(lambda x: float(sum(x)), [(0, 1)] * 30, n_trials=3, seed=1, method="random")
    assert "and 19 more parameters" in words(result_card(result))


@pytest.mark.parametrize("values", [[3.0, 2.0, 1.0], [1e6, 10.0, 1e-3], [5.0, 5.0]])
def test_heights_fall_with_the_values_and_stay_inside(values: list[float]) -> None:
    heights = unit_heights(values)
    assert heights == sorted(heights)
    assert all(0.0 <= height <= 56.0 for height in heights)
