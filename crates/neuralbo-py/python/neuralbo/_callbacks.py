"""What happens after every trial of a run: a line in the log, the progress line, an end."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

from neuralbo import _check
from neuralbo.trial import Trial, TrialState

if TYPE_CHECKING:
    import logging

    from neuralbo.study import Study

#: How often a line is printed where there is no terminal and nothing improves, in seconds.
LINE_EVERY = 30.0

#: The handler of :func:`log_to_stderr`.
_handler: Optional[logging.Handler] = None


def log_to_stderr(level: Union[int, str, None] = "INFO") -> None:
    """Show the log on standard error: one line for each trial of :meth:`neuralbo.Study.optimize` and
    :func:`neuralbo.minimize`. ``None`` ends that.

    The package logs to the logger ``neuralbo`` of :mod:`logging` and changes no settings of its own accord. Programs
    that configure logging need only ``logging.getLogger("neuralbo").setLevel("INFO")``.

    >>> import neuralbo
    >>> neuralbo.log_to_stderr()
    >>> neuralbo.log_to_stderr(None)
    """
    import logging

    global _handler
    logger = logging.getLogger("neuralbo")
    if _handler is not None:
        logger.removeHandler(_handler)
        _handler = None
    logger.propagate = level is None
    logger.setLevel(logging.NOTSET if level is None else level)
    if level is not None:
        _handler = logging.StreamHandler()
        _handler.setFormatter(logging.Formatter("[%(levelname).1s %(asctime)s] %(message)s"))
        logger.addHandler(_handler)


def logs_trials() -> bool:
    """Whether anybody reads the lines about trials. Programs without :mod:`logging` do not pay for its import."""
    logging = sys.modules.get("logging")
    return logging is not None and logging.getLogger("neuralbo").isEnabledFor(logging.INFO)


def log_trial(source: Any, trial: Trial) -> None:
    """A line about a finished trial of a study or an optimizer."""
    import logging

    if trial.state == "failed":
        line = f"Trial {trial.number} failed: {trial.message}. Parameters: {trial.params}."
    else:
        measured = trial.measured
        told = f"values {measured}" if len(measured) > 1 else "no value" if trial.value is None else f"value {trial.value}"
        how = "pruned" if trial.state == "pruned" else "finished"
        best = None if source._several() else source._core.best()
        line = f"Trial {trial.number} {how} with {told} and parameters {trial.params}."
        line += "" if best is None else f" Best: trial {best.number} with {best.value}."
    logging.getLogger("neuralbo").info("%s", line)


def log_end(reason: str, text: str, finished: int, wanted: Optional[int]) -> None:
    """Says that a study ended by itself, loudly if that was before the wanted number of trials."""
    import logging

    short = reason == "exhausted" and (wanted is None or finished < wanted)
    of = "" if wanted is None else f" of {wanted}"
    logging.getLogger("neuralbo").log(
        logging.WARNING if short else logging.INFO, "optimize ended after %d%s trials: %s", finished, of, text
    )


class Progress:
    """Progress on standard error: one line that is drawn again on a terminal, a few lines elsewhere."""

    def __init__(self, total: Optional[int]) -> None:
        self._total = total
        self._stream = sys.stderr
        self._on_terminal = self._stream.isatty()
        self._ended: Dict[str, int] = {}
        self._began = time.monotonic()
        self._last = (self._began, "")
        self._shown = ""

    def __call__(self, study: Study, trial: Trial) -> None:
        """Counts a finished trial and shows it."""
        self._ended[trial.state] = self._ended.get(trial.state, 0) + 1
        parts = self._parts(study)
        moment, best = self._last
        if self._on_terminal:
            self._draw(fitted(parts, shutil.get_terminal_size().columns - 1))
        elif parts[1] != best or time.monotonic() - moment >= LINE_EVERY:
            self._write(parts)

    def clear(self) -> None:
        """Removes the line, for others to write; the next trial draws it again."""
        if self._on_terminal:
            self._draw("")

    def end(self, study: Study) -> None:
        """The last state stays."""
        if self._on_terminal:
            print(file=self._stream)
        elif self._ended:
            self._write(self._parts(study))

    def _draw(self, text: str) -> None:
        # What is left of the line before must not look like digits of this one.
        blank = " " * max(0, len(self._shown) - len(text))
        back = f"\r{text}" if blank else ""
        print(f"\r{text}{blank}{back}", end="", file=self._stream, flush=True)
        self._shown = text

    def _write(self, parts: Sequence[str]) -> None:
        text = ", ".join(parts)
        if text != self._shown:
            print(text, file=self._stream, flush=True)
        self._shown = text
        self._last = (time.monotonic(), parts[1])

    def _parts(self, study: Study) -> List[str]:
        """What there is to say, the most important first."""
        done = sum(self._ended.values())
        parts = [f"{done} trials" if self._total is None else f"{done}/{self._total} trials", _found(study)]
        parts += [f"{self._ended[state]} {state}" for state in ("failed", "pruned") if state in self._ended]
        if self._total is not None and 0 < done < self._total:
            left = (time.monotonic() - self._began) / done * (self._total - done)
            parts.append(f"about {_duration(left)} left")
        return parts


def _found(study: Study) -> str:
    if not study._several():
        best = study._core.best()
        return "no value yet" if best is None or best.value is None else f"best {best.value:.6g}"
    volume = study.hypervolume
    text = f"{len(study._core.front())} on the front"
    return text if volume is None else f"{text} with hypervolume {volume:.6g}"


def fitted(parts: Sequence[str], room: int) -> str:
    """As many of the parts as there is room for, each whole: a number that is cut is another number."""
    text = ""
    for part in parts:
        longer = f"{text}, {part}" if text else part
        text = longer if len(longer) <= room else text
    return text


def _duration(seconds: float) -> str:
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


class MaxTrialsCallback:
    """A callback of :meth:`neuralbo.Study.optimize` that ends it when the study has `n_trials` trials in these states,
    in all processes together.

    >>> import neuralbo
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), callbacks=[neuralbo.MaxTrialsCallback(4)])
    >>> len(study.trials)
    4
    """

    def __init__(self, n_trials: int, states: Optional[Sequence[str]] = (TrialState.COMPLETE,)) -> None:
        self._most = _check.count(n_trials, "n_trials", 1)
        self._states = None if states is None else [TrialState(state) for state in states]

    def __call__(self, study: Study, trial: Trial) -> None:
        """Called with every finished trial."""
        counts = study._counts()
        if self._states is None:
            found = sum(counts.values())
        elif all(state in counts for state in self._states):
            found = sum(counts[state] for state in self._states)
        else:  # running and waiting trials are counted together
            found = len(study.get_trials(states=self._states))
        if found >= self._most:
            study.stop()


def after_trial(study: Study, callbacks: Sequence[Callable[[Any, Trial], Any]], progress: Optional[Progress]) -> Any:
    """What a run calls with every trial that was told; ``None`` if there is nothing to do."""
    has_log = logs_trials()
    if not (callbacks or progress or has_log):
        return None

    def told(record: Any) -> None:
        trial = Trial(record)
        if has_log:
            if progress is not None:
                progress.clear()
            log_trial(study, trial)
        if progress is not None:
            progress(study, trial)
        for callback in callbacks:
            callback(study, trial)

    return told
