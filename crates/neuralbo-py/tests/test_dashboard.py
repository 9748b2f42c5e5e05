"""The dashboard as a thread of this process, and reports."""

import json
import multiprocessing
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import neuralbo


def grown(**where: Any) -> neuralbo.Study:
    study = neuralbo.create_study(seed=3, method="random", **where)
    study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=12)
    return study


def ask(page: neuralbo.Dashboard, path: str) -> Any:
    base = page.url.split("#")[0].split("?")[0]
    with urllib.request.urlopen(f"{base}api/{path}", timeout=30) as answer:
        return json.loads(answer.read())


def test_a_study_in_memory_is_shown_while_it_grows(capsys: pytest.CaptureFixture[str]) -> None:
    study = grown(study_name="in memory/1")
    with neuralbo.dashboard(study) as page:
        assert capsys.readouterr().out.strip() == page.url
        assert page.url.endswith("#/study/in%20memory%2F1") and page.running and page.token is None
        found = ask(page, "studies/in%20memory%2F1")
        assert found["counts"]["complete"] == 12
        assert found["best"]["values"]["value"] == study.best_value
        assert found["best"]["params"] == study.best_params
    assert not page.running
    with pytest.raises(urllib.error.URLError):
        ask(page, "info")
    page.stop()


def test_a_storage_is_shown(storage: str) -> None:
    study = grown(storage=storage, study_name="tuning")
    with neuralbo.dashboard(storage) as page:
        assert [entry["name"] for entry in ask(page, "studies")["studies"]] == ["tuning"]
        assert ask(page, "studies/tuning")["best"]["number"] == study.best_trial.number
    with neuralbo.dashboard(study) as page:
        assert ask(page, "studies/tuning")["seq"] == 12


def test_a_notebook_gets_a_frame() -> None:
    study = grown(study_name='<b>"x"')
    page = neuralbo.dashboard(study)
    card = page._repr_html_()
    assert card.startswith("<iframe ") and "<b>" not in card and 'src="http://127.0.0.1:' in card
    base = page.url.split("#")[0]
    with urllib.request.urlopen(base, timeout=30) as answer:
        assert "frame-ancestors 'self' http://localhost:*" in answer.headers["Content-Security-Policy"]
    page.stop()
    assert "stopped" in page._repr_html_() and "stopped" in repr(page)


def in_child(page: neuralbo.Dashboard) -> None:
    assert not page.running
    page.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_does_not_end_the_dashboard_of_its_parent() -> None:
    with neuralbo.dashboard(grown()) as page:
        child = multiprocessing.get_context("fork").Process(target=in_child, args=(page,))
        child.start()
        child.join(30)
        assert child.exitcode == 0
        assert ask(page, "info")["editable"] is False


def test_a_report_is_one_file_with_the_answers_in_it(tmp_path: Path) -> None:
    study = grown(study_name="tuning")
    file = tmp_path / "tuning.html"
    neuralbo.report(study, file)
    text = file.read_text(encoding="utf-8")
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert data["/api/studies/tuning"]["best"]["values"]["value"] == study.best_value
    assert data["/api/info"]["report"] is True
    assert len(data["/api/studies/tuning/trials"]["trials"]) == 12
    assert "http://" not in text.split("<body>")[0].replace("http://www.w3.org", "")
