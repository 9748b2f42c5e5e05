#!/usr/bin/env python3
"""What the dashboard costs: workers with and without readers, streams of slow and dead readers, and a study of 100,000 trials.

    bench/system/dashboard.py --binary target/release/neuralbo --output results/2026-11-16/dashboard.md

Standard library only; Linux, because memory is read from /proc. Every part can be left out: --parts load,streams,scale,models,report.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "crates" / "neuralbo-dashboard" / "browser"))

import dashboard as dashboards  # noqa: E402
import studies  # noqa: E402

WORKERS = 8
READERS = 5
#: What an open page asks for when it hears of a change.
PAGE = ["", "/progress?points=2000", "/trials?limit=50&sort=number&desc=1", "/columns?points=5000"]


class Dashboard(dashboards.Dashboard):
    """A running dashboard on a port of its own."""

    def __init__(self, storage: Path) -> None:
        super().__init__(storage, "--port", "0")
        self.port = int(self.url.rsplit(":", 1)[1])

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def get(self, path: str) -> tuple[float, int, int]:
        """Seconds, bytes over the wire, and bytes of the answer."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - started
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {body[:300]!r}")
        whole = gzip.decompress(body) if answer.getheader("Content-Encoding") == "gzip" else body
        connection.close()
        return seconds, len(body), len(whole)

    def memory(self) -> tuple[float, float]:
        """Resident now and at most, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        value = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith(("VmRSS", "VmHWM"))}
        return int(value["VmRSS"]) / 1024, int(value["VmHWM"]) / 1024


def stream(port: int, study: str, receive_buffer: int | None = None) -> socket.socket:
    """An open stream of changes."""
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET /api/studies/{study}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return connection


def running(storage: Path, trials: int) -> subprocess.Popen[bytes]:
    """A process that runs random search on a study until it has so many trials, as fast as it can."""
    command = [dashboards.binary(), "run", "--study", "s", "--storage", str(storage), "--function", "ackley", "--dim", "5"]
    command += ["--method", "random", "--trials", str(trials), "--seed", "1"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def work(storage: Path, trials: int) -> float:
    """Trials per second of eight processes that share a study."""
    started = time.perf_counter()
    workers = [running(storage, trials) for _ in range(WORKERS)]
    for worker in workers:
        worker.wait()
    return (trials - 1) / (time.perf_counter() - started)


class Browser(threading.Thread):
    """A page that is open: it listens, and asks again when something has changed."""

    def __init__(self, dashboard: Dashboard, study: str) -> None:
        super().__init__(daemon=True)
        self.dashboard, self.study, self.asked, self.done = dashboard, study, 0, threading.Event()

    def run(self) -> None:
        connection = stream(self.dashboard.port, self.study)
        connection.settimeout(0.5)
        while not self.done.is_set():
            try:
                news = connection.recv(65536)
            except TimeoutError:
                continue
            if b"event: changed" in news:
                for rest in PAGE:
                    self.dashboard.get(f"/api/studies/{self.study}{rest}")
                    self.asked += 1
        connection.close()


def load(folder: Path, trials: int, rounds: int) -> Iterator[str]:
    """Throughput of the workers, in turns without and with readers."""
    alone: list[float] = []
    watched: list[float] = []
    asked = 0
    for turn in range(rounds):
        for with_readers in (turn % 2 == 1, turn % 2 == 0):
            storage = folder / f"load-{turn}-{with_readers}.db"
            running(storage, 1).wait()
            if not with_readers:
                alone.append(work(storage, trials))
                continue
            with Dashboard(storage) as dashboard:
                browsers = [Browser(dashboard, "s") for _ in range(READERS)]
                for browser in browsers:
                    browser.start()
                watched.append(work(storage, trials))
                for browser in browsers:
                    browser.done.set()
                    browser.join(30)
                    asked += browser.asked
    ratios = [with_them / without for without, with_them in zip(alone, watched)]
    yield f"## {WORKERS} workers at full speed, without and with {READERS} open pages\n"
    yield f"SQLite, method `random`, ackley in 5 dimensions, {trials} trials a run, {rounds} runs each, in turns.\n"
    yield "| | median trials/s | smallest | largest |\n| --- | --- | --- | --- |"
    for name, found in (("workers alone", alone), (f"with {READERS} pages", watched)):
        yield f"| {name} | {statistics.median(found):.0f} | {min(found):.0f} | {max(found):.0f} |"
    ratio = statistics.median(watched) / statistics.median(alone)
    yield f"\nRatio of the medians {ratio:.3f}; of the pairs {', '.join(f'{r:.3f}' for r in ratios)}. The pages asked {asked} questions.\n"


def streams(folder: Path, seconds: float) -> Iterator[str]:
    """Memory while fifty streams are open, one of them slow and one dead."""
    storage = folder / "streams.db"
    running(storage, 1).wait()
    with Dashboard(storage) as dashboard:
        dashboard.get("/api/studies/s")
        before, _ = dashboard.memory()
        readers = [stream(dashboard.port, "s") for _ in range(48)]
        slow, dead = stream(dashboard.port, "s", 2048), stream(dashboard.port, "s", 2048)
        worker = running(storage, 1_000_000)
        heard, samples, end = 0, [], time.monotonic() + seconds
        for reader in (*readers, slow):
            reader.settimeout(0.001)
        while time.monotonic() < end:
            for reader in (*readers, slow):
                try:
                    heard += reader.recv(1 if reader is slow else 65536).count(b"event: changed")
                except TimeoutError:
                    pass
            samples.append(dashboard.memory()[0])
            time.sleep(0.2)
        worker.terminate()
        worker.wait()
        _, most = dashboard.memory()
        answer = dashboard.get("/api/studies/s")[0]
        dead.close()
    tenth = max(1, len(samples) // 10)
    first, last = statistics.median(samples[tenth : 2 * tenth]), statistics.median(samples[-tenth:])
    yield "## 50 streams, one slow, one dead\n"
    yield f"{seconds:.0f} s beside a worker at full speed; the slow reader takes a byte at a time, the dead one nothing.\n"
    yield f"| | |\n| --- | --- |\n| resident before | {before:.1f} MB |\n| after a tenth of the time | {first:.1f} MB |"
    yield f"| at the end | {last:.1f} MB |\n| at most | {most:.1f} MB |\n| events heard by the 48 others | {heard} |"
    yield f"| answer to a question at the end | {answer * 1e3:.0f} ms |\n"


def large(folder: Path, trials: int, parameters: int) -> Path:
    """A storage with a study of that size, the one of the browser tests."""
    storage, lines = folder / f"large-{trials}.db", studies.write(folder, "large", studies.large(trials, parameters))
    dashboards.neuralbo("import", str(lines), "--storage", str(storage))
    return storage


def scale(folder: Path, trials: int, parameters: int) -> Iterator[str]:
    """First answers and interactions on a large study."""
    storage = large(folder, trials, parameters)
    questions = {
        "study (first: reads all trials)": "",
        "progress": "/progress?points=2000",
        "columns, 5,000 of them": "/columns?points=5000",
        "first page of the table": "/trials?limit=100",
        "table by value": "/trials?limit=100&sort=value",
        "table by a parameter, down": "/trials?limit=100&sort=param:x01&desc=1",
        "table, search": "/trials?limit=100&search=node-3",
        "table, expression": "/trials?limit=100&where=x01%20%3C%200%20and%20x02%20%3E%201",
        "last page": f"/trials?limit=100&offset={trials - 100}",
        "failures": "/failures",
        "timeline": "/timeline",
        "one trial": f"/trials/{trials // 2}",
    }
    yield f"## {trials:,} trials × {parameters} parameters\n"
    yield "| question | ms | KB over the wire | KB |\n| --- | --- | --- | --- |"
    with Dashboard(storage) as dashboard:
        seconds, wire, whole = dashboard.get("/api/studies")
        yield f"| list of studies, before anything was read | {seconds * 1e3:.0f} | {wire / 1e3:.1f} | {whole / 1e3:.1f} |"
        for name, rest in questions.items():
            first, wire, whole = dashboard.get(f"/api/studies/large{rest}")
            again = [dashboard.get(f"/api/studies/large{rest}")[0] for _ in range(5)] if rest else [first]
            yield f"| {name} | {statistics.median(again) * 1e3:.0f} | {wire / 1e3:.1f} | {whole / 1e3:.1f} |"
        now, most = dashboard.memory()
        yield f"\nResident {now:.0f} MB, at most {most:.0f} MB.\n"


def models(folder: Path, trials: int, parameters: int) -> Iterator[str]:
    """The first answer of the model, and the next."""
    questions = {"slice (makes the model)": "/slice?param=x01", "contour": "/contour?x=x01&y=x02", "importance": "/importance"}
    yield f"## The model of {trials:,} trials × {parameters} parameters\n"
    yield "| | s, first | ms, again |\n| --- | --- | --- |"
    with Dashboard(large(folder, trials, parameters)) as dashboard:
        dashboard.get("/api/studies/large")
        for name, rest in questions.items():
            first, again = dashboard.get(f"/api/studies/large{rest}")[0], dashboard.get(f"/api/studies/large{rest}")[0]
            yield f"| {name} | {first:.2f} | {again * 1e3:.0f} |"
        now, most = dashboard.memory()
        yield f"\nResident {now:.0f} MB, at most {most:.0f} MB.\n"


def report(folder: Path, trials: int, parameters: int) -> Iterator[str]:
    """The size of a report."""
    storage, page = large(folder, trials, parameters), folder / "report.html"
    started = time.perf_counter()
    dashboards.neuralbo("report", "large", "--storage", str(storage), "-o", str(page))
    seconds = time.perf_counter() - started
    yield f"## Report of {trials:,} trials × {parameters} parameters\n"
    yield f"{page.stat().st_size / 1e6:.2f} MB in {seconds:.1f} s.\n"


def machine() -> str:
    """What it ran on."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    processor = names[0].split(":", 1)[1].strip() if names else platform.processor()
    return f"{processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start, Linux {platform.release()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=Path("target/release/neuralbo"))
    parser.add_argument("--output", type=Path, help="the file to write [default: standard output]")
    parser.add_argument("--parts", default="load,streams,scale,models,report")
    parser.add_argument("--trials", type=int, default=4000, help="trials of a run under load")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the streams are open")
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--parameters", type=int, default=20)
    parser.add_argument("--commit", default="")
    given = parser.parse_args()
    os.environ["NEURALBO_CLI"] = str(given.binary.resolve())
    commit = given.commit or subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    lines = ["# What the dashboard costs\n", f"`bench/system/dashboard.py --parts {given.parts}`, commit {commit}, {machine()}.\n"]
    parts = {
        "load": lambda folder: load(folder, given.trials, given.rounds),
        "streams": lambda folder: streams(folder, given.seconds),
        "scale": lambda folder: scale(folder, given.size, given.parameters),
        "models": lambda folder: models(folder, given.size, given.parameters),
        "report": lambda folder: report(folder, 10_000, given.parameters),
    }
    for part in given.parts.split(","):
        with tempfile.TemporaryDirectory() as folder:
            for line in parts[part](Path(folder)):
                print(line, flush=True)
                lines.append(line)
    if given.output:
        given.output.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
