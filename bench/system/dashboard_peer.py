"""Our dashboard and optuna-dashboard on the same study: first paint, content, interaction, memory, bytes over the wire.

    pip install optuna optuna-dashboard playwright psutil
    python bench/system/dashboard_peer.py --neuralbo target/release/neuralbo --trials 10000 --repeats 3

Both serve the same trials from SQLite on loopback to the same Chromium, one after the other, each page load in a fresh profile.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import optuna
import psutil
from playwright.sync_api import Browser, Page, sync_playwright

DISABLED = ("gpu", "quic", "background-networking", "component-update", "sync")
FLAGS = ["--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in DISABLED)]
DIMENSIONS = 10
NAME = "peer"


def make(folder: Path, trials: int) -> Path:
    """An Optuna storage with random trials of a weighted sphere; written by SQL, since adding them one by one takes long."""
    path = folder / "optuna.db"
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    optuna.create_study(study_name=NAME, storage=f"sqlite:///{path}", direction="minimize")
    rng = random.Random(1)
    domain = optuna.distributions.distribution_to_json(optuna.distributions.FloatDistribution(-5.0, 5.0))
    rows, values, params = [], [], []
    for number in range(trials):
        width = 2.5 / (1 + number / (0.2 * trials))
        point = [max(-5.0, min(5.0, rng.gauss(0.5, width))) for _ in range(DIMENSIONS)]
        start = datetime(2026, 1, 1) + timedelta(seconds=10 * number)
        rows.append((number + 1, number, 1, "COMPLETE", str(start), str(start + timedelta(seconds=9))))
        values.append((number + 1, 0, sum((i + 1) * (v - 0.5) ** 2 for i, v in enumerate(point)), "FINITE"))
        params += [(number + 1, f"x{i}", v, domain) for i, v in enumerate(point)]
    with closing(sqlite3.connect(path)) as database, database:
        tables = {
            "trials (trial_id, number, study_id, state, datetime_start, datetime_complete)": rows,
            "trial_values (trial_id, objective, value, value_type)": values,
            "trial_params (trial_id, param_name, param_value, distribution_json)": params,
        }
        for columns, lines in tables.items():
            database.executemany(f"INSERT INTO {columns} VALUES ({', '.join('?' * len(lines[0]))})", lines)
    return path


@dataclass
class Peer:
    """A dashboard: how it is started, and what is true in its page when the study is drawn and when its trials are listed."""

    name: str
    command: list[str]
    study: str
    drawn: str
    listed: str


def peers(neuralbo: str, optuna_db: Path, ours: Path) -> list[Peer]:
    dashboard = str(Path(sys.executable).parent / "optuna-dashboard")
    return [
        Peer(
            "neuralbo",
            [neuralbo, "dashboard", str(ours), "--port", "{port}"],
            f"/#/study/{NAME}",
            "document.querySelector('.hero .huge') && document.querySelector('.legend li')",
            "document.querySelector('tbody tr[data-i] td a')",
        ),
        Peer(
            "optuna-dashboard",
            [dashboard, f"sqlite:///{optuna_db}", "--port", "{port}"],
            "/dashboard/studies/1",
            "document.querySelector('.js-plotly-plot')?.data?.length",
            "/Trial \\d/.test(document.body.innerText)",
        ),
    ]


def memory(process: psutil.Process) -> float:
    """Resident memory of a process and all below it, in MB."""
    return sum(p.memory_info().rss for p in [process, *process.children(recursive=True)]) / 1e6


class Server:
    def __init__(self, peer: Peer, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        command = [part.format(port=port) for part in peer.command]
        begun = time.perf_counter()
        self.process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.answers():
            time.sleep(0.01)
        self.start_s = time.perf_counter() - begun

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(self.url, timeout=5).read(1)
            return True
        except OSError:
            return False

    def stop(self) -> None:
        for process in [*self.process.children(recursive=True), self.process]:
            process.terminate()
        self.process.wait()


class Wire:
    """Counts the bytes that come over the wire."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.dataReceived", self.add)

    def add(self, event: dict) -> None:
        self.bytes += event["encodedDataLength"] or event["dataLength"]


def load(browser: Browser, url: str, ready: str) -> tuple[Page, dict[str, float]]:
    page = browser.new_context(viewport={"width": 1280, "height": 850}, bypass_csp=True).new_page()
    wire = Wire(page)
    begun = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_function(ready, timeout=300_000)
    content = time.perf_counter() - begun
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN") / 1000
    page.wait_for_timeout(1500)
    return page, {"first paint (s)": paint, "study drawn (s)": content, "over the wire (MB)": wire.bytes / 1e6}


def list_trials(page: Page, peer: Peer) -> float:
    """Seconds from a click on the link to the trials until some are drawn."""
    script = f"""() => new Promise(done => {{
        const begun = performance.now();
        const passed = () => (performance.now() - begun) / 1000;
        const look = () => {peer.listed} ? requestAnimationFrame(() => done(passed())) : passed() > 60 ? done(NaN) : setTimeout(look, 4);
        document.querySelector("a[href$='/trials']").click();
        look();
    }})"""
    return page.evaluate(script)


def measure(browser: Browser, peer: Peer, port: int, repeats: int) -> dict[str, float]:
    server = Server(peer, port)
    runs = []
    try:
        for _ in range(repeats):
            page, run = load(browser, server.url + peer.study, peer.drawn)
            runs.append(run | {"from the study to its trials (s)": list_trials(page, peer)})
            page.context.close()
            print(peer.name, runs[-1], file=sys.stderr, flush=True)
        used = memory(server.process)
    finally:
        server.stop()
    first = {"server start (s)": server.start_s, "study drawn, first time (s)": runs[0]["study drawn (s)"]}
    return first | {key: statistics.median(run[key] for run in runs) for key in runs[0]} | {"server memory (MB)": used}


def table(results: dict[str, dict[str, float]]) -> str:
    names = list(results)
    lines = [f"| | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    for key in results[names[0]]:
        cells = [f"{results[n][key]:.3g}" if not math.isnan(results[n][key]) else "–" for n in names]
        lines.append(f"| {key} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neuralbo", default="target/release/neuralbo")
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--optuna-storage", type=Path, help="an SQLite file made by an earlier run")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        optuna_db = arguments.optuna_storage or make(folder, arguments.trials)
        ours = folder / "neuralbo.db"
        copy = [arguments.neuralbo, "import", str(optuna_db), "--from-study", NAME, "--storage", str(ours)]
        subprocess.run(copy, check=True, stdout=subprocess.DEVNULL)
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            results = {
                peer.name: measure(browser, peer, 18080 + i, arguments.repeats)
                for i, peer in enumerate(peers(arguments.neuralbo, optuna_db, ours))
            }
            version = re.sub(r"[^0-9.]", "", browser.version)
        print(json.dumps(results))
        print(f"\n{arguments.trials} trials of {DIMENSIONS} parameters, median of {arguments.repeats}")
        print(f"Chromium {version}, optuna {optuna.__version__}\n")
        print(table(results))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
