"""The loop of `Study.optimize`: ask, evaluate, tell, in one thread or several."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence

from neuralbo import _check
from neuralbo._check import Catch
from neuralbo._study_trial import FrozenTrial, StoredTrial, Trial, TrialPruned, checked_value

if TYPE_CHECKING:
    from neuralbo.study import Study

Objective = Callable[[Trial], Any]
Callback = Callable[["Study", FrozenTrial], Any]

#: How long a trial stays with a process that gives no sign of life, in seconds.
LEASE = 60.0
#: How long to wait before asking again when all trials are with others.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.5


class Loop:
    """One call of `optimize`."""

    def __init__(
        self,
        study: Study,
        objective: Objective,
        n_trials: Optional[int],
        timeout: Optional[float],
        callbacks: Sequence[Callback],
        catch: Catch,
        progress: bool,
    ) -> None:
        self.study = study
        self.objective = objective
        self.n_trials = n_trials
        self.end = None if timeout is None else time.monotonic() + timeout
        self.callbacks = callbacks
        self.catch = catch
        self.progress = progress
        self.started = 0
        self.finished = 0
        self.error: Optional[BaseException] = None
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.held: Dict[int, StoredTrial] = {}

    def run(self, n_jobs: int) -> None:
        """Works until something says stop."""
        heart = threading.Thread(target=self._beat, daemon=True)
        heart.start()
        try:
            if n_jobs == 1:
                self._work()
            else:
                self._work_in_threads(n_jobs)
        except BaseException:
            self._give_back()
            raise
        finally:
            self.stopped.set()
            heart.join(timeout=1.0)
            if self.progress:
                print(file=sys.stderr)
        if self.error is not None:
            raise self.error

    def _work_in_threads(self, n_jobs: int) -> None:
        if not self.study.is_stored:
            self._step()  # the others need the space that it learns
        threads = [threading.Thread(target=self._work_quietly, daemon=True) for _ in range(n_jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():  # a join without a limit cannot be interrupted everywhere
                thread.join(timeout=0.2)

    def _work_quietly(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: B902 - it is raised in the thread that waits
            self.error = self.error or error
            self.stopped.set()

    def _work(self) -> None:
        while not self.stopped.is_set() and self._step():
            pass

    def _step(self) -> bool:
        """One trial; false when there is none left."""
        with self.lock:
            late = self.end is not None and time.monotonic() >= self.end
            if late or self.study._stopping or (self.n_trials is not None and self.started >= self.n_trials):
                return False
            self.started += 1
        trial = self._ask()
        if trial is None:
            return False
        self._evaluate(trial)
        return True

    def _ask(self) -> Optional[Trial]:
        pause = SHORTEST_PAUSE
        while not self.stopped.is_set():
            trial = self.study._ask(LEASE)
            if isinstance(trial, Trial):
                if isinstance(trial, StoredTrial):
                    self.held[trial.number] = trial
                return trial
            if trial == "ended" or (self.end is not None and time.monotonic() >= self.end):
                return None
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return None

    def _evaluate(self, trial: Trial) -> None:
        uncaught: Optional[Exception] = None
        state: Optional[str] = None
        value: Any = None
        try:
            value = checked_value(self.objective(trial), "the value of the objective")
        except TrialPruned as error:
            state, value = "pruned", trial.last_report if trial.last_report is not None else error
        except self.catch as error:
            value = error
        except Exception as error:
            value = uncaught = error
        frozen = self.study._finish(trial, value, state)
        self.held.pop(trial.number, None)
        if uncaught is not None:
            raise uncaught
        self._announce(frozen)

    def _announce(self, trial: FrozenTrial) -> None:
        with self.lock:
            self.finished += 1
            if self.progress:
                total = "" if self.n_trials is None else f"/{self.n_trials}"
                print(f"\r{self.finished}{total} trials, best {self.study._best_text()}", end="", file=sys.stderr, flush=True)
        for callback in self.callbacks:
            callback(self.study, trial)

    def _beat(self) -> None:
        """Signs of life for the trials under way."""
        while not self.stopped.wait(LEASE / 4):
            held = [(trial.number, trial.attempt or 1) for trial in list(self.held.values())]
            core = self.study._core
            if held and core is not None:
                try:
                    core.renew(held, LEASE)
                except Exception:  # noqa: B902 - the storage may be back at the next beat, and a lost lease shows when it is told
                    pass

    def _give_back(self) -> None:
        """Interrupted trials say nothing about their points: others may take them."""
        held: List[StoredTrial] = list(self.held.values())
        for trial in held:
            if self.study._core is not None and trial.attempt is not None:
                try:
                    self.study._core.release(trial.number, trial.attempt)
                except Exception:  # noqa: B902 - the first error counts
                    pass


def job_count(n_jobs: int) -> int:
    """The number of threads; -1 means one for every core."""
    found = _check.whole(n_jobs, "n_jobs")
    if found == -1:
        return os.cpu_count() or 1
    if found < 1:
        raise ValueError(f"n_jobs = {found} is not allowed; it must be at least 1, or -1 for all cores")
    return found
