"""The log of runs, and their progress line."""

import io
import logging
import re
import sys
from typing import Any, Iterator, List

import pytest
from conftest import parabola

import neuralbo
from neuralbo import _callbacks


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    neuralbo.log_to_stderr(None)


def objective(trial: neuralbo.Trial) -> float:
    x = trial.suggest_float("x", -1, 1)
    if trial.number == 1:
        raise ArithmeticError("diverged")
    if trial.number == 2:
        trial.report(7.0, 1)
        raise neuralbo.TrialPruned
    return x**2


def test_a_study_logs_one_line_per_trial_with_the_best(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "neuralbo")
    study = neuralbo.create_study(seed=1)
    study.optimize(objective, n_trials=5, catch=ArithmeticError)
    assert [(record.name, record.levelname) for record in caplog.records] == [("neuralbo", "INFO")] * 5
    lines = [record.getMessage() for record in caplog.records]
    first = study.trials[0]
    assert lines[0] == f"Trial 0 finished with value {first.value} and parameters {first.params}. Best: trial 0 with {first.value}."
    assert lines[1] == f"Trial 1 failed: error: ArithmeticError: diverged. Parameters: {study.trials[1].params}."
    assert lines[2].startswith("Trial 2 pruned with value 7.0 and parameters {'x': ")
    best = min(study.trials[:4], key=lambda trial: trial.value if trial.state == "complete" else 9.0)
    assert lines[3].endswith(f"Best: trial {best.number} with {best.value}.")


def test_minimize_and_several_objectives_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "neuralbo")
    neuralbo.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=3, seed=1)
    goals = {"a": "minimize", "b": "maximize"}
    study = neuralbo.create_study(objectives=goals, method="random", seed=1)
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 2.0), n_trials=1, workers=2)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 4 and lines[3] == f"Trial 0 finished with values {study.trials[0].measured} and parameters {study.trials[0].params}."


def test_nothing_is_logged_and_no_handler_is_set_by_itself(capfd: pytest.CaptureFixture[str]) -> None:
    neuralbo.create_study(seed=1).optimize(objective, n_trials=3, catch=ArithmeticError)
    logger = logging.getLogger("neuralbo")
    assert capfd.readouterr() == ("", "") and logger.handlers == [] and logger.level == logging.NOTSET


def test_the_switch_shows_the_log_and_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    study = neuralbo.create_study(seed=1)
    neuralbo.log_to_stderr()
    neuralbo.log_to_stderr("INFO")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and re.match(r"\[I \d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] Trial 0 finished with value ", lines[0])
    neuralbo.log_to_stderr(logging.WARNING)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    neuralbo.log_to_stderr(None)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert capsys.readouterr().err == ""


def test_an_exhausted_space_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    study = neuralbo.create_study(seed=1)
    study.optimize(lambda trial: trial.suggest_int("n", 1, 3), n_trials=20)
    [record] = caplog.records
    assert record.levelname == "WARNING" and len(study.trials) == 3
    assert record.getMessage() == "optimize ended after 3 of 20 trials: every point of the space has been evaluated"
    caplog.clear()
    enough = neuralbo.create_study(seed=1)
    enough.optimize(lambda trial: trial.suggest_int("n", 1, 3), n_trials=3)
    enough.optimize(lambda trial: trial.suggest_int("n", 1, 3), n_trials=0)
    study.optimize(parabola, timeout=0.0)
    assert caplog.records == []


class Terminal(io.StringIO):
    """Keeps what a terminal of one line would show after each write."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: List[str] = []

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        line = list(self.shown[-1]) if self.shown else []
        at = len(line)
        for letter in text:
            if letter == "\r":
                at = 0
            elif letter != "\n":
                line[at : at + 1] = [letter]
                at += 1
        self.shown.append("".join(line))
        return len(text)


def test_the_progress_line_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    values = iter([1.2345678901e-154, 0.5, 0.0, -1.0])
    study = neuralbo.create_study(seed=1)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) * 0 + next(values), n_trials=4, show_progress_bar=True)
    shown = [re.sub(r", about .* left$", "", line.rstrip()) for line in terminal.shown if line.strip()]
    assert list(dict.fromkeys(shown)) == [
        "1/4 trials, best 1.23457e-154", "2/4 trials, best 1.23457e-154", "3/4 trials, best 0", "4/4 trials, best -1"
    ]


def test_the_progress_line_counts_and_says_so_before_the_first_value(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    def late(trial: neuralbo.Trial) -> float:
        trial.suggest_float("x", 0, 1)
        if trial.number < 2:
            raise ValueError("no")
        return 3.0

    neuralbo.create_study(seed=1).optimize(late, n_trials=3, catch=ValueError, show_progress_bar=True)
    shown = [line.strip() for line in terminal.shown if line.strip()]
    assert shown[0].startswith("1/3 trials, no value yet, 1 failed") and shown[-1] == "3/3 trials, best 3, 2 failed"


def test_log_lines_do_not_run_into_the_progress_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    neuralbo.log_to_stderr()
    written: List[str] = []
    monkeypatch.setattr(logging.StreamHandler, "emit", lambda self, record: written.append(terminal.shown[-1].strip() if terminal.shown else ""))
    neuralbo.create_study(seed=1).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3, show_progress_bar=True)
    assert written == ["", "", ""]


def test_without_a_terminal_progress_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    study = neuralbo.create_study(directions=["minimize"] * 2, method="random", seed=1)
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) * 0 + 1.0, 1.0), n_trials=9, show_progress_bar=True)
    err = capsys.readouterr().err
    assert "\r" not in err and len(err.splitlines()) < 9
    assert re.match(r"9/9 trials, \d+ on the front with hypervolume ", err.splitlines()[-1])


def test_parts_are_shown_whole_or_not_at_all() -> None:
    parts: List[Any] = ["3/9 trials", "best 8.03137e-08", "2 failed"]
    assert _callbacks.fitted(parts, 80) == "3/9 trials, best 8.03137e-08, 2 failed"
    assert _callbacks.fitted(parts, 30) == "3/9 trials, best 8.03137e-08"
    assert _callbacks.fitted(parts, 20) == "3/9 trials, 2 failed"
