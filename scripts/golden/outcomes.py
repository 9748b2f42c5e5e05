"""Values and slacks of the problems with outcome constraints, by the formulas of scripts/bench/outcome_problems.py.

Writes crates/neuralbo-lab/tests/data/outcomes_golden.csv: problem, coordinates, value, slacks, separated by semicolons. Run from the
repository root:
    python scripts/golden/outcomes.py
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, "scripts/bench")
from outcome_problems import PROBLEMS  # noqa: E402

OUT = Path("crates/neuralbo-lab/tests/data/outcomes_golden.csv")
POINTS = 10


def row(problem, draw):
    x = [low + (high - low) * draw.random() for low, high in problem.bounds]
    texts = [" ".join(map(repr, values)) for values in (x, [problem.value(x)], problem.slacks(x))]
    return ";".join([problem.name, *texts])


def main():
    draw = random.Random(20231)
    rows = [row(problem, draw) for problem in PROBLEMS.values() for _ in range(POINTS)]
    OUT.write_text("problem;x;value;slacks\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
