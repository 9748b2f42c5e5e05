"""The figures that README.md and the pages quote, computed from the committed runs in results/; agree.py compares them.

`rows()` are rows of tables, `quotes()` figures in sentences, `claims()` sentences about who is ahead, `SECTIONS` tables copied from reports.
"""

import json
import math
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from typing import Iterable, Iterator

import reproduction_quotes
import shifted
from runs import REPRODUCTION, Quote, tables, values

RESULTS = REPRODUCTION.parent
TODAY = RESULTS.parent / "2026-11-18"
DEFAULT, OVERHEAD = RESULTS / "default", RESULTS.parent / "2026-11-15" / "overhead"
HPO, OUTCOMES, PRUNING = RESULTS / "hpo/report.md", RESULTS / "outcomes/README.md", RESULTS / "pruning/README.md"
# Sections of docs/results.md and the file that has every number of their tables.
SECTIONS = {
    "Tuning real models": HPO,
    "Several objectives": RESULTS / "objectives/README.md",
    "Early stopping": PRUNING,
    "Many dimensions, noise and pushing": DEFAULT / "README.md",
}
GROUPS = {"separable, f1–f5": (1, 5), "moderate, f6–f9": (6, 9), "ill-conditioned, f10–f14": (10, 14), "multi-modal, f15–f19": (15, 19), "weakly structured, f20–f24": (20, 24)}
SHORT = {"neuralbo": "neuralbo", "cobyqa-centre": "COBYQA", "slsqp-centre": "SLSQP", "cma-lq-centre": "lq-CMA-ES"}
NOISY = {"neuralbo": "neuralbo", "cobyqa-centre": "COBYQA", "turbo": "TuRBO-1", "tpe": "TPE multivariate", "cma-centre": "CMA-ES"}
DIMS = (2, 3, 5, 10)
PAPER = "docs/reproduction.md"


def number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def share(value: float) -> str:
    return f"{value:.3f}".lstrip("0")


def between(values: Iterable[float]) -> str:
    percents = sorted(round(100 * value) for value in values)
    return f"{percents[0]} to {percents[-1]} %"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def read(name: str) -> Iterator[dict[str, str]]:
    """The runs of a file; those of the default on held-out instances were repeated on 18 November."""
    return tables.rows((TODAY if name == "bbob_16_25" else DEFAULT) / f"{name}.csv.gz")


class Bbob:
    """Mean area and mean log10 of the final gap by method and dimension."""

    def __init__(self, *names: str, instances: tuple[int, int] = (1, 25), functions: tuple[int, int] = (1, 24), at: str = "20") -> None:
        found: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
        for line in (line for name in names for line in read(name)):
            if instances[0] <= int(line["instance"]) <= instances[1] and functions[0] <= int(line["function"]) <= functions[1]:
                gap = math.log10(max(float(line[f"gap_{at}"]), 1e-8))
                found[line["method"], int(line["dim"])].append((float(line["area"]), gap))
        self.area = {key: mean(area for area, _ in runs) for key, runs in found.items()}
        self.gap = {key: mean(gap for _, gap in runs) for key, runs in found.items()}

    def cells(self, method: str, dims: Iterable[int] = DIMS) -> list[str]:
        return [f"{share(self.area[method, dim])} / {number(self.gap[method, dim])}" for dim in dims]


def held_out(functions: tuple[int, int] = (1, 24)) -> Bbob:
    return Bbob("bbob_16_25", "peers_16_25", instances=(16, 25), functions=functions)


def single_and_batches() -> tuple[Bbob, Bbob]:
    return Bbob("bbob_1_25", instances=(16, 18)), Bbob("batch8_16_18")


def rows() -> dict[str, list[str]]:
    """Rows of tables by the page that must have them, without emphasis."""
    everything, (single, batches) = held_out(), single_and_batches()
    main = [row(label, *everything.cells(method)) for method, label in tables.LABELS.items()]
    found = [*main, row("one by one", *single.cells("neuralbo", (2, 5, 10))), row("in batches of eight", *batches.cells("neuralbo", (2, 5, 10)))]
    for group, functions in GROUPS.items():
        part = held_out(functions)
        found += [row(group if label == "neuralbo" else "", label, *part.cells(method)) for method, label in list(SHORT.items())[:3]]
    large, long, little, much = Bbob("d20", "d40"), Bbob("budget_100", at="100"), Bbob("noise_01"), Bbob("noise_10")
    found += [row(f"D = {dim}", *(large.cells(method, [dim])[0] for method in SHORT)) for dim in (20, 40)]
    found += [row(label, *(number(long.gap[method, dim]) for dim in (2, 3, 5))) for method, label in SHORT.items()]
    found += [row(label, *little.cells(method, (5, 10)), *much.cells(method, (5, 10))) for method, label in NOISY.items()]
    return {"README.md": main, "docs/results.md": found + shifted.rows()}


def foreign_numbers(section: str, text: str) -> list[str]:
    """Decimal numbers in the first table of a section that its source does not have, after rounding."""

    def numbers(pattern: str, text: str) -> list[str]:
        return re.findall(pattern, text.replace("−", "-"))

    source = [float(found) for found in numbers(r"-?\d*\.?\d+(?:e-\d+)?", SECTIONS[section].read_text())]
    table = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    given = numbers(r"-?\d*\.\d+", table.group() if table else "")
    return [found for found in given if min(abs(known - float(found)) for known in source) > 0.5001 * 10 ** -len(found.split(".")[1])]


def noisy() -> dict[tuple[str, str, str], list[float]]:
    """Best true values under noise by problem, method and evaluations."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for line in read("noisy"):
        for at in ("200", "500", "2000"):
            if line[f"best_{at}"] not in ("", "NaN"):
                found[line["problem"], line["method"], at].append(float(line[f"best_{at}"]))
    return found


def coverage(name: str, dim: str) -> float:
    """Share of the values inside the 90 % intervals."""
    runs = [line for line in read(name) if line["method"] == "neuralbo" and line["dim"] == dim]
    return sum(int(line["inside90"]) for line in runs) / sum(int(line["predicted"]) for line in runs)


def cells(path: Path, first: str, after: str = "") -> list[str]:
    """The cells of the first row that begins with `first`, below the heading `after`."""
    text = path.read_text()
    found = next(line for line in text[text.index(after) :].splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip(" *") for cell in found.strip("|").split("|")]


def holm(rival: str) -> list[str]:
    """Holm's p-values of neuralbo against a rival after 30, 60 and 120 trials, over all tasks."""
    return [cell.split("[")[1].rstrip("]") for cell in cells(HPO, rival, "| against |")[1:]]


def quotes() -> list[Quote]:
    everything, conditioned, (single, batches) = held_out(), held_out((10, 14)), single_and_batches()
    leads = [everything.area["neuralbo", dim] / max(everything.area[method, dim] for method in tables.LABELS if method != "neuralbo") for dim in DIMS]
    losses = [1 - batches.area["neuralbo", dim] / single.area["neuralbo", dim] for dim in (2, 5, 10)]
    gaps = [number(conditioned.gap[method, 5]) for method in ("slsqp-centre", "neuralbo")]
    covered = between(coverage(name, dim) for name in ("noise_01", "noise_10") for dim in ("5", "10"))
    ranks = [cells(HPO, name)[6].split()[0] for name in ("neuralbo", "tpe", "gp-ei", "random")]
    ours, _, cobyla, cobyqa = (cell.split(" of ")[0] for cell in cells(OUTCOMES, "mean share")[1:5])
    pruned = [share(float(cells(PRUNING, name, task)[5].split()[0])) for task in ("### linear", "### boosting") for name in ("neuralbo+asha", "neuralbo")]
    slowest = json.loads((OVERHEAD / "neuralbo-20.json").read_text())["measurements"][-1]["cpu_ms"]
    both, choosing, results = ("README.md", "docs/choosing.md"), ("docs/choosing.md",), ("docs/results.md",)
    found = [
        Quote(between(lead - 1 for lead in leads), r"(\d+ to \d+ %) (?:larger than that of|ahead of) COBYQA", both),
        Quote(", ".join(f"{lead:.2f}" for lead in leads), r"over the best peer is ([\d.]+, [\d.]+, [\d.]+ and [\d.]+)", results),
        Quote(between(losses), r"[Bb]atches of eight\W[^%]*?(\d+ to \d+ %)", (*both, "docs/concepts.md")),
        Quote(", ".join(f"{100 * loss:.0f}" for loss in losses), r"lose (\d+, \d+ and \d+) % of the area", results),
        Quote(" against ".join(gaps), r"f10–f14 of BBOB: log10 of the final gap (\S+ against \S+) at D = 5", choosing),
        Quote(covered, r"(\d+ to \d+ %) (?:with noise|of the values on BBOB, with and)", ("README.md", "docs/faq.md")),
        Quote(", ".join(ranks[:3]), r"mean rank ([\d.]+) of (?:5|five)[^.]*? \(TPE ([\d.]+), `gp-ei` (\d\.\d+)", both),
        Quote(ranks[3], r"random search (\d\.\d+)", ("README.md",)),
        Quote(ours, r"(\d+ %) of the runs within 1 %", choosing),
        Quote(f"{ours}, {cobyla}, {cobyqa}", r"neuralbo (\d+ %), COBYLA (\d+ %), COBYQA (\d+ %)", ("docs/outcome-constraints.md",)),
        Quote(", ".join(pruned[:2]), r"early-stopping\): (\.\d+) instead of (\.\d+)", choosing),
        Quote(", ".join(pruned[2:]), r"early-stopping\): (\.\d+) with ASHA, (\.\d+) without", choosing),
        Quote(", ".join(holm("gp-ei")), r"`gp-ei`, the closest rival, at none \(([\d.]+, [\d.]+ and [\d.]+)\)", results),
        Quote(f"{holm('tpe')[1]}, {holm('tpe-multivariate')[1]}", r"two TPEs at 60 trials only \(([\d.]+ and [\d.]+)\)", results),
        Quote(f"{slowest:.0f} ms", r"100,000 (?:trials a suggestion takes|observations in 20 dimensions:) \[?(\d+ ms)", ("docs/faq.md", *results)),
    ]
    runs = noisy()
    for problem in ("Ackley", "Levy", "Michalewicz"):
        reached = [runs[f"{problem.lower()}-10", method, "200"] for method in ("neuralbo", "turbo", "cma")]
        errors = [f"{number(mean(best))} ± {number(stdev(best) / math.sqrt(len(best)))}" for best in reached[:2]]
        pattern = rf"{problem} (\S+ ± [\d.]+) \((?:TuRBO-1 )?(\S+ ± [\d.]+), (?:CMA-ES )?(\S+?)\)"
        found.append(Quote(", ".join([*errors, number(mean(reached[2]), 1)]), pattern, results))
    return found + reproduction_quotes.quotes()


def claims() -> list[tuple[str, bool, tuple[str, ...]]]:
    """Sentences (as patterns), whether the runs bear them out, and the pages that must say the true ones."""
    moved = shifted.runs()

    def leads(method: str, *problems: str) -> bool:
        """Whether a method is ahead of the default on moved functions after 2000 evaluations, from shared points."""
        means = [[mean(moved["shared", problem, name, 2000]) for name in (method, "neuralbo")] for problem in problems]
        return all(peer < ours for peer, ours in means)

    michalewicz = leads("turbo", *(f"michalewicz-{dim}" for dim in (50, 100)))
    both = ("README.md", "docs/choosing.md")
    blind, closest, *tpes = ([float(p) for p in holm(name)] for name in ("random", "gp-ei", "tpe", "tpe-multivariate"))
    results = ("docs/results.md",)
    return [
        (r"with random stay below 0\.05 at all three budgets", max(blind) < 0.05, results),
        (r"two TPEs at 60 trials only", all(p[1] < 0.05 <= min(p[0], p[2]) for p in tpes), results),
        (r"closest rival, at none", min(closest) >= 0.05, results),
        (r"on Michalewicz in 50 and 100", michalewicz, both),
        (r"ahead [^.;|]*on [^.;|]*Levy and Michalewicz", not michalewicz, ()),
        (r"on Ackley in 10 dimensions", leads("turbo", "ackley-10"), both),
        (r"behind (it )?on (Levy|Ackley in [25])", leads("turbo", "levy-20", "levy-50", "levy-100", "ackley-20", "ackley-50"), ()),
        *reproduction_quotes.claims(),
    ]
