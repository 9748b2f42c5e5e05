"""The report: Markdown for readers, a CSV for programs."""

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import stats, tasks
from .runs import Run

SIGNIFICANT = 0.05
REFERENCE = "random"
# The regret of a run without a feasible trial.
INFEASIBLE = 10.0
SHARES = {0.25: "a quarter", 0.5: "half", 1.0: "all"}
ABOUT = (
    "Runs are judged after a quarter, half and all of their trials. Regret is normalized per task: 0 is the lowest loss of all runs "
    "here, 1 the mean of random search after a quarter of the trials; means over seeds, then over tasks. Ranks are means over all ways "
    "to draw one seed of each method, then over tasks, with 95 % bootstrap intervals (tasks and seeds drawn with replacement)."
)


@dataclass
class Table:
    """losses[share of the trials][task][method]: one loss per seed. Tasks that some of the methods have not run are left out."""

    runs: list[Run]
    losses: dict[float, dict[str, dict[str, list[float]]]] = field(init=False)
    methods: list[str] = field(init=False)
    tasks: list[str] = field(init=False)

    def __post_init__(self) -> None:
        if not self.runs:
            raise ValueError("there are no runs to report")
        trials: dict[str, set[int]] = defaultdict(set)
        self.losses = {share: defaultdict(lambda: defaultdict(list)) for share in SHARES}
        for run in self.runs:
            trials[run.task].add(run.trials)
            for share in SHARES:
                self.losses[share][run.task][run.method].append(run.losses[share])
        for task, counts in trials.items():
            if len(counts) > 1:
                raise ValueError(f"{task} has runs of {' and '.join(map(str, sorted(counts)))} trials; only equal ones can be compared")
        self.methods = sorted({run.method for run in self.runs})
        self.tasks = [name for name in tasks.NAMES if set(self.losses[1.0].get(name, ())) == set(self.methods)]
        if not self.tasks:
            raise ValueError(f"no task has runs of all of {', '.join(self.methods)}")

    def groups(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for task in self.tasks:
            found[tasks.group(task)].append(task)
        return {"all": self.tasks, **found} if len(found) > 1 else dict(found)

    def scale(self, task: str) -> tuple[float, float]:
        """(zero, one) of normalized regret. Not the median of random search: it may be on the lowest plateau already."""
        best = min(loss for at in self.losses.values() for losses in at[task].values() for loss in losses)
        first = self.losses[0.25][task]
        reference = np.array(first.get(REFERENCE) or [loss for losses in first.values() for loss in losses])
        finite = reference[np.isfinite(reference)]
        return best, float(finite.mean()) if len(finite) else best + 1.0

    def regrets(self, share: float, task: str) -> dict[str, float]:
        zero, one = self.scale(task)
        width = max(one - zero, 1e-12)
        scaled = {name: (np.array(losses) - zero) / width for name, losses in self.losses[share][task].items()}
        return {name: float(np.where(np.isinf(regret), INFEASIBLE, regret).mean()) for name, regret in scaled.items()}


@dataclass(frozen=True)
class Versus:
    """Ours against one rival: tasks won, tied and lost by Mann-Whitney, and Wilcoxon's test over the tasks' mean regrets."""

    wins: int
    ties: int
    losses: int
    p: float


def versus(table: Table, share: float, names: list[str], ours: str, rival: str) -> Versus:
    outcomes = [verdict(table.losses[share][task][ours], table.losses[share][task][rival])[0] for task in names]
    regrets = [table.regrets(share, task) for task in names]
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
        writer.writerow(["task", "share", "method", "seeds", "mean", "median", "sd", "regret", "rank"])
        writer.writerows(_summary(table))


def _summary(table: Table) -> Iterator[list[object]]:
    for task in table.tasks:
        for share in SHARES:
            losses = table.losses[share][task]
            ranks, regrets = stats.mean_ranks(losses), table.regrets(share, task)
            for name, values in sorted(losses.items()):
                figures = (np.mean(values), np.median(values), np.std(values), regrets[name], ranks[name])
                yield [task, share, name, len(values), *(f"{figure:.6g}" for figure in figures)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _head(*cells: str) -> str:
    return f"{_row(*cells)}\n|{' --- |' * len(cells)}"


def _markdown(table: Table, ours: str) -> Iterator[str]:
    yield f"# {len(table.methods)} methods on {len(table.tasks)} tasks\n\n{ABOUT}\n\nSeeds per task: {_seeds(table)}.\n"
    for group, names in table.groups().items():
        yield f"## {group} ({len(names)})\n"
        yield from _figures(table, names)
        if ours in table.methods:
            yield from _rivals(table, names, ours)
    yield from _per_task(table, ours)


def _seeds(table: Table) -> str:
    """The runs of each method per task, as a range where they differ."""
    counts = {name: {len(table.losses[1.0][task][name]) for task in table.tasks} for name in table.methods}
    return ", ".join(f"{name} {'–'.join(map(str, sorted({min(n), max(n)})))}" for name, n in counts.items())


def _figures(table: Table, names: list[str]) -> Iterator[str]:
    regrets: dict[str, list[str]] = defaultdict(list)
    ranks: dict[str, list[str]] = defaultdict(list)
    last: dict[str, float] = {}
    for share in SHARES:
        losses = [{name: table.losses[share][task][name] for name in table.methods} for task in names]
        by_task, intervals = [stats.mean_ranks(each) for each in losses], stats.rank_intervals(losses)
        for name in table.methods:
            regrets[name].append(f"{np.mean([table.regrets(share, task)[name] for task in names]):.3f}")
            last[name] = float(np.mean([rank[name] for rank in by_task]))
            ranks[name].append(f"{last[name]:.2f} [{intervals[name][0]:.2f}, {intervals[name][1]:.2f}]")
    yield _head("", *(f"{figure}, {share}" for figure in ("regret", "rank") for share in SHARES.values()), "ms per suggestion")
    for name in sorted(table.methods, key=lambda name: last[name]):
        thinking = np.mean([run.milliseconds for run in table.runs if run.method == name and run.task in names])
        yield _row(name, *regrets[name], *ranks[name], f"{thinking:.3g}")
    yield ""


def _rivals(table: Table, names: list[str], ours: str) -> Iterator[str]:
    yield (
        f"`{ours}` against each: tasks significantly won / tied / lost (Mann–Whitney, two-sided, p < {SIGNIFICANT}), and the p-value of "
        "Wilcoxon's signed-rank test over the tasks' mean regrets, in brackets Holm's for all rivals.\n"
    )
    yield _head("against", *SHARES.values())
    rivals = [name for name in table.methods if name != ours]
    results = {share: {rival: versus(table, share, names, ours, rival) for rival in rivals} for share in SHARES}
    families = {share: stats.holm({rival: result.p for rival, result in row.items()}) for share, row in results.items()}
    for rival in rivals:
        found = [(results[share][rival], families[share][rival]) for share in SHARES]
        yield _row(rival, *(f"{one.wins} / {one.ties} / {one.losses}, p = {one.p:.2g} [{holm:.2g}]" for one, holm in found))
    yield ""


def _per_task(table: Table, ours: str) -> Iterator[str]:
    marks = f", + or − where `{ours}` is significantly better or worse, with the p-value" if ours in table.methods else ""
    yield f"## Each task after all trials\n\nMean loss{marks}.\n"
    yield _head("task", *table.methods)
    for task in table.tasks:
        losses = table.losses[1.0][task]
        yield _row(task, *(f"{np.mean(losses[name]):.4g}" + _mark(losses, ours, name) for name in table.methods))


def _mark(losses: dict[str, list[float]], ours: str, name: str) -> str:
    if name == ours or ours not in losses:
        return ""
    outcome, p = verdict(losses[ours], losses[name])
    return {"win": f" (+ {p:.1g})", "loss": f" (− {p:.1g})", "tie": ""}[outcome]
