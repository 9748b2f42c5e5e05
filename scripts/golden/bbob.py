"""Values of the COCO platform's BBOB functions, to check the native ones with.

    pip install coco-experiment numpy
    python scripts/golden/bbob.py sample crates/neuralbo-lab/tests/data/bbob_sample.csv.gz
    python scripts/golden/bbob.py full /tmp/bbob_full.csv.gz

`sample` has every function in every instance once, the dimension and the kind of point taking turns; `full` has every function,
instance and dimension with one point of each kind.
"""

import gzip
import itertools
import os
import sys
import tempfile
from pathlib import Path

import cocoex
import numpy as np

INSTANCES = [*range(1, 16), *range(71, 111)]
DIMENSIONS = [2, 3, 5, 10, 20, 40]
KINDS = ["inside", "corner", "near", "outside", "far"]
COLUMNS = ["function", "instance", "dim", "point", "f"]


def point(kind, dim, best, rng):
    """A point of some kind, short to write."""
    uniform = rng.uniform(-5, 5, dim)
    points = {
        "inside": uniform,
        "corner": np.sign(uniform) * 5,
        "near": best + 0.02 * rng.normal(size=dim),
        "outside": 1.6 * uniform,
        "far": 20 * uniform,
    }
    return np.round(points[kind], 3)


def best_of(problem):
    """The best point, which COCO hands out through a file in the current folder only."""
    problem._best_parameter("print")
    with open("._bbob_problem_best_parameter.txt") as file:
        return np.array([float(word) for word in file.read().split()])


def rows(problems, rng):
    suite = cocoex.Suite("bbob", "instances: " + ",".join(map(str, INSTANCES)), "")
    for function, instance, dim, kind in problems:
        problem = suite.get_problem_by_function_dimension_instance(function, dim, instance)
        x = point(kind, dim, best_of(problem), rng)
        yield [function, instance, dim, kind, repr(float(problem(x))), *x.tolist()]
        problem.free()


def full():
    return itertools.product(range(1, 25), INSTANCES, DIMENSIONS, KINDS)


def sample():
    for turn, (function, instance) in enumerate(itertools.product(range(1, 25), INSTANCES)):
        turn += function
        yield function, instance, DIMENSIONS[turn % len(DIMENSIONS)], KINDS[turn % len(KINDS)]


def main(which, path):
    path = Path(path).absolute()
    problems = {"full": full, "sample": sample}[which]()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        lines = [COLUMNS, *rows(problems, np.random.default_rng(20))]
        os.chdir(path.parent)
    text = "".join(",".join(map(str, line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
