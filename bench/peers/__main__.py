"""A peer as an external method of the lab: reads the lab's protocol on standard input and answers on standard output.

    neuralbo lab run bbob --methods neuralbo --methods "ext:python -m bench.peers cobyqa"
    python -m bench.peers                    (lists the peers whose packages are installed)

The protocol is described in docs/lab.md. Points told before the first ask are the shared initial design. A failed evaluation is
told to the peer as the worst value so far.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ..space import Space
from . import Outcome, Peer, Start, installed, make


class Conversation:
    """One run: the messages of the lab in, the points of a peer out."""

    def __init__(self, name: str):
        self._name = name
        self._start: dict[str, Any] = {}
        self._told: list[tuple[dict[str, Any], float | None]] = []
        self._peer: Peer | None = None

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            message = json.loads(line)
            if "start" in message:
                self._start = message["start"]
            elif "tell" in message:
                params, value = message["tell"]["point"], message["tell"]["value"]
                self._told.append((params, value))
                if self._peer is not None:
                    self._peer.tell(params, self._outcome(value))
            elif "ask" in message:
                yield json.dumps(self._point())
            else:
                return

    def _point(self) -> dict[str, Any]:
        try:
            if self._peer is None:
                self._peer = make(self._name, self._begin())
            return {"point": self._peer.ask()}
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
            return {"error": f"{type(error).__name__}: {error}"}

    def _begin(self) -> Start:
        space = Space.of_protocol(self._start["space"])
        known = [(params, self._outcome(value)) for params, value in self._told]
        trials = self._start["budget"]
        return Start(space, self._start["seed"] % 2**31, trials, known=known, centred=space.plain)

    def _outcome(self, value: float | None) -> Outcome:
        sign = 1.0 if self._start["direction"] == "minimize" else -1.0
        losses = [sign * told for _, told in self._told if told is not None]
        return Outcome((max(losses, default=0.0) if value is None else sign * value,))


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python -m bench.peers NAME[:OPTION=VALUE,…]\ninstalled:", ", ".join(installed()), file=sys.stderr)
        return 2
    for answer in Conversation(sys.argv[1]).answers(sys.stdin):
        print(answer, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
