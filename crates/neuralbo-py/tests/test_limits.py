"""Values at both sides of their limits, values that contain themselves, and forks in the middle of a call."""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any

import pytest
from conftest import python

import neuralbo


def nested(levels: int) -> Any:
    value: Any = "leaf"
    for level in range(levels):
        value = [value] if level % 2 else {"inner": value}
    return value


def test_what_is_accepted_can_be_read_again(storage: str) -> None:
    space = {"c": neuralbo.Categorical([nested(64), 1]), "x": (0.0, 1.0)}
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1, space=space)

    def objective(trial: neuralbo.Trial) -> float:
        trial.set_user_attr("tree", nested(64))
        return float(trial.suggest_float("x", 0, 1))

    study.optimize(objective, n_trials=4)
    trials = neuralbo.load_study(storage, "s").trials
    assert [trial.user_attrs["tree"] for trial in trials] == [nested(64)] * 4
    optimizer = neuralbo.Optimizer(space, seed=1)
    optimizer.tell(optimizer.ask(), 1.0)
    assert pickle.loads(pickle.dumps(optimizer)).n_told == 1


def test_a_refused_attribute_leaves_the_study_readable(storage: str) -> None:
    study = neuralbo.create_study(storage=storage, study_name="s", seed=1, space={"x": (0.0, 1.0)})
    trial = study.ask()
    with pytest.raises(ValueError, match="attribute `tree`: at most 64 levels"):
        trial.set_user_attr("tree", nested(65))
    with pytest.raises(ValueError, match="at most 1048576 bytes"):
        trial.set_user_attr("text", "x" * (1 << 20))
    with pytest.raises(ValueError, match="at most 200 characters"):
        trial.set_user_attr("k" * 201, 1)
    assert neuralbo.load_study(storage, "s").trials[0].user_attrs == {}


#: What is done with a value `v`; the process must survive it.
USES = {
    "attribute": "neuralbo.create_study(seed=1).ask({'x': neuralbo.Float(0, 1)}).set_user_attr('k', v)",
    "choice": "neuralbo.Categorical([v, 1])",
    "suggested": "neuralbo.create_study(seed=1).ask().suggest_categorical('c', [v, 1])",
    "fixed": "neuralbo.Optimizer({'c': neuralbo.Fixed(v), 'x': neuralbo.Float(0, 1)}, seed=1)",
    "point": "neuralbo.Optimizer({'c': neuralbo.Categorical([1, 2])}, seed=1).add({'c': v}, 1.0)",
    "condition": "neuralbo.Space({'c': neuralbo.Categorical([1, 2]), 'x': neuralbo.Float(0, 1, when={'c': v})})",
    "enqueued": "neuralbo.create_study(seed=1, space={'x': (0.0, 1.0)}).enqueue_trial({'x': v})",
}
CODE = """
import neuralbo
cyclic, entry, deep = [], {}, []
cyclic.append(cyclic)
entry["a"] = entry
for _ in range(100_000):
    deep = [deep]
for v in (cyclic, entry, deep):
    try:
        USE
        print("accepted")
    except ValueError as error:
        assert "at most 64 levels of nesting" in str(error), error
"""


@pytest.mark.parametrize("use", list(USES))
def test_values_without_an_end_are_an_error(use: str) -> None:
    assert python(CODE.replace("USE", USES[use])) == ""


#: A fork while another thread is inside `ask`: the child uses another object, or hears why it cannot use this one.
FORK = """
import faulthandler, os, sys, threading
import neuralbo
asked = neuralbo.Optimizer([(0, 1)] * 10, seed=1)
X = [[((7 * i + 3 * j) % 101) / 101 for j in range(10)] for i in range(400)]
asked.add(X, [sum(x) for x in X])
other = neuralbo.Optimizer([(0, 1)], seed=2)
inside = threading.Event()
def ask():
    inside.set()
    while inside.is_set():
        asked.ask(20)
thread = threading.Thread(target=ask)
thread.start()
inside.wait()
answers = set()
for _ in range(6):
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(120, exit=True)
        other.ask()
        try:
            asked.ask()
            os._exit(0)
        except RuntimeError as error:
            os._exit(3 if "forked" in str(error) else 4)
    answers.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
inside.clear()
thread.join()
print(sorted(answers - {0}))
"""


@pytest.mark.skipif(not hasattr(os, "fork") or sys.version_info < (3, 9), reason="no fork here")
def test_a_fork_inside_of_a_call_is_an_error_in_the_child() -> None:
    assert python(FORK, timeout=300) == "[3]"
