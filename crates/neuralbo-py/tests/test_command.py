"""The command `neuralbo` of the installed package. The end-to-end tests of the command line run against it, too:
``NEURALBO_CLI=…/bin/neuralbo cargo test -p neuralbo-cli``; here is what Python adds."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator, List

import pytest

import neuralbo

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(sys.executable).parent / "neuralbo"
FORMS = {"script": [str(SCRIPT)], "module": [sys.executable, "-m", "neuralbo"]}
RUN = ["run", "--method", "random", "--seed", "1", "--param", "x=float(0,1)", "--json"]


@pytest.fixture(params=list(FORMS))
def command(request: pytest.FixtureRequest) -> List[str]:
    if request.param == "script" and not SCRIPT.exists():
        pytest.skip("NOT TESTED: the package was not installed as a wheel")
    return FORMS[request.param]


def done(words: List[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NEURALBO_")}
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **{"env": environment, **options})


def supervisors(parent: int) -> Iterator[int]:
    """The processes that look after programs."""
    for entry in Path("/proc").iterdir():
        try:
            fields = entry.joinpath("stat").read_text().rpartition(")")[2].split()
            if entry.name.isdigit() and int(fields[1]) == parent:
                yield int(entry.name)
        except (OSError, IndexError):
            continue


def test_it_is_the_command_line(command: List[str], tmp_path: Path) -> None:
    version = done([*command, "--version"])
    assert version.returncode == 0 and version.stdout.startswith(f"neuralbo {neuralbo.__version__}")
    assert done([*command, "--help"]).stdout.startswith("Optimize any program")
    assert "Usage: neuralbo run" in done([*command, "run", "--help"]).stdout
    run = done([*command, *RUN, "--trials", "4", "--", "sh", "-c", "echo {x}"], cwd=tmp_path)
    found = json.loads(run.stdout)
    assert run.returncode == 0 and (found["trials"], found["failed"], found["stop"]) == (4, 0, "trials")
    wrong = done([*command, "run", "--trials", "0"])
    assert (wrong.returncode, wrong.stdout) == (2, "") and "--trials" in wrong.stderr
    assert done([*command, "best", "none", "--storage", "none.db"], cwd=tmp_path).returncode == 2


def test_a_folder_of_our_name_is_not_us(tmp_path: Path) -> None:
    (tmp_path / "neuralbo").mkdir()
    (tmp_path / "neuralbo" / "__init__.py").write_text("raise RuntimeError('not me')")
    if not SCRIPT.exists():
        pytest.skip("NOT TESTED: the package was not installed as a wheel")
    run = done([str(SCRIPT), *RUN, "--trials", "2", "--", "echo", "{x}"], cwd=tmp_path)
    assert run.returncode == 0 and json.loads(run.stdout)["failed"] == 0, run.stderr


def test_interrupting_is_the_command_s_business(command: List[str], tmp_path: Path) -> None:
    # A shell in the background ignores interrupts, and so would all its children: the first word asks for them.
    reset = [sys.executable, "-c", "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"]
    program = "touch started; sleep 0.5; echo {x}"
    run = subprocess.Popen([*reset, *command, *RUN, "--", "sh", "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (tmp_path / "started").exists():
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    output, errors = run.communicate(timeout=30)
    assert run.returncode == 130 and b"finishing 1 running trial" in errors and b"KeyboardInterrupt" not in errors
    assert json.loads(output)["trials"] >= 1


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_programs_end_with_the_command(command: List[str], tmp_path: Path, how: signal.Signals) -> None:
    program = "echo $$ > pid; sleep 600"
    run = subprocess.Popen([*command, *RUN, "--", "sh", "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.01)
    pid = int((tmp_path / "pid").read_text())
    [supervisor] = supervisors(run.pid)
    words = Path(f"/proc/{supervisor}/cmdline").read_text()
    for folder in (str(tmp_path), sys.prefix, str(Path(sys.prefix).resolve())):
        words = words.replace(folder, "")
    assert "neuralbo" not in words  # so that `pkill -f neuralbo` leaves it alone
    run.send_signal(how)
    run.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def test_a_closed_standard_output_is_not_the_next_file(command: List[str], tmp_path: Path) -> None:
    line = " ".join(f"'{word}'" for word in [*command, *RUN, "--study", "s", "--trials", "3", "--", "echo", "{x}"])
    assert done(["sh", "-c", f"{line} >&- 2>&-"], cwd=tmp_path).returncode == 0
    assert (tmp_path / "neuralbo.db").read_bytes().startswith(b"SQLite format 3\0")
    assert len(neuralbo.load_study(str(tmp_path / "neuralbo.db"), "s").trials) == 3


def test_measurements_start_the_command_again(command: List[str]) -> None:
    run = done([*command, "lab", "overhead", "--method", "random", "--dim", "2", "--at", "5", "--repeats", "1", "--json"])
    assert run.returncode == 0 and json.loads(run.stdout)["method"] == "random", run.stderr


def test_the_slurm_script_is_a_worker(tmp_path: Path) -> None:
    if not SCRIPT.exists() or shutil.which("sh") is None:
        pytest.skip("NOT TESTED: the package was not installed as a wheel")
    storage = f"sqlite:///{tmp_path / 'studies.db'}"
    make = ["run", "--study", "tuning", "--method", "random", "--param", "x=float(-5,10)", "--param", "y=float(0,15)", "--trials", "5"]
    assert done([str(SCRIPT), *make, "--storage", storage]).returncode == 0
    environment = {**os.environ, "PATH": f"{SCRIPT.parent}:{os.environ['PATH']}", "NEURALBO_STORAGE": storage, "SLURM_CPUS_PER_TASK": "1"}
    worked = done(["sh", "examples/slurm_array.sh"], cwd=ROOT, env=environment)
    assert worked.returncode == 0, worked.stderr
    trials = neuralbo.load_study(storage, "tuning").trials
    assert [trial.state for trial in trials] == ["complete"] * 5
