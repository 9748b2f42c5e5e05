"""The command line: `python -m bench.objectives run | report | thinking | reference`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Before any library starts its threads: every run has one core.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NEURALBO_THREADS"):
    os.environ[_name] = "1"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except ValueError as error:
        print(f"bench.objectives: {error}", file=sys.stderr)
        return 2


def _say(line: str) -> None:
    print(line, flush=True)


def _names(chosen: list[str] | None) -> list[str]:
    from . import optimizers

    unknown = [name for name in chosen or [] if name not in optimizers.NAMES]
    if unknown:
        raise ValueError(f"unknown optimizer {unknown[0]!r}; known are {', '.join(optimizers.NAMES)}")
    return chosen or [name for name in optimizers.installed() if name not in optimizers.SLOW]


def _run(options: argparse.Namespace) -> int:
    from .problems import select
    from .runner import Job, run_all

    names = _names(options.only)
    jobs = [Job(name, optimizer, seed, options.factor) for name, seed in select(options.set, options.problems) for optimizer in names]
    errors = run_all(jobs, options.out, options.workers, options.limit, _say)
    if errors:
        (options.out / "errors.txt").write_text("\n".join(errors))
        print(f"{len(errors)} runs failed, see {options.out / 'errors.txt'}", file=sys.stderr)
    return 1 if errors else 0


def _report(options: argparse.Namespace) -> int:
    from .problems import select
    from .report import write_report
    from .runs import load

    places = set(select(options.set, options.problems))
    runs = [run for run in load(options.paths) if run.place in places and (not options.only or run.optimizer in options.only)]
    write_report(runs, options.out, options.ours)
    return 0


def _thinking(options: argparse.Namespace) -> int:
    from .thinking import measure

    for name in _names(options.only):
        _say(measure(name, options.problem, options.trials, options.repeats))
    return 0


def _reference(options: argparse.Namespace) -> int:
    from .reference import best_known

    _say(f"{options.problem} {best_known(options.problem, options.trials, options.seeds):.6f}")
    return 0


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def _choice(command: argparse.ArgumentParser, group: str) -> None:
    command.add_argument("--set", default=group, help="tuning, report, subset or quick")
    command.add_argument("--problems", type=_words, help="patterns of names in the set, as 'zdt*,*-d10'")
    command.add_argument("--only", type=_words, help="optimizers, names with commas between")


def _parser() -> argparse.ArgumentParser:
    from .runs import FACTORS

    parser = argparse.ArgumentParser(prog="python -m bench.objectives", description="Compares optimizers on several objectives.")
    commands = parser.add_subparsers(required=True)

    run = commands.add_parser("run", help="run optimizers on a set of problems; finished runs are kept")
    run.set_defaults(command=_run)
    _choice(run, "quick")
    run.add_argument("--factor", type=int, choices=FACTORS, default=20, help="trials per dimension")
    run.add_argument("--workers", type=_count, default=1, help="processes")
    run.add_argument("--limit", type=float, help="seconds after which nothing more is run")
    run.add_argument("--out", type=Path, required=True)

    report = commands.add_parser("report", help="Markdown and CSV from folders and files of runs")
    report.set_defaults(command=_report)
    report.add_argument("paths", type=Path, nargs="+")
    _choice(report, "report")
    report.add_argument("--out", type=Path, required=True, help="a folder")
    report.add_argument("--ours", default="neuralbo", help="the optimizer that is compared with all others")

    thinking = commands.add_parser("thinking", help="CPU time of one suggestion after many trials")
    thinking.set_defaults(command=_thinking)
    thinking.add_argument("--problem", default="bbob-biobj-f35-i01-d05")
    thinking.add_argument("--only", type=_words, help="optimizers, names with commas between")
    thinking.add_argument("--trials", type=_count, default=500)
    thinking.add_argument("--repeats", type=_count, default=3)

    reference = commands.add_parser("reference", help="the best known hypervolume of a model, by long runs of NSGA-II")
    reference.set_defaults(command=_reference)
    reference.add_argument("problem")
    reference.add_argument("--trials", type=_count, default=3000)
    reference.add_argument("--seeds", type=_count, default=3)
    return parser


if __name__ == "__main__":
    sys.exit(main())
