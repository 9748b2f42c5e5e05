"""Random search as an external method of the lab: the smallest program that speaks its protocol.

    neuralbo lab run synthetic --profile quick --methods random --methods "ext:python3 examples/external_method.py"

One JSON object a line on standard input; every {"ask":1} is answered by one line on standard output. See docs/lab.md.
"""

import json
import math
import random
import sys


def draw(domain, rng):
    """A uniform value of one parameter."""
    kind = domain["type"]
    if kind == "float" and domain.get("log"):
        return math.exp(rng.uniform(math.log(domain["low"]), math.log(domain["high"])))
    if kind == "float":
        return rng.uniform(domain["low"], domain["high"])
    if kind == "int":
        return rng.randint(domain["low"], domain["high"])
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "choice":
        return rng.choice(domain["choices"])
    if kind == "rows":
        return rng.randrange(len(domain["table"]))
    return domain["value"]


def main():
    space, rng, best = {}, random.Random(), None
    for line in sys.stdin:
        message = json.loads(line)
        if "start" in message:
            start = message["start"]
            space, rng = start["space"], random.Random(start["seed"])
            sign = 1 if start["direction"] == "minimize" else -1
        elif "tell" in message:
            value = message["tell"]["value"]
            if value is not None and (best is None or sign * value < sign * best):
                best = value
        elif "ask" in message:
            point = {name: draw(domain, rng) for name, domain in space.items()}
            print(json.dumps({"point": point}), flush=True)
        elif "stop" in message:
            break


if __name__ == "__main__":
    main()
