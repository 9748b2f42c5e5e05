"""A storage that goes away while a function runs: values are kept in files, also beyond the end of the process."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any, Callable, Iterator, List, Tuple
from urllib.parse import urlsplit

import pytest

import neuralbo

RUN = """
import signal, sys, time, neuralbo
# Python has no handler where its parent ignores the signal, as jobs in the background do.
signal.signal(signal.SIGINT, signal.default_int_handler)
url, name, folder = sys.argv[1:]
study = neuralbo.create_study(storage=url, study_name=name, method="random", seed=1, load_if_exists=True)

def objective(trial):
    trial.suggest_float("x", 0, 1)
    if trial.number == 1:
        open(folder + "/started", "w").close()
        while not open(folder + "/gate").read():
            time.sleep(0.05)
    return trial.number + 0.125

study.optimize(objective, n_trials=3)
"""


class Gateway:
    """A way to the server that can be closed: connections end, and new ones are refused."""

    def __init__(self, host: str, port: int) -> None:
        self.server = (host, port)
        self.open: List[socket.socket] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.listen()

    def listen(self) -> None:
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, far = listener.accept()[0], socket.create_connection(self.server)
            except OSError:
                return
            self.open += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.forward, args=(source, target), daemon=True).start()

    @staticmethod
    def forward(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        finally:
            target.close()

    def close(self) -> None:
        # A shutdown wakes the threads that accept or read; what is closed already cannot be shut down.
        for end in [self.listener, *self.open]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.close()
        self.open.clear()

    def reopen(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.listen()


@pytest.fixture
def gateway() -> Iterator[Tuple[Gateway, str]]:
    url = os.environ.get("NEURALBO_TEST_POSTGRES")
    if not url:
        pytest.skip("NOT TESTED: PostgreSQL; run scripts/ci/with-postgres.sh, which sets NEURALBO_TEST_POSTGRES")
    parts = urlsplit(url)
    gateway = Gateway(str(parts.hostname), int(parts.port or 5432))
    yield gateway, url.replace(f":{parts.port}", f":{gateway.port}") + "?patience=1&connect_timeout=2&sslmode=disable"
    gateway.close()


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "waited for a minute"
        time.sleep(0.05)


def spooled(folder: Path) -> List[Path]:
    return list((folder / "spool").glob("*.json"))


def cut_off(way: Gateway, url: str, name: str, folder: Path) -> "subprocess.Popen[str]":
    """A run whose storage goes away in trial 1, with the value of that trial in a file."""
    (folder / "gate").touch()
    environment = dict(os.environ, NEURALBO_SPOOL=str(folder / "spool"))
    run = subprocess.Popen([sys.executable, "-c", RUN, url, name, str(folder)], env=environment, stderr=subprocess.PIPE, text=True)
    wait_for((folder / "started").exists)
    way.close()
    (folder / "gate").write_text("go")
    wait_for(lambda: len(spooled(folder)) == 1)
    return run


def values(url: str, name: str) -> List[Any]:
    return [trial.value for trial in neuralbo.load_study(storage=url, study_name=name).trials]


def test_values_of_an_outage_are_told_when_the_storage_is_back(gateway: Tuple[Gateway, str], tmp_path: Path) -> None:
    way, url = gateway
    name = f"outage-{uuid.uuid4().hex[:8]}"
    run = cut_off(way, url, name, tmp_path)
    way.reopen()
    _, errors = run.communicate(timeout=100)
    assert run.returncode == 0, errors
    assert "RuntimeWarning: waiting for the storage" in errors and "results kept meanwhile: 1" in errors
    assert values(url, name) == [0.125, 1.125, 2.125] and spooled(tmp_path) == []


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_values_outlive_their_process(gateway: Tuple[Gateway, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: signal.Signals) -> None:
    way, url = gateway
    name = f"outage-{uuid.uuid4().hex[:8]}"
    run = cut_off(way, url, name, tmp_path)
    run.send_signal(end)
    _, errors = run.communicate(timeout=100)
    assert run.returncode != 0, errors
    way.reopen()
    assert values(url, name) == [0.125, None] and len(spooled(tmp_path)) == 1

    monkeypatch.setenv("NEURALBO_SPOOL", str(tmp_path / "spool"))
    study = neuralbo.load_study(storage=url, study_name=name)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + 7, n_trials=1)
    stored = values(url, name)
    assert stored[:2] == [0.125, 1.125] and 7 <= stored[2] <= 8 and spooled(tmp_path) == []


def test_without_a_private_folder_a_run_says_that_values_can_be_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "spool"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    monkeypatch.setenv("NEURALBO_SPOOL", str(folder))
    study = neuralbo.create_study(storage=f"sqlite:///{tmp_path}/s.db", method="random", seed=1)
    with pytest.warns(RuntimeWarning, match="results are lost if this process ends while the storage is away"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert len(study.trials) == 1
