"""The report: Markdown for readers, a CSV for programs."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import stats
from .runs import Run
from .tasks import TASKS

SIGNIFICANT = 0.05
REFERENCE = "random"


@dataclass
class Table:
    """losses[budget][task][optimizer] = true losses, one of each seed; `budgets` are those at which all runs were judged."""

    runs: list[Run]
    budgets: list[int] = field(init=False)
    losses: dict[int, dict[str, dict[str, list[float]]]] = field(init=False)

    def __post_init__(self) -> None:
        if not self.runs:
            raise ValueError("there are no runs to report")
        self.budgets = sorted(set.intersection(*(set(run.losses) for run in self.runs)))
        if not self.budgets:
            raise ValueError("the runs have no budget in common; runs of 60 trials are judged after 15, 30 and 60, for example")
        self.losses = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        for run in self.runs:
            for budget, loss in run.losses.items():
                self.losses[budget][run.task][run.optimizer].append(loss)

    @property
    def optimizers(self) -> list[str]:
        return sorted({run.optimizer for run in self.runs})

    @property
    def tasks(self) -> list[str]:
        """The tasks that all optimizers have run; on others they cannot be compared."""
        last = self.losses[self.budgets[-1]]
        return [name for name in TASKS if name in last and set(last[name]) == set(self.optimizers)]

    def scale(self, task: str) -> tuple[float, float]:
        """(zero, one) of normalized regret: the best true loss known, and the mean of random search at the first budget.

        Not its median: where more than half of the random runs end on the lowest plateau, that is the best loss itself.
        """
        best = min(loss for at in self.losses.values() for losses in at[task].values() for loss in losses)
        reference = self.losses[self.budgets[0]][task].get(REFERENCE) or [
            loss for losses in self.losses[self.budgets[0]][task].values() for loss in losses
        ]
        return best, float(np.mean(reference))

    def regrets(self, budget: int, task: str) -> dict[str, float]:
        zero, one = self.scale(task)
        width = max(one - zero, 1e-12)
        return {name: float(np.mean(losses) - zero) / width for name, losses in self.losses[budget][task].items()}


@dataclass(frozen=True)
class Versus:
    """Ours against one rival at a budget: tasks won, tied and lost by Mann-Whitney, and Wilcoxon's test over tasks."""

    wins: int
    ties: int
    losses: int
    p: float


def versus(table: Table, budget: int, tasks: list[str], ours: str, rival: str) -> Versus:
    outcomes = [verdict(table.losses[budget][task][ours], table.losses[budget][task][rival])[0] for task in tasks]
    regrets = [table.regrets(budget, task) for task in tasks]
    p = stats.wilcoxon([regret[ours] for regret in regrets], [regret[rival] for regret in regrets])
    return Versus(outcomes.count("win"), outcomes.count("tie"), outcomes.count("loss"), p)


def verdict(ours: list[float], theirs: list[float]) -> tuple[str, float]:
    """Whether ours are significantly lower on one task, and the p-value."""
    p = stats.mann_whitney(ours, theirs)
    if p >= SIGNIFICANT:
        return "tie", p
    return ("win" if stats.comparison(ours, theirs).mean() < 0.5 else "loss"), p


def write_report(runs: list[Run], folder: Path, ours: str) -> None:
    """Writes report.md and summary.csv into the folder."""
    table = Table(runs)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text("\n".join(_markdown(table, ours)) + "\n")
    with (folder / "summary.csv").open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["task", "budget", "optimizer", "seeds", "mean", "median", "sd", "regret", "rank"])
        writer.writerows(_summary(table))


def _summary(table: Table) -> Iterator[list[object]]:
    for task in table.tasks:
        for budget in table.budgets:
            losses = table.losses[budget][task]
            ranks, regrets = stats.mean_ranks(losses), table.regrets(budget, task)
            for name, values in sorted(losses.items()):
                figures = (np.mean(values), np.median(values), np.std(values), regrets[name], ranks[name])
                yield [task, budget, name, len(values), *(f"{figure:.6g}" for figure in figures)]


def _markdown(table: Table, ours: str) -> Iterator[str]:
    yield "# Tuning real models"
    yield ""
    yield from _what(table)
    groups = {
        "All tasks": table.tasks,
        "Tasks for tuning": [name for name in table.tasks if not TASKS[name].held_out],
        "Tasks held out": [name for name in table.tasks if TASKS[name].held_out],
    }
    if not groups["Tasks held out"]:
        del groups["All tasks"]
    for title, tasks in groups.items():
        if tasks:
            yield from _group(table, title, tasks, ours)
    yield from _per_task(table, ours)
    yield from _thinking(table)


def _what(table: Table) -> Iterator[str]:
    yield f"{len(table.tasks)} tasks, judged after {', '.join(map(str, table.budgets))} trials. Seeds of each task: {_seeds(table)}."
    yield ""
    yield (
        "The loss of a run is the true loss of its incumbent, the trial with the lowest loss told so far; on noisy tasks the true loss "
        "is the mean over 20 fixed splits that are used for nothing else. Regret is normalized per task: 0 is the lowest true loss of "
        f"all runs here, 1 the mean of random search after {table.budgets[0]} trials; means over seeds, then over tasks. Ranks are means "
        "over all ways to draw one seed of each optimizer, then over tasks, with 95 % bootstrap intervals (tasks and seeds drawn with "
        "replacement)."
    )
    yield ""


def _seeds(table: Table) -> str:
    """How many runs each optimizer has on a task, as a range where that differs."""
    last = table.losses[table.budgets[-1]]
    counts = {name: {len(last[task][name]) for task in table.tasks} for name in table.optimizers}
    return ", ".join(f"{name} {'–'.join(map(str, sorted({min(n), max(n)})))}" for name, n in counts.items() if n)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _head(*cells: str) -> str:
    return f"{_row(*cells)}\n|{' --- |' * len(cells)}"


def _group(table: Table, title: str, tasks: list[str], ours: str) -> Iterator[str]:
    yield f"## {title} ({len(tasks)})"
    yield ""
    yield _head("", *(f"{figure} at {budget}" for figure in ("regret", "rank") for budget in table.budgets))
    cells = _group_cells(table, tasks)
    for name in sorted(table.optimizers, key=lambda name: cells[name][0]):
        yield _row(name, *cells[name][1])
    yield ""
    if ours in table.optimizers:
        yield from _rivals(table, tasks, ours)


def _group_cells(table: Table, tasks: list[str]) -> dict[str, tuple[float, list[str]]]:
    """By optimizer: its mean rank at the last budget and the cells of its row."""
    regrets: dict[str, list[str]] = defaultdict(list)
    ranks: dict[str, list[str]] = defaultdict(list)
    last: dict[str, float] = {}
    for budget in table.budgets:
        losses = [{name: table.losses[budget][task][name] for name in table.optimizers} for task in tasks]
        by_task = [stats.mean_ranks(each) for each in losses]
        intervals = stats.rank_intervals(losses)
        for name in table.optimizers:
            regrets[name].append(f"{np.mean([table.regrets(budget, task)[name] for task in tasks]):.3f}")
            last[name] = float(np.mean([rank[name] for rank in by_task]))
            ranks[name].append(f"{last[name]:.2f} [{intervals[name][0]:.2f}, {intervals[name][1]:.2f}]")
    return {name: (last[name], regrets[name] + ranks[name]) for name in table.optimizers}


def _rivals(table: Table, tasks: list[str], ours: str) -> Iterator[str]:
    yield (
        f"`{ours}` against each: tasks significantly won / tied / lost (Mann–Whitney, two-sided, p < {SIGNIFICANT}), and the p-value of "
        "Wilcoxon's signed-rank test over the tasks' mean regrets, in brackets Holm's for all rivals."
    )
    yield ""
    yield _head("against", *(f"at {budget}" for budget in table.budgets))
    rivals = [name for name in table.optimizers if name != ours]
    results = {budget: {rival: versus(table, budget, tasks, ours, rival) for rival in rivals} for budget in table.budgets}
    families = {budget: stats.holm({rival: result.p for rival, result in row.items()}) for budget, row in results.items()}
    for rival in rivals:
        cells = []
        for budget in table.budgets:
            result = results[budget][rival]
            cells.append(f"{result.wins} / {result.ties} / {result.losses}, p = {result.p:.2g} [{families[budget][rival]:.2g}]")
        yield _row(rival, *cells)
    yield ""


def _per_task(table: Table, ours: str) -> Iterator[str]:
    budget = table.budgets[-1]
    yield f"## Each task after {budget} trials"
    yield ""
    marks = f", + or − where `{ours}` is significantly better or worse, with the p-value" if ours in table.optimizers else ""
    yield f"Mean true loss{marks}."
    yield ""
    yield _head("task", *table.optimizers)
    for task in table.tasks:
        losses = table.losses[budget][task]
        cells = [f"{np.mean(losses[name]):.4g}" + _mark(losses, ours, name) for name in table.optimizers]
        yield _row(task, *cells)
    yield ""


def _mark(losses: dict[str, list[float]], ours: str, name: str) -> str:
    if name == ours or ours not in losses:
        return ""
    outcome, p = verdict(losses[ours], losses[name])
    return {"win": f" (+ {p:.1g})", "loss": f" (− {p:.1g})", "tie": ""}[outcome]


def _thinking(table: Table) -> Iterator[str]:
    yield "## Thinking time"
    yield ""
    yield "CPU milliseconds of one core for asking and telling, per trial."
    yield ""
    yield _head("", "mean", "slowest task")
    for name in table.optimizers:
        by_task: dict[str, list[float]] = defaultdict(list)
        for run in table.runs:
            if run.optimizer == name:
                by_task[run.task].append(run.milliseconds)
        means = {task: float(np.mean(values)) for task, values in by_task.items()}
        slowest = max(means, key=lambda task: means[task])
        yield _row(name, f"{np.mean(list(means.values())):.1f}", f"{means[slowest]:.1f} ({slowest})")
