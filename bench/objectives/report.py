"""The report: Markdown for readers, a CSV for programs."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..hpo import stats
from .problems import kinds
from .runs import Run
from .table import Table, Versus, ranks, standard_error, versus

JUDGED = 20


def write_report(runs: list[Run], folder: Path, ours: str) -> None:
    """Writes report.md and summary.csv into the folder."""
    table = Table(runs)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text("\n".join(_markdown(table, ours)) + "\n")
    with (folder / "summary.csv").open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["group", "measure", "optimizer", "units", "mean", "se", "rank"])
        writer.writerows(_summary(table))


def _measures(table: Table) -> list[tuple[str, int]]:
    return [("hypervolumes", at) for at in table.factors] + [("areas", at) for at in table.areas]


def _summary(table: Table) -> Iterator[list[object]]:
    for group in table.groups:
        for measure in _measures(table):
            units = table.units(group, measure)
            rank = ranks(units)
            for name, values in sorted(units.items()):
                mean = float(np.mean(list(values.values())))
                label = f"{measure[0][:-1]} at {measure[1]}D"
                yield [group, label, name, len(values), f"{mean:.5g}", f"{standard_error(values):.3g}", f"{rank[name]:.4g}"]


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _head(*cells: object) -> str:
    return _row(*cells) + "\n" + _row(*["---"] * len(cells))


def _markdown(table: Table, ours: str) -> Iterator[str]:
    yield "# Several objectives"
    yield ""
    yield (
        "Hypervolume as a share of the best known one, means over problems with standard errors (COCO: over functions, each the mean of its "
        "instances; otherwise over seeds). The area is the mean over all trials up to that budget."
    )
    yield ""
    yield from _overview(table)
    for group in table.groups:
        yield from _group(table, group, ours)
    if ours in table.optimizers:
        yield from _pairs(table, ours)
    yield from _thinking(table)


def _overview(table: Table) -> Iterator[str]:
    yield f"## Mean hypervolume after {JUDGED}·D trials"
    yield ""
    yield _head("", *table.optimizers)
    for group in table.groups:
        means = {name: np.mean(list(v.values())) for name, v in table.units(group, ("hypervolumes", JUDGED)).items()}
        best = max(means.values())
        yield _row(group, *(f"**{means[name]:.3f}**" if means[name] == best else f"{means[name]:.3f}" for name in table.optimizers))
    yield ""


def _group(table: Table, group: str, ours: str) -> Iterator[str]:
    yield f"## {group}"
    yield ""
    measures = _measures(table)
    units = {measure: table.units(group, measure) for measure in measures}
    rank = {at: ranks(units["hypervolumes", at]) for at in table.factors}
    titles = [f"{at}·D" if kind == "hypervolumes" else f"area to {at}·D" for kind, at in measures]
    yield _head("", *titles, *(f"rank at {at}·D" for at in table.areas))
    order = sorted(table.optimizers, key=lambda name: rank[JUDGED][name])
    for name in order:
        cells = [f"{np.mean(list(units[m][name].values())):.3f} ± {standard_error(units[m][name]):.3f}" for m in measures]
        yield _row(name, *cells, *(f"{rank[at][name]:.2f}" for at in table.areas))
    yield ""
    if ours in order:
        yield from _versus(table, group, ours, [name for name in order if name != ours])


def _versus(table: Table, group: str, ours: str, rivals: list[str]) -> Iterator[str]:
    yield (
        f"`{ours}` against each: mean difference of the hypervolume, won / tied / lost, and the p-value of Wilcoxon's signed-rank test, "
        "in brackets Holm's for all rivals."
    )
    yield ""
    yield _head("against", *(f"{at}·D" for at in table.areas))
    results: dict[int, dict[str, Versus]] = {}
    for at in table.areas:
        units = table.units(group, ("hypervolumes", at))
        results[at] = {rival: versus(units, ours, rival) for rival in rivals}
    families = {at: stats.holm({rival: result.p for rival, result in row.items()}) for at, row in results.items()}
    for rival in rivals:
        yield _row(rival, *(_verdict(results[at][rival], families[at][rival]) for at in table.areas))
    yield ""


def _verdict(result: Versus, adjusted: float) -> str:
    return f"{result.difference:+.3f}, {result.wins} / {result.ties} / {result.losses}, p = {result.p:.2g} [{adjusted:.2g}]"


def _pairs(table: Table, ours: str) -> Iterator[str]:
    """Where ours is ahead and where it is behind, by the properties of the paired functions."""
    groups = [group for group in table.groups if group.startswith("bbob")]
    if not groups or len(table.optimizers) < 2:
        return
    yield "## By the kind of functions"
    yield ""
    yield f"Hypervolume of `{ours}` after {JUDGED}·D trials less the largest mean of the others, with its name."
    yield ""
    yield _head("", *groups)
    cells: dict[str, dict[str, str]] = defaultdict(dict)
    for group in groups:
        units = table.units(group, ("hypervolumes", JUDGED))
        by_kind: dict[str, list[str]] = defaultdict(list)
        for unit in next(iter(units.values())):
            by_kind[" – ".join(kinds(int(unit[1:])))].append(unit)
        for kind, members in by_kind.items():
            means = {name: float(np.mean([values[unit] for unit in members])) for name, values in units.items()}
            mine = means.pop(ours)
            rival = max(means, key=lambda name: means[name])
            cells[kind][group] = f"{mine - means[rival]:+.3f} {rival}"
    for kind, by_group in cells.items():
        yield _row(kind, *(by_group.get(group, "") for group in groups))
    yield ""


def _thinking(table: Table) -> Iterator[str]:
    yield "## Thinking time"
    yield ""
    yield "CPU milliseconds of one core for a suggestion, the mean over a run."
    yield ""
    yield _head("", *table.groups)
    by_group = {group: table.milliseconds(group) for group in table.groups}
    for name in table.optimizers:
        yield _row(name, *(f"{by_group[group][name]:.2g}" for group in table.groups))
