"""What concerns the whole interpreter: imports, its lock, signals."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import python

import neuralbo


def test_importing_takes_nothing_heavy_along() -> None:
    heavy = ["numpy", "pandas", "matplotlib", "optuna", "ray", "sklearn", "cocoex"]
    assert python(f"import sys, neuralbo; print([m for m in {heavy!r} if m in sys.modules])") == "[]"


def test_the_core_works_without_numpy() -> None:
    code = """
import sys
sys.modules["numpy"] = None
import neuralbo
result = neuralbo.minimize(lambda x: (x[0] - 1) ** 2, [(-5, 5)], n_trials=20, seed=1)
assert isinstance(result.x, list) and result.fun < 1e-2, result
optimizer = neuralbo.Optimizer([(0, 1)] * 2, seed=1)
points = optimizer.ask(3)
assert [type(point) for point in points] == [list] * 3
optimizer.tell(points, [1.0, None, 2.0])
optimizer.add([[0.5, 0.5]], [3.0])
mean, sd = optimizer.predict([[0.1, 0.2]])
assert isinstance(mean, list)
assert neuralbo.Optimizer(pool=[[0.0], [1.0]], seed=1).ask() in (0, 1)
study = neuralbo.create_study(seed=1)
study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
print(len(study.trials))
"""
    assert python(code) == "3"


def test_other_threads_go_on_while_the_engine_computes() -> None:
    optimizer = neuralbo.Optimizer([(0, 1)] * 10, seed=1)
    X = np.random.default_rng(0).uniform(size=(400, 10))
    optimizer.add(X, X.sum(axis=1))
    longest, done = [0.0], threading.Event()

    def watch() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            longest[0], last = max(longest[0], now - last), now

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    optimizer.ask(100)
    asked = time.perf_counter() - started
    done.set()
    watcher.join()
    assert asked > 0.1, "the ask must take long enough to tell"
    assert longest[0] < 0.5 * asked, f"another thread stood still for {longest[0]:.3f} s of {asked:.3f} s"


SLOW = {
    "minimize": "neuralbo.minimize(slow, [(0, 1)], n_trials=1000, seed=1)",
    "workers": "neuralbo.minimize(slow, [(0, 1)], n_trials=1000, seed=1, workers=3)",
    "study": "study.optimize(slow)",
    "jobs": "study.optimize(slow, workers=2)",
}


@pytest.mark.parametrize("name", list(SLOW))
def test_interrupting_stops_at_once(name: str, tmp_path: Path) -> None:
    # A shell in the background ignores interrupts, and so would all its children: the program asks for them.
    code = f"""
import neuralbo, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
study = neuralbo.create_study(storage={str(tmp_path / "s.db")!r}, study_name="a", seed=1, space={{"x": (0, 1)}})
def slow(x):
    print("started\\n", end="", flush=True)  # in one piece, whichever thread is next
    time.sleep(30)
try:
    {SLOW[name]}
except KeyboardInterrupt:
    print("interrupted", [trial.state for trial in study.trials], flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.1)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert "interrupted" in output and time.monotonic() - sent < 5
    if name in ("study", "jobs"):
        assert "waiting" in output and "running" not in output.replace("interrupted", ""), output
