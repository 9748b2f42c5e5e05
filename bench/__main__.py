"""The command line: `python -m bench run | report | tasks | thinking`."""

import argparse
import sys
import time
from pathlib import Path

from . import peers, tasks


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2


def _methods(task: tasks.Task, wanted: list[str] | None) -> list[str]:
    """The wanted methods that the task takes; without any, all that are installed and quick."""
    able = task.methods()
    if wanted is None:
        return [name for name in able if name not in peers.PEERS or not peers.PEERS[name].slow]
    return [name for name in wanted if name.partition(":")[0] in able or name in able]


def _run(options: argparse.Namespace) -> int:
    from .runner import Job, run_all

    chosen = [tasks.get(name) for name in tasks.select(options.tasks)]
    known = {*peers.PEERS, *(name for task in chosen for name in task.methods())}
    unknown = [name for name in options.methods or [] if name not in known and name.partition(":")[0] not in peers.PEERS]
    if unknown:
        raise ValueError(f"unknown method {unknown[0]!r}; known are {', '.join(sorted(known))}")
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    # Seed by seed, so that a time limit leaves the same seeds of all methods.
    jobs = [
        Job(task.name, method, seed, options.trials or task.trials)
        for seed in seeds
        for task in chosen
        for method in _methods(task, options.methods)
    ]
    errors = run_all(jobs, options.out, options.workers, options.limit, lambda line: print(line, flush=True))
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def _report(options: argparse.Namespace) -> int:
    from .report import write_report
    from .runs import load

    names = set(tasks.select(options.tasks)) if options.tasks else None
    runs = [run for run in load(options.files) if (not names or run.task in names) and run.method in (options.methods or [run.method])]
    write_report(runs, options.out, options.ours)
    return 0


def _tasks(options: argparse.Namespace) -> int:
    for suite, names in tasks.SUITES.items():
        print(f"{suite} ({len(names)}): {' '.join(names)}")
    return 0


def _thinking(options: argparse.Namespace) -> int:
    """CPU milliseconds of one suggestion when many trials are known, per method."""
    import numpy as np

    task, rng = tasks.get(options.task), np.random.default_rng(0)
    points = [task.space.sample(rng) for _ in range(options.trials)]
    known = [(params, task.evaluate(params, 0)) for params in points]
    for method in _methods(task, options.methods):
        peer, found = peers.make(method, task.start(1, options.trials, known)), []
        for _ in range(options.repeats):
            began = time.process_time()
            params = peer.ask()
            found.append(1e3 * (time.process_time() - began))
            peer.tell(params, task.evaluate(params, 0))
        getattr(peer, "close", lambda: None)()
        print(f"{method} on {task.name} after {options.trials} trials: {np.mean(found):.1f} ms ({', '.join(f'{ms:.1f}' for ms in found)})")
    return 0


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Compares optimizers on tasks with objectives in Python.")
    commands = parser.add_subparsers(required=True)
    methods = {"type": _words, "help": "names with commas between; all installed ones that are quick if not given"}

    run = commands.add_parser("run", help="run methods on tasks; finished runs are kept")
    run.set_defaults(command=_run)
    run.add_argument("--tasks", type=_words, default=["quick"], help="suites, names or patterns with commas between")
    run.add_argument("--methods", **methods)
    run.add_argument("--seeds", type=_count, default=2, help="how many")
    run.add_argument("--first-seed", type=int, default=0)
    run.add_argument("--trials", type=_count, help="per run; those of the task if not given")
    run.add_argument("--workers", type=_count, default=1, help="processes")
    run.add_argument("--limit", type=float, help="seconds after which nothing more is run")
    run.add_argument("--out", type=Path, required=True, help="a file of runs, one JSON object per line")

    report = commands.add_parser("report", help="Markdown and CSV from files of runs")
    report.set_defaults(command=_report)
    report.add_argument("files", type=Path, nargs="+")
    report.add_argument("--tasks", type=_words)
    report.add_argument("--methods", **methods)
    report.add_argument("--ours", default="neuralbo", help="the method that is compared with all others")
    report.add_argument("--out", type=Path, required=True, help="a folder")

    commands.add_parser("tasks", help="list the tasks").set_defaults(command=_tasks)

    thinking = commands.add_parser("thinking", help="CPU time of one suggestion after many trials")
    thinking.set_defaults(command=_thinking)
    thinking.add_argument("--task", default="zdt1-d10")
    thinking.add_argument("--methods", **methods)
    thinking.add_argument("--trials", type=_count, default=500)
    thinking.add_argument("--repeats", type=_count, default=3)
    return parser


if __name__ == "__main__":
    sys.exit(main())
