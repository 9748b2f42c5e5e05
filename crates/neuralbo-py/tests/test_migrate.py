"""Scripts for Optuna, rewritten by `python -m neuralbo.migrate`."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

from neuralbo.migrate import main, migrate


def lines(text: str) -> str:
    return migrate(text).text


@pytest.mark.parametrize(
    "before, after",
    [
        ("optuna.create_study()", "neuralbo.create_study()"),
        ("optuna.study.create_study(sampler=optuna.samplers.RandomSampler(3))", 'neuralbo.create_study(method="random", seed=3)'),
        ("optuna.create_study(sampler=optuna.samplers.TPESampler(seed=f(1, 2)))", 'neuralbo.create_study(method="neuralbo", seed=f(1, 2))'),
        ("optuna.load_study(study_name='s', sampler=optuna.samplers.TPESampler(), storage=u)", "neuralbo.load_study(study_name='s', storage=u)"),
        ("optuna.load_study(study_name='s', storage=u, pruner=p)", "neuralbo.load_study(study_name='s', storage=u)"),
        ("optuna.create_study(sampler=None, direction='maximize')", "neuralbo.create_study(direction='maximize')"),
        ("optuna.create_study(direction='maximize', sampler=None)", "neuralbo.create_study(direction='maximize')"),
        ("optuna.create_study(pruner=optuna.pruners.NopPruner())", 'neuralbo.create_study(pruner="none")'),
        ("optuna.pruners.MedianPruner(5, n_warmup_steps=w)", 'f"median:warmup={w},after=5"'),
        ("optuna.pruners.PercentilePruner(25.0, n_warmup_steps=3)", '"percentile:25.0,warmup=3"'),
        ("optuna.pruners.SuccessiveHalvingPruner()", '"asha:factor=4"'),
        ("optuna.pruners.HyperbandPruner(min_resource=1, max_resource=n)", 'f"hyperband:min=1,max={n}"'),
        ("optuna.pruners.ThresholdPruner(upper=2.0)", '"threshold:2.0"'),
        ("study.optimize(f, 10, None, 4, gc_after_trial=True)", "study.optimize(f, 10, None, workers=4)"),
        ("study.optimize(func=f, n_jobs=-1)", "study.optimize(objective=f, workers=-1)"),
        ("trial.suggest_loguniform('x', 1e-3, 1)", "trial.suggest_float('x', 1e-3, 1, log=True)"),
        ("trial.suggest_discrete_uniform('x', 0, 1, 0.25)", "trial.suggest_float('x', 0, 1, step=0.25)"),
        ("study.ask(fixed_distributions={'x': optuna.distributions.FloatDistribution(0, 1)})", "study.ask(space={'x': neuralbo.Float(0, 1)})"),
        ("study.add_trial(optuna.create_trial(params={'x': 1.0}, distributions=d, value=2.0))", "study.add_trial(params={'x': 1.0}, distributions=d, value=2.0)"),
        ("optuna.create_study(storage=optuna.storages.RDBStorage('sqlite:///a.db'))", "neuralbo.create_study(storage='sqlite:///a.db')"),
        ("t.state == optuna.trial.TrialState.FAIL", "t.state == neuralbo.TrialState.FAIL"),
        ("table[table['state'] == 'COMPLETE']", "table[table['state'] == \"complete\"]"),
        ("optuna.visualization.plot_contour(study, params=['x', 'y']).show()", "neuralbo.plot.contour(study, 'x', 'y').figure.show()"),
        ("optuna.visualization.matplotlib.plot_contour(study)", "neuralbo.plot.contour(study)"),
        ("optuna.get_all_study_summaries(url)", "[neuralbo.load_study(url, name) for name in neuralbo.list_studies(url)]"),
        ("optuna.importance.get_param_importances(study)", "study.importance().total"),
        ("study.sampler.__class__.__name__", "study.method"),
        ("optuna.logging.set_verbosity(optuna.logging.WARNING)", "neuralbo.log_to_stderr(logging.WARNING)"),
    ],
)
def test_calls_are_rewritten(before: str, after: str) -> None:
    found = migrate(f"import optuna\nfound = {before}  # why\n")
    assert found.text.splitlines()[-1] == f"found = {after}  # why"
    assert found.left == []
    ast.parse(found.text)


def test_imports_are_replaced_and_the_rest_of_the_script_stays() -> None:
    source = '"""Ünïcode."""\nimport os\nimport optuna as op\nfrom optuna.trial import Trial, TrialState as State\n\n\ndef f(trial: Trial):  # é\n    return trial.suggest_float("x", 0, 1)\n\n\nprint(os.name, "é", State.COMPLETE, op.TrialPruned)\n'
    assert lines(source) == source.replace("import optuna as op\nfrom optuna.trial import Trial, TrialState as State\n", "import neuralbo\n").replace(
        ": Trial", ": neuralbo.Trial"
    ).replace("State.COMPLETE", "neuralbo.TrialState.COMPLETE").replace("op.TrialPruned", "neuralbo.TrialPruned")
    windows = source.replace("\n", "\r\n")
    assert lines(windows) == lines(source).replace("\n", "\r\n")


def test_comments_between_arguments_stay_comments() -> None:
    call = "study = optuna.create_study(\n    direction='maximize',  # why\n    sampler=None  # who\n)\n"
    text = lines("import optuna\n" + call)
    ast.parse(text)
    assert "# why\n" in text and "# who\n" in text and "sampler" not in text


def test_imports_inside_of_blocks_stay_statements() -> None:
    source = "import optuna\ntry:\n    from optuna.trial import Trial\nexcept ImportError:\n    Trial = None\nprint(Trial)\n"
    assert lines(source).splitlines()[:3] == ["import neuralbo", "try:", "    import neuralbo"]
    ast.parse(lines(source))


def test_a_script_without_optuna_is_left_alone() -> None:
    source = "study.optimize(f, n_jobs=4)\ntrial.suggest_uniform('x', 0, 1)\n"
    found = migrate(source)
    assert (found.text, found.changed, found.left) == (source, 0, [])


@pytest.mark.parametrize(
    "statement, word",
    [
        ("class Mine(optuna.samplers.BaseSampler): pass", "NeuralBOSampler"),
        ("study = optuna.create_study(sampler=optuna.samplers.TPESampler(constraints_func=c))", "outcome_constraints"),
        ("study = optuna.create_study(sampler=chosen)", "sampler=chosen"),
        ("optuna.artifacts.upload_artifact(a)", "artifacts"),
        ("study.trials[0].system_attrs", "system_attrs"),
        ("optuna.pruners.HyperbandPruner()", "max_resource"),
        ("optuna.visualization.plot_edf(study)", "figure"),
        ("trial = optuna.trial.create_trial(value=1.0)", "add_trial"),
        ("make = optuna.samplers.TPESampler", "not called"),
        ("optuna.something_new()", "no counterpart"),
        ("from optuna_dashboard import run_server; run_server(storage)", "neuralbo.dashboard"),
        ("import optuna_dashboard, os; optuna_dashboard.run_server(os)", "neuralbo.dashboard"),
    ],
)
def test_what_needs_a_person_is_listed_with_its_line(statement: str, word: str) -> None:
    found = migrate(f"import optuna\n\n{statement}\n")
    assert [one.line for one in found.left] == [3] and word in found.left[0].text
    assert "optuna." not in found.text or "import optuna" in found.text


def test_what_is_left_out_is_said() -> None:
    found = migrate("import optuna\nsampler = optuna.samplers.TPESampler(multivariate=True, seed=1)\n")
    assert "multivariate" in found.check[0].text and found.left == []


SCRIPT = """
import logging
import sys

import optuna
from optuna.samplers import TPESampler
from optuna.study import MaxTrialsCallback
from optuna.trial import TrialState


def objective(trial):
    x = trial.suggest_float("x", -5, 5)
    layers = trial.suggest_categorical("layers", [(8,), (8, 8)])
    for step in range(3):
        trial.report(x**2 + step, step)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return x**2 + len({layers: 1}[layers] * layers)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = TPESampler(seed=1)
    study = optuna.create_study(sampler=sampler, pruner=optuna.pruners.MedianPruner(n_startup_trials=3), storage="sqlite:///s.db", study_name="s")
    study.enqueue_trial({"x": 1.0}, skip_if_exists=True)
    study.enqueue_trial({"x": 1.0}, skip_if_exists=True)
    study.optimize(objective, n_trials=30, n_jobs=2, callbacks=[MaxTrialsCallback(8, states=(TrialState.COMPLETE,))])
    done = study.get_trials(deepcopy=False, states=[TrialState.COMPLETE])
    again = optuna.load_study(study_name="s", storage="sqlite:///s.db")
    best = min(done, key=lambda t: t.values)
    assert best.number == again.best_trial.number and best.values[0] == again.best_value
    print(len(done) >= 8, sum(t.params["x"] == 1.0 for t in again.trials), type(again.best_params["layers"]).__name__)
"""


def test_a_rewritten_script_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    assert main([str(tmp_path / "script.py"), "-o", str(tmp_path / "out.py")]) == 0
    done = subprocess.run([sys.executable, "out.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.split()) == (0, ["True", "1", "tuple"]), done.stderr
    assert (tmp_path / "s.db").exists()


def test_the_command_writes_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text("import optuna\noptuna.artifacts.x()\nstudy = optuna.create_study()\n")
    assert main([str(script)]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == ["import neuralbo", "import optuna", "optuna.artifacts.x()", "study = neuralbo.create_study()"]
    assert "2 lines changed" in err and f"{script}:2: to do by hand: artifacts" in err
    script.write_text("def (:\n")
    missing: List[str] = [str(script), str(tmp_path / "nowhere.py")]
    assert [main([one]) for one in missing] == [2, 2]
