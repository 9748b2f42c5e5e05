"""Makes the storage of the tests and starts dashboards on it."""

import hashlib
import os
import re
import subprocess
import threading
from pathlib import Path

import studies

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "target" / "browser-tests"
LARGE = int(os.environ.get("NEURALBO_BROWSER_TRIALS", "100000"))
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
TOKEN = re.compile(r"token for changing studies: (\S+)")


def binary() -> str:
    """The program that is tested."""
    return os.environ.get("NEURALBO_CLI", str(ROOT / "target" / "release" / "neuralbo"))


def neuralbo(*arguments: str) -> str:
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"neuralbo {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def storage() -> Path:
    """A storage with all studies; made once for each version of `studies.py`."""
    version = hashlib.sha256(Path(studies.__file__).read_bytes() + str(LARGE).encode()).hexdigest()[:12]
    path = FOLDER / f"studies-{version}.db"
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    for old in (unfinished, Path(f"{unfinished}-wal"), Path(f"{unfinished}-shm")):
        old.unlink(missing_ok=True)
    for name, lines in studies.all_studies(LARGE).items():
        file = studies.write(FOLDER, name, lines)
        neuralbo("import", str(file), "--storage", str(unfinished))
        file.unlink()
    unfinished.rename(path)
    return path


class Dashboard:
    """A running `neuralbo dashboard`; its address and, if it may be edited, its token are what it printed."""

    def __init__(self, path: Path, *options: str) -> None:
        command = [binary(), "dashboard", str(path), *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        self.lines: list[str] = []
        self.ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        if not self.ready.wait(30):
            self.stop()
            raise RuntimeError(f"the dashboard named no address: {self.lines}")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if ADDRESS.search(line):
                self.ready.set()

    @property
    def url(self) -> str:
        found = ADDRESS.search("".join(self.lines))
        assert found is not None
        return found.group()

    @property
    def token(self) -> str:
        found = TOKEN.search("".join(self.lines))
        assert found is not None, self.lines
        return found.group(1)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
