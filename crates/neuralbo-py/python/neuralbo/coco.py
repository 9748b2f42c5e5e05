"""Run a method inside COCO, the standard benchmark framework for black-box optimizers.

    pip install neuralbo[coco]
    python -m neuralbo.coco --method neuralbo --dimensions 2,3,5,10 --budget 20

Every problem of the real suite `bbob` is minimized with ``budget * dimension`` evaluations under COCO's own observer; then
cocopp makes its pages from what the observer logged. The seeds are those of ``neuralbo lab run bbob``, so the points are too, up
to the last digits of the functions' values.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

from neuralbo import Optimizer
from neuralbo._options import check_method

INSTALL = "neuralbo.coco needs COCO's packages: pip install neuralbo[coco]"
DIMENSIONS = (2, 3, 5, 10, 20, 40)
FUNCTIONS = tuple(range(1, 25))
# COCO accepts any instance number that fits its integers; those beyond are typing errors.
INSTANCES = range(1, 10_000)


def parse_numbers(text: str, allowed: Sequence[int], field: str) -> list[int]:
    """The numbers of a list such as ``1,3-5``, without duplicates, in the given order.

    >>> parse_numbers("1,3-5", range(1, 25), "functions")
    [1, 3, 4, 5]
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"{field}: `{part}` is neither a number nor a range such as 1-5")
        wanted = range(int(first), int(last if dash else first) + 1)
        if not wanted or wanted[0] not in allowed or wanted[-1] not in allowed:
            range_ = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 10 else ", ".join(map(str, allowed))
            raise ValueError(f"{field}: `{part}` is not allowed; it must lie within {range_}")
        numbers += [number for number in wanted if number in allowed]
    return list(dict.fromkeys(numbers))


def seed_of(function: int, dimension: int, instance: int) -> int:
    """The lab's seed of a run: FNV-1a over its words, each ended by a zero byte, and the instance in four bytes."""
    words = ["method", f"bbob-f{function:02}-d{dimension:02}"]
    data = b"".join(word.encode() + b"\0" for word in words) + instance.to_bytes(4, "little")
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def minimize_problem(problem: Any, method: str, budget: int) -> float:
    """Spends `budget` evaluations on a COCO problem, fewer if its final target is hit; the best value."""
    seed = seed_of(problem.id_function, problem.dimension, problem.id_instance)
    bounds = list(zip(map(float, problem.lower_bounds), map(float, problem.upper_bounds)))
    optimizer = Optimizer(bounds, method=method, seed=seed)
    best = float("inf")
    for _ in range(budget):
        point = optimizer.ask()
        value = float(problem(point))
        optimizer.tell(point, value)
        best = min(best, value)
        if problem.final_target_hit:
            break
    return best


def run_suite(
    method: str, dimensions: Sequence[int], functions: Sequence[int], instances: Sequence[int], budget: int, output: Path
) -> Path:
    """Runs `method` on the problems, ``budget * dimension`` evaluations each; the folder of COCO's logs.

    The logs are in a folder of their own below ``output/exdata``.
    """
    cocoex = load("cocoex")
    output.mkdir(parents=True, exist_ok=True)
    with inside(output):
        # COCO's option strings end at blanks, so that the folder cannot be handed over as an option.
        part = f"dimensions: {listed(dimensions)} function_indices: {listed(functions)}"
        suite = cocoex.Suite("bbob", f"instances: {listed(instances)}", part)
        observer = cocoex.Observer("bbob", f"result_folder: {method} algorithm_name: {method}")
        folder = output / str(observer.result_folder)
        for problem in suite:
            problem.observe_with(observer)
            start = time.perf_counter()
            best = minimize_problem(problem, method, budget * problem.dimension)
            seconds = time.perf_counter() - start
            print(f"{problem.id}: {problem.evaluations} evaluations, best {best:.6g}, {seconds:.1f} s", flush=True)
            problem.free()
    return folder


def listed(numbers: Sequence[int]) -> str:
    """Numbers as COCO's option strings list them."""
    return ",".join(map(str, numbers))


def postprocess(folder: Path, output: Path) -> Path:
    """Makes cocopp's pages below ``output/ppdata`` from a folder of logs; the path of the first page."""
    cocopp = load("cocopp")
    cocopp.genericsettings.interactive_mode = False  # it would open a browser
    pages = output / "ppdata"
    with inside(output):
        cocopp.main(["-o", "ppdata", os.path.relpath(folder, output)])
    return pages / "index.html"


def load(name: str) -> Any:
    """One of COCO's packages, or an error with installation instructions."""
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(f"{INSTALL} ({error})") from error


@contextmanager
def inside(folder: Path) -> Generator[None, None, None]:
    """With `folder` as the current directory."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m neuralbo.coco",
        description="Run a method on COCO's bbob suite and post-process with cocopp.",
        epilog="example: python -m neuralbo.coco --method neuralbo --dimensions 2,5 --functions 1,8 --instances 1-3",
    )
    made.add_argument("--method", default="neuralbo", help="a name of neuralbo.methods() (default: %(default)s)")
    made.add_argument("--dimensions", default="2,3,5,10", help="of 2, 3, 5, 10, 20, 40 (default: %(default)s)")
    made.add_argument("--functions", default="1-24", help="of 1 to 24 (default: %(default)s)")
    made.add_argument("--instances", default="1-15", help="instances of each function (default: %(default)s)")
    made.add_argument("--budget", type=int, default=20, help="evaluations per dimension (default: %(default)s)")
    made.add_argument("--output", default="coco-results", help="where exdata and ppdata go (default: %(default)s)")
    made.add_argument("--no-postprocess", action="store_true", help="leave out cocopp")
    return made


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The program; 0 when all went well, 2 for wrong options or a missing package."""
    command = parser()
    options = command.parse_args(arguments)
    try:
        dimensions = parse_numbers(options.dimensions, DIMENSIONS, "--dimensions")
        functions = parse_numbers(options.functions, FUNCTIONS, "--functions")
        instances = parse_numbers(options.instances, INSTANCES, "--instances")
        if options.budget < 1:
            raise ValueError(f"--budget: {options.budget} is not allowed; it must be at least 1")
        check_method(options.method, 0, {})
        for name in ["cocoex"] if options.no_postprocess else ["cocoex", "cocopp"]:
            load(name)
    except (ValueError, ImportError) as error:
        command.error(str(error))
    output = Path(options.output).resolve()
    folder = run_suite(options.method, dimensions, functions, instances, options.budget, output)
    print(f"logs: {folder}")
    if not options.no_postprocess:
        print(f"pages: {postprocess(folder, output)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
