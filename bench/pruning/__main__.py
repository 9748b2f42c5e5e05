"""``python -m bench.pruning run --out FILE.csv [--workers N]`` and ``python -m bench.pruning report FILE.csv``."""

from __future__ import annotations

import argparse
import csv
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from .methods import METHODS  # noqa: E402
from .once import run_once  # noqa: E402
from .report import table  # noqa: E402
from .tasks import STEPS, TASKS  # noqa: E402

FIELDS = ["task", "method", "seed", "trials", "complete", "half", "loss", "seconds"]


def _run(args: argparse.Namespace) -> None:
    done = set()
    if args.out.exists():
        with args.out.open() as file:
            done = {(row["task"], row["method"], int(row["seed"])) for row in csv.DictReader(file)}
    jobs = [(task, method, seed) for seed in range(args.seeds) for task in args.tasks for method in args.methods]
    waiting = [job for job in jobs if job not in done]
    print(f"{len(jobs)} runs, {len(jobs) - len(waiting)} of them done", file=sys.stderr)
    with args.out.open("a", newline="") as file, ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not done:
            writer.writeheader()
        futures = [pool.submit(run_once, *job, args.budget * STEPS) for job in waiting]
        for count, future in enumerate(as_completed(futures), 1):
            writer.writerow(future.result())
            file.flush()
            print(f"\r{count}/{len(waiting)}", end="", file=sys.stderr)
    print(file=sys.stderr)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pruning", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--workers", type=int, default=1)
    run.add_argument("--seeds", type=int, default=12)
    run.add_argument("--budget", type=int, default=30, help="in full trainings")
    run.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    run.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    report = commands.add_parser("report")
    report.add_argument("file", type=Path)
    args = parser.parse_args(words)
    if args.command == "run":
        _run(args)
    else:
        print(table(args.file))


if __name__ == "__main__":
    main()
