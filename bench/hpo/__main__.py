"""The command line: `python -m bench.hpo run | pack | report | tasks`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Before any library starts its threads: every run has one core.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NEURALBO_THREADS"):
    os.environ[_name] = "1"

PROFILES = {
    "quick": {"tasks": ["svm-digits", "sgd-cancer", "select-pca-svm-clusters"], "seeds": 2, "trials": 12},
    "full": {"tasks": ["tuning"], "seeds": 20, "trials": 120},
}


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except ValueError as error:
        print(f"bench.hpo: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    from . import optimizers, tasks
    from .runner import Job, run_all

    profile = PROFILES[options.profile]
    chosen = tasks.select(options.tasks or profile["tasks"])
    names = options.optimizers or optimizers.installed()
    unknown = [name for name in names if name not in optimizers.NAMES]
    if unknown:
        raise ValueError(f"unknown optimizer {unknown[0]!r}; known are {', '.join(optimizers.NAMES)}")
    trials = options.trials or profile["trials"]
    seeds = range(options.first_seed, options.first_seed + (options.seeds or profile["seeds"]))
    # Seed by seed, so that what a time limit leaves is the same seeds of all.
    jobs = [Job(task.name, name, seed, trials) for seed in seeds for name in names for task in chosen]
    errors = run_all(jobs, options.out, options.workers, options.limit, lambda line: print(line, flush=True))
    if errors:
        (options.out / "errors.txt").write_text("\n".join(errors))
        print(f"{len(errors)} runs failed, see {options.out / 'errors.txt'}", file=sys.stderr)
    return 1 if errors else 0


def _pack(options: argparse.Namespace) -> int:
    from .runs import load, pack

    pack(options.out, load(options.paths))
    return 0


def _report(options: argparse.Namespace) -> int:
    from .report import write_report
    from .runs import load

    runs = [run for run in load(options.paths) if not options.optimizers or run.optimizer in options.optimizers]
    write_report(runs, options.out or options.paths[0], options.ours)
    return 0


def _tasks(options: argparse.Namespace) -> int:
    from .tasks import TASKS

    print("| task | parameters | kind | what |\n| --- | --- | --- | --- |")
    for task in TASKS.values():
        print(f"| {task.name} | {len(task.space.params)} | {', '.join(task.traits)} | {task.about} |")
    return 0


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.hpo", description="Tunes real scikit-learn models with many optimizers.")
    commands = parser.add_subparsers(required=True)

    run = commands.add_parser("run", help="run optimizers on tasks; finished runs are kept")
    run.set_defaults(command=_run)
    run.add_argument("--profile", choices=PROFILES, default="quick")
    run.add_argument("--optimizers", type=_words, help="names with commas between; all that are installed if not given")
    run.add_argument("--tasks", type=_words, help="names with commas between, or tuning, held-out, all")
    run.add_argument("--seeds", type=_count, help="how many")
    run.add_argument("--first-seed", type=int, default=0)
    run.add_argument("--trials", type=_count)
    run.add_argument("--workers", type=_count, default=1, help="processes")
    run.add_argument("--limit", type=float, help="seconds after which nothing more is run")
    run.add_argument("--out", type=Path, required=True)

    pack = commands.add_parser("pack", help="one small file with a line for each run")
    pack.set_defaults(command=_pack)
    pack.add_argument("paths", type=Path, nargs="+")
    pack.add_argument("--out", type=Path, required=True)

    report = commands.add_parser("report", help="Markdown and CSV from folders of runs and packed files")
    report.set_defaults(command=_report)
    report.add_argument("paths", type=Path, nargs="+")
    report.add_argument("--out", type=Path, help="a folder; the first path if not given")
    report.add_argument("--optimizers", type=_words, help="names with commas between; all that have runs if not given")
    report.add_argument("--ours", default="neuralbo", help="the optimizer that is compared with all others")

    commands.add_parser("tasks", help="list the tasks").set_defaults(command=_tasks)
    return parser


if __name__ == "__main__":
    sys.exit(main())
