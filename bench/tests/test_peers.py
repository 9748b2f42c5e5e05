"""Every peer that is installed proposes valid points, the same ones for the same seed, and speaks the lab's protocol."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import peers
from bench.peers import PEERS, Outcome, Start
from bench.peers.__main__ import Conversation
from bench.space import Space, real
from bench.tasks import get

ROOT = Path(__file__).resolve().parents[2]
# Enough to leave every initial design; slow peers are tried on what is special to a space.
TRIALS = {"smac": 16, "optuna-gp": 14, "hebo": 14, "turbo": 14, "botorch": 9}
SPECIAL = ("mlp-layers-moons", "hist-boosting-cancer", "family-clusters", "select-pca-svm-clusters", "boosting-friedman")
INSTALLED = peers.installed()
BOX = Space((real("x0", -5.0, 5.0), real("x1", 1e-3, 1e3, log=True)))


def sphere(params):
    return Outcome((params["x0"] ** 2 + np.log10(params["x1"]) ** 2,))


def mixed(params):
    """Cheap, and different for every choice and number."""
    return Outcome((sum(len(value) if isinstance(value, str) else float(value) for value in params.values()),))


def proposals(name, start, trials, objective):
    peer, points = peers.make(name, start), []
    for _ in range(trials):
        points.append(peer.ask())
        peer.tell(points[-1], objective(points[-1]))
    getattr(peer, "close", lambda: None)()
    return points


@pytest.mark.parametrize("name", INSTALLED)
def test_boxes_are_searched_repeatably_and_from_the_centre(name):
    trials = TRIALS.get(name, 40)
    points = proposals(name, Start(BOX, 3, trials, centred=True), trials, sphere)
    for params in points:
        BOX.check(params)
    # Some begin with a population or a design of their own; CMA-ES draws around the centre.
    if name not in ("gp-ei", "nsga2", "cma", "cma-lq", "smac", "hebo"):
        assert points[0] == pytest.approx({"x0": 0.0, "x1": 1.0})
    assert proposals(name, Start(BOX, 3, trials, centred=True), trials, sphere) == points


@pytest.mark.parametrize("name", ["cobyqa", "cobyqa-default", "cobyla", "slsqp", "cma", "cma-lq", "turbo"])
def test_optimizers_find_the_optimum_from_known_points(name):
    if name not in INSTALLED:
        pytest.skip(f"{name} is not installed")
    rng = np.random.default_rng(1)
    known = [(params, sphere(params)) for params in (BOX.sample(rng) for _ in range(6))]
    points = proposals(name, Start(BOX, 3, 60, known=known), 60, sphere)
    assert min(sphere(params).values[0] for params in points) < 1e-2


PAIRS = [(name, task) for name in INSTALLED if "mixed" in PEERS[name].takes for task in SPECIAL]


@pytest.mark.parametrize("name, task", PAIRS)
def test_mixed_spaces_get_valid_points(name, task):
    space, trials = get(task).space, TRIALS.get(name, 30)
    points = proposals(name, Start(space, 7, trials), trials, mixed)
    for params in points:
        space.check(params)
    if name in ("neuralbo", "gp-ei", "random", "sobol") or (name, task) == ("smac", "select-pca-svm-clusters"):
        assert all(space.feasible(params) for params in points)


@pytest.mark.parametrize("name", [name for name in INSTALLED if {"objectives", "outcomes"} & PEERS[name].takes])
def test_several_objectives_and_outcome_constraints(name):
    trials, takes = TRIALS.get(name, 30), PEERS[name].takes
    if "objectives" in takes:
        assert len(proposals(name, Start(BOX, 1, trials, objectives=2), trials, lambda p: Outcome((p["x0"], -p["x0"])))) == trials
    if "outcomes" in takes:
        limited = lambda params: Outcome(sphere(params).values, (params["x0"] - 1.0,))
        points = proposals(name, Start(BOX, 1, trials, constraints=1), trials, limited)
        assert any(limited(params).feasible for params in points)


def test_unknown_names_and_unsuitable_peers_are_refused():
    with pytest.raises(ValueError, match="known are neuralbo"):
        peers.make("tea", Start(BOX, 0, 10))
    with pytest.raises(ValueError, match="cma does not take what this task has: objectives"):
        peers.make("cma", Start(BOX, 0, 10, objectives=2))


def test_an_optimizer_that_fails_is_told_where_it_is_asked():
    from bench.peers.base import Inverted

    with pytest.raises(ZeroDivisionError):
        Inverted(BOX, lambda evaluate: 1 / 0).ask()
    with pytest.raises(RuntimeError, match="stopped by itself"):
        Inverted(BOX, lambda evaluate: None).ask()


def messages(values, direction="minimize"):
    space = {"x0": {"type": "float", "low": -5.0, "high": 5.0}, "x1": {"type": "float", "low": -5.0, "high": 5.0}}
    yield json.dumps({"start": {"protocol": 1, "problem": "t", "space": space, "direction": direction, "seed": 7, "budget": 9}})
    for value in values:
        yield json.dumps({"tell": {"point": {"x0": value or 0.0, "x1": 0.0}, "value": value}})
    yield '{"ask":1}'
    yield '{"stop":true}'


@pytest.mark.parametrize("direction, expected", [("minimize", 1.0), ("maximize", 3.0)])
def test_conversations_begin_with_the_shared_points(direction, expected):
    """CMA-ES begins near the best of them; a failed one counts as the worst."""
    (answer,) = Conversation("cma:sigma=0.001").answers(messages([3.0, None, 1.0], direction))
    assert json.loads(answer)["point"]["x0"] == pytest.approx(expected, abs=0.1)


def test_errors_are_answers():
    (answer,) = Conversation("tea").answers(messages([]))
    assert "unknown peer 'tea'" in json.loads(answer)["error"]


@pytest.mark.skipif("NEURALBO_CLI" not in os.environ, reason="NEURALBO_CLI is not set")
def test_the_lab_runs_a_peer(tmp_path):
    external = f"ext:PYTHONPATH={ROOT} {sys.executable} -m bench.peers cobyqa"
    size = ["--problems", "f1-d2", "--runs", "1", "--evals", "20", "--out", str(tmp_path)]
    subprocess.run([os.environ["NEURALBO_CLI"], "lab", "run", "bbob", *size, "--methods", external], check=True, capture_output=True)
    from bench.tables import load

    ((scores),) = load(tmp_path).values()
    # COBYQA solves the sphere of BBOB in a few evaluations.
    assert scores[2, 1, 1].final < -5
