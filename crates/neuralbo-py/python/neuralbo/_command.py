"""The command ``neuralbo``: the command line of the engine in Python's process."""

from __future__ import annotations

import os
import signal
import sys
from typing import List

from neuralbo import _engine

#: Becomes the command in a new process, with the packages of this one. The name of the package is not written out: `pkill -f neuralbo`
#: must not end the processes that look after programs.
_AGAIN = "import sys; sys.path[:] = {path!r}; from importlib import import_module; sys.exit(import_module('neural' 'bo._command').main())"


def main() -> int:
    """Run the command line of this process and return the exit code."""
    _open_standard_files()
    _leave_signals_alone()
    return _engine.command(["neuralbo", *sys.argv[1:]], _again())


def _again() -> List[str]:
    """The arguments that start the command again, with an explicit path instead of `site`."""
    path = [os.path.abspath(entry) for entry in sys.path]
    return [sys.executable, "-S", "-c", _AGAIN.format(path=path)]


def _open_standard_files() -> None:
    """Reopen closed standard files; otherwise the next opened file, such as a storage, would become standard
    output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _leave_signals_alone() -> None:
    """Restore the signal handlers changed by Python: the command handles its own signals, and programs inherit ignored
    ones."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGXFSZ") and signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
