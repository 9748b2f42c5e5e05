"""Notebook cards: what they say, that they are well-formed and that text cannot become markup."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any, Optional

import pytest

import neuralbo
from neuralbo._html import result_card, study_card, unit_heights

EVIL = '<script>alert("x")</script>'


class Reader(HTMLParser):
    """Collects text and tags, and checks that tags are closed in order."""

    EMPTY = {"path", "circle"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(card: str) -> Reader:
    reader = Reader()
    reader.feed(card)
    reader.close()
    assert reader.open == []
    return reader


def parabola(x: Any) -> float:
    return float((x[0] - 0.5) ** 2)


def test_a_result_is_shown() -> None:
    result = neuralbo.minimize(parabola, [(-1, 1)], n_trials=8, seed=4)
    reader = read(result_card(result))
    assert {"best value", "evaluations", "8", "seed", "4", f"{result.fun:.6g}"} <= set(reader.words)
    assert "svg" in reader.tags


def test_a_notebook_asks_for_the_card() -> None:
    result = neuralbo.minimize(parabola, [(-1, 1)], n_trials=4, seed=4)
    assert result._repr_html_() == result_card(result)
    study = neuralbo.create_study(seed=1)
    assert study._repr_html_() == study_card(study)


def test_failures_are_counted() -> None:
    def half(x: Any) -> float:
        return float("nan") if x[0] < 0 else float(x[0])

    result = neuralbo.minimize(half, [(-1, 1)], n_trials=8, seed=4)
    assert f"8, {result.nfail} of them failed" in read(result_card(result)).words


def test_a_result_without_any_value_has_a_card() -> None:
    result = neuralbo.minimize(lambda x: None, [(-1, 1)], n_trials=3, seed=4)
    reader = read(result_card(result))
    assert "neuralbo result: found nothing" in reader.words
    assert "svg" not in reader.tags


def test_a_study_is_shown() -> None:
    study = neuralbo.create_study(study_name="tuning", direction="maximize", seed=1)
    assert "none yet" in read(study_card(study)).words
    study.optimize(lambda trial: trial.suggest_float("height", 0.0, 2.0), n_trials=5)
    words = read(study_card(study)).words
    assert {"neuralbo study: tuning", "maximize", "5 complete", "height", f"{study.best_value:.6g}"} <= set(words)


def test_text_cannot_become_markup() -> None:
    space = neuralbo.Space({"kind": neuralbo.Categorical([EVIL, "plain"])})
    study = neuralbo.create_study(study_name=EVIL, space=space, seed=1)
    study.enqueue_trial({"kind": EVIL})
    study.optimize(lambda trial: 1.0 if trial.suggest_categorical("kind", [EVIL, "plain"]) == EVIL else 2.0, n_trials=2)
    reader = read(study_card(study))
    assert "script" not in reader.tags
    assert EVIL in reader.words


def test_many_parameters_are_counted() -> None:
    result = neuralbo.minimize(lambda x: float(sum(x)), [(0, 1)] * 30, n_trials=3, seed=1, method="random")
    assert "and 19 more parameters" in read(result_card(result)).words


@pytest.mark.parametrize("values", [[3.0, 2.0, 1.0], [1e6, 10.0, 1e-3], [5.0, 5.0]])
def test_heights_fall_with_the_values_and_stay_inside(values: list[float]) -> None:
    heights = unit_heights(values)
    assert heights == sorted(heights)
    assert all(0.0 <= height <= 56.0 for height in heights)
