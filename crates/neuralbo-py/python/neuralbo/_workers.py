"""Calling the objective, in this thread or in several."""

from __future__ import annotations

import queue
import threading
from types import TracebackType
from typing import Any, Callable, Optional, Tuple, Type

from neuralbo._check import Catch


class Workers:
    """Calls `f` for one point after the other, up to `count` at a time.

    Threads are daemons: Ctrl-C ends the program at once, whatever `f` is doing in them.
    """

    def __init__(self, f: Callable[[Any], Any], count: int, catch: Catch) -> None:
        self._f = f
        self._count = count
        self._catch = catch
        self._running = 0
        self._waiting: Optional[Any] = None
        self._jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Tuple[Any, Any, Optional[BaseException]]] = queue.SimpleQueue()
        self._threads = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        for _ in range(self._threads):
            self._jobs.put(None)

    def free(self) -> bool:
        """Whether one more may start."""
        return self._running < self._count

    def busy(self) -> bool:
        """Whether any is running."""
        return self._running > 0

    def start(self, x: Any) -> None:
        """Starts to evaluate a point."""
        self._running += 1
        if self._count == 1:
            self._waiting = (x,)
            return
        if self._threads < self._count:
            self._threads += 1
            threading.Thread(target=self._work, daemon=True).start()
        self._jobs.put((x,))

    def wait(self) -> Tuple[Any, Any]:
        """The next point that is done, and its value; an exception that is not to be caught is raised here."""
        self._running -= 1
        if self._count == 1 and self._waiting is not None:
            (x,), self._waiting = self._waiting, None
            try:
                return x, self._f(x)
            except self._catch as error:
                return x, error
        x, value, uncaught = self._results.get()
        if uncaught is not None:
            raise uncaught
        return x, value

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            (x,) = job
            try:
                self._results.put((x, self._f(x), None))
            except self._catch as error:
                self._results.put((x, error, None))
            except BaseException as error:  # noqa: B902 - it is raised in the thread that waits
                self._results.put((x, None, error))
