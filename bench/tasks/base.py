"""What a task is, and how a peer runs on it."""

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import peers
from ..peers import Outcome, Start
from ..runs import FRACTIONS, Run
from ..space import Params, Space

History = Sequence[tuple[Params, Outcome]]


def derive(*parts: str | int) -> int:
    """32 bits that depend on all parts, on any machine."""
    words = [zlib.crc32(str(part).encode()) for part in parts]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


@dataclass(frozen=True)
class Task:
    """Something to minimize over a space. Subclasses evaluate points and judge runs."""

    name: str
    about: str
    space: Space
    objectives: ClassVar[int] = 1
    outcome_constraints: ClassVar[int] = 0
    # Whether peers begin with the centre of the space, as this project's default does.
    centred: ClassVar[bool] = False

    @property
    def trials(self) -> int:
        """The trials of a run unless the command line says otherwise."""
        return 20 * len(self.space.params)

    @property
    def needs(self) -> set[str]:
        """What a peer must take, in the words of `bench.peers`."""
        words = {"mixed": not self.space.plain, "objectives": self.objectives > 1, "outcome_constraints": self.outcome_constraints > 0}
        return {word for word, needed in words.items() if needed}

    def methods(self) -> list[str]:
        """The installed methods that can run on the task."""
        return [name for name in peers.installed() if self.needs <= peers.PEERS[name].takes]

    def evaluate(self, params: Params, seed: int) -> Outcome:
        """What a peer is told; `seed` matters where evaluations are noisy."""
        raise NotImplementedError

    def loss(self, history: History) -> float:
        """What the trials so far are worth; smaller is better."""
        raise NotImplementedError

    def start(self, seed: int, trials: int, known: History = ()) -> Start:
        # Below 2**31, which is the most that all peers take.
        bits = derive(self.name, seed) % 2**31
        return Start(self.space, bits, trials, self.objectives, self.outcome_constraints, known, self.centred)

    def run(self, method: str, seed: int, trials: int) -> Run:
        """One run, judged after a quarter, half and all of its trials."""
        peer = peers.make(method, self.start(seed, trials))
        judged = {max(1, int(share * trials)): share for share in FRACTIONS}
        history: list[tuple[Params, Outcome]] = []
        losses, seconds = {}, 0.0
        try:
            for trial in range(1, trials + 1):
                began = time.process_time()
                params = peer.ask()
                asked = time.process_time()
                self.space.check(params)
                history.append((params, self.evaluate(params, derive(self.name, seed, trial))))
                evaluated = time.process_time()
                peer.tell(*history[-1])
                seconds += (asked - began) + (time.process_time() - evaluated)
                if trial in judged:
                    losses[judged[trial]] = self.loss(history)
        finally:
            getattr(peer, "close", lambda: None)()
        return Run(self.name, method, seed, trials, 1e3 * seconds / trials, losses)
