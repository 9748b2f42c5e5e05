"""Stands for a training in the examples of the documentation: its loss falls with the steps, best at lr = 0.003 and three layers.

    neuralbo run --param 'lr=float(1e-5,1e-1,log)' --param 'layers=int(1,4)' --trials 30 -- python examples/train.py --lr={lr} --layers={layers}

It prints an intermediate value a step and its loss at the end; with --checkpoint it goes on from where it was stopped.
"""

import argparse
import json
import math
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--kernel", choices=["linear", "rbf"], default="linear")
parser.add_argument("--gamma", type=float)
parser.add_argument("--config", type=json.loads, default={}, help="the options as one JSON object")
parser.add_argument("--steps", type=int, default=9)
parser.add_argument("--checkpoint", type=pathlib.Path, help="a folder for the state")
options = parser.parse_args()
lr = options.config.get("lr", options.lr)

saved = options.checkpoint / "state.json" if options.checkpoint else None
done, distance = json.loads(saved.read_text()) if saved and saved.exists() else (0, 1.0)
floor = 0.02 * abs(options.layers - 3) + 0.05 * abs(math.log10(lr / 0.003))
for step in range(done + 1, options.steps + 1):
    distance *= 1 - min(0.9, 100 * lr)
    if saved:
        saved.write_text(json.dumps([step, distance]))
    print(json.dumps({"step": step, "value": floor + distance}), flush=True)
print(floor + distance)
