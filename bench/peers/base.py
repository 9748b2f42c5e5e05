"""What a peer is told at the start, what it must do, and how an optimizer that calls its objective becomes one that is asked."""

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ..space import Params, Space


class Outcome(NamedTuple):
    """Objectives, which are minimized, and slacks of the outcome constraints, which are satisfied where they are at least 0."""

    values: tuple[float, ...]
    slacks: tuple[float, ...] = ()

    @property
    def feasible(self) -> bool:
        return all(slack >= 0.0 for slack in self.slacks)


@dataclass(frozen=True)
class Start:
    """A run that begins. `known` are evaluated points; `centred` asks for the centre of the space as the first trial without any."""

    space: Space
    seed: int
    trials: int
    objectives: int = 1
    outcome_constraints: int = 0
    known: Sequence[tuple[Params, Outcome]] = ()
    centred: bool = False

    @property
    def dimension(self) -> int:
        return len(self.space.params)

    @property
    def first(self) -> Params | None:
        """The point that the first trial must have."""
        return self.space.centre() if self.centred and not self.known else None

    def best_known(self) -> np.ndarray:
        """The best known point of the unit cube; its centre without one."""
        if not self.known:
            return np.full(self.dimension, 0.5)
        return np.array(self.space.places(min(self.known, key=lambda known: known[1].values[0])[0]))


class Peer(Protocol):
    """Proposes the active parameters of the next trial and learns its outcome; one trial at a time."""

    def ask(self) -> Params: ...

    def tell(self, params: Params, outcome: Outcome) -> None: ...


Objective = Callable[[np.ndarray], Outcome]


class Stopped(Exception):
    """The run is over."""


class Inverted:
    """An optimizer that calls its objective, in a thread of its own; `search` runs over the unit cube until it is stopped."""

    def __init__(self, space: Space, search: Callable[[Objective], None]):
        self._space = space
        self._points: queue.Queue[np.ndarray | Exception] = queue.Queue()
        self._outcomes: queue.Queue[Outcome | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, args=(search,), daemon=True)
        self._thread.start()

    def ask(self) -> Params:
        point = self._points.get()
        if isinstance(point, Exception):
            raise point
        return self._space.at(point)

    def tell(self, params: Params, outcome: Outcome) -> None:
        self._outcomes.put(outcome)

    def close(self) -> None:
        """Ends the thread, and waits for it: pycma draws from numpy's global generator, which the next run must have to itself."""
        self._outcomes.put(None)
        self._thread.join()

    def _run(self, search: Callable[[Objective], None]) -> None:
        try:
            search(self._evaluate)
            self._points.put(RuntimeError("the optimizer stopped by itself"))
        except Stopped:
            pass
        except Exception as error:  # noqa: BLE001 - raised where the point is asked for
            self._points.put(error)

    def _evaluate(self, point: np.ndarray) -> Outcome:
        self._points.put(np.clip(np.asarray(point, dtype=float), 0.0, 1.0))
        outcome = self._outcomes.get()
        if outcome is None:
            raise Stopped
        return outcome
