"""The figures that README.md and the pages quote, computed from the committed runs in results/.

`rows()` are rows of tables, `quotes()` figures in sentences; agree.py compares both with the pages.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Iterable, Iterator

RESULTS = Path(__file__).resolve().parents[2] / "results"
DEFAULT, HPO, OUTCOMES, PRUNING, OBJECTIVES = (
    RESULTS / "2026-11-16" / name for name in ("default", "hpo/report.md", "outcomes/README.md", "pruning/README.md", "objectives/README.md")
)
OVERHEAD = RESULTS / "2026-11-15" / "overhead"
GROUPS = {"separable, f1–f5": (1, 5), "moderate, f6–f9": (6, 9), "ill-conditioned, f10–f14": (10, 14), "multi-modal, f15–f19": (15, 19), "weakly structured, f20–f24": (20, 24)}
MAIN = {
    "neuralbo": "neuralbo",
    "cobyqa-centre": "SciPy COBYQA, radius 0.2 of the box",
    "cobyqa-centre-default": "SciPy COBYQA, its own radius",
    "slsqp-centre": "SciPy SLSQP",
    "cma-lq-centre": "lq-CMA-ES",
}
# Sections of docs/results.md and the file that has every number of their tables.
SECTIONS = {"Tuning real models": HPO, "Several objectives": OBJECTIVES, "Early stopping": PRUNING, "Many dimensions, noise and pushing": DEFAULT / "README.md"}
NOISY = {"neuralbo": "neuralbo", "cobyqa-centre": "COBYQA", "turbo": "TuRBO-1", "tpe": "TPE multivariate", "cma-centre": "CMA-ES"}


@dataclass(frozen=True)
class Quote:
    """A figure in sentences: wherever `pattern` matches, its group must read `value`; on `pages` it must match."""

    name: str
    value: str
    pattern: str
    pages: tuple[str, ...]


def number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def share(value: float) -> str:
    return f"{value:.3f}".lstrip("0")


def read(*names: str) -> Iterator[dict[str, str]]:
    for name in names:
        with gzip.open(DEFAULT / f"{name}.csv.gz", "rt") as file:
            yield from csv.DictReader(file)


class Bbob:
    """Mean area and mean log10 of the final gap by method and dimension."""

    def __init__(self, names: Iterable[str], instances: tuple[int, int] = (1, 25), functions: tuple[int, int] = (1, 24), at: str = "20") -> None:
        found: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
        for row in read(*names):
            if instances[0] <= int(row["instance"]) <= instances[1] and functions[0] <= int(row["function"]) <= functions[1]:
                gap = math.log10(max(float(row[f"gap_{at}"]), 1e-8))
                found[row["method"], int(row["dim"])].append((float(row["area"]), gap))
        self.area = {key: mean(area for area, _ in runs) for key, runs in found.items()}
        self.gap = {key: mean(gap for _, gap in runs) for key, runs in found.items()}

    def cell(self, method: str, dim: int) -> str:
        return f"{share(self.area[method, dim])} / {number(self.gap[method, dim])}"


HELD_OUT = ("bbob_1_25", "peers_16_25")


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def main_rows() -> list[str]:
    found = Bbob(HELD_OUT, (16, 25))
    return [row(label, *(found.cell(method, dim) for dim in (2, 3, 5, 10))) for method, label in MAIN.items()]


def group_rows() -> Iterator[str]:
    for group, functions in GROUPS.items():
        found = Bbob(HELD_OUT, (16, 25), functions)
        for method, label in (("neuralbo", "neuralbo"), ("cobyqa-centre", "COBYQA"), ("slsqp-centre", "SLSQP")):
            yield row(group if label == "neuralbo" else "", label, *(found.cell(method, dim) for dim in (2, 3, 5, 10))).replace("|  |", "| |")


def other_rows() -> Iterator[str]:
    single, batches, large, long = Bbob(["bbob_1_25"], (16, 18)), Bbob(["batch8_16_18"]), Bbob(["d20", "d40"]), Bbob(["budget_100"], at="100")
    yield row("one by one", *(single.cell("neuralbo", dim) for dim in (2, 5, 10)))
    yield row("in batches of eight", *(batches.cell("neuralbo", dim) for dim in (2, 5, 10)))
    for dim in (20, 40):
        yield row(f"D = {dim}", *(large.cell(method, dim) for method in ("neuralbo", "cobyqa-centre", "slsqp-centre", "cma-lq-centre")))
    for method, label in (("neuralbo", "neuralbo"), ("cobyqa-centre", "COBYQA"), ("slsqp-centre", "SLSQP"), ("cma-lq-centre", "lq-CMA-ES")):
        yield row(label, *(number(long.gap[method, dim]) for dim in (2, 3, 5)))
    little, much = Bbob(["noise_01"]), Bbob(["noise_10"])
    for method, label in NOISY.items():
        yield row(label, *(noise.cell(method, dim) for noise in (little, much) for dim in (5, 10)))


def rows() -> dict[str, list[str]]:
    """Rows of tables by the page that must have them, without emphasis."""
    return {"README.md": main_rows(), "docs/results.md": [*main_rows(), *group_rows(), *other_rows()]}


def foreign_numbers(section: str, text: str) -> list[str]:
    """Decimal numbers in the first table of a section that its source does not have, after rounding."""
    source = [float(found) for found in re.findall(r"[−-]?\d*\.?\d+(?:e-\d+)?", SECTIONS[section].read_text().replace("−", "-"))]
    table = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    given = re.findall(r"[−-]?\d*\.\d+", table.group() if table else "")
    return [found for found in given if not any(abs(known - as_number(found)) <= 0.5001 * 10 ** -decimals(found) for known in source)]


def as_number(text: str) -> float:
    return float(text.replace("−", "-"))


def decimals(text: str) -> int:
    return len(text.split(".")[1])


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
    lines = text[text.index(after) :].splitlines()
    found = next(line for line in lines if line.startswith(f"| {first} |"))
    return [cell.strip(" *") for cell in found.strip("|").split("|")]


def between(values: Iterable[float]) -> str:
    percents = sorted(round(100 * value) for value in values)
    return f"{percents[0]} to {percents[-1]} %"


def quotes() -> list[Quote]:
    held_out, conditioned = Bbob(HELD_OUT, (16, 25)), Bbob(HELD_OUT, (16, 25), (10, 14))
    single, batches = Bbob(["bbob_1_25"], (16, 18)), Bbob(["batch8_16_18"])
    leads = [held_out.area["neuralbo", dim] / max(held_out.area[method, dim] for method in MAIN if method != "neuralbo") for dim in (2, 3, 5, 10)]
    losses = [1 - batches.area["neuralbo", dim] / single.area["neuralbo", dim] for dim in (2, 5, 10)]
    gaps = [number(conditioned.gap[method, 5]) for method in ("slsqp-centre", "neuralbo")]
    everywhere = ("README.md", "docs/choosing.md")
    found = [
        Quote("lead in area", between(lead - 1 for lead in leads), r"(\d+ to \d+ %) (?:larger than that of|ahead of) COBYQA", everywhere),
        Quote("leads in area", ", ".join(f"{lead:.2f}" for lead in leads), r"over the best peer is ([\d.]+, [\d.]+, [\d.]+ and [\d.]+)", ("docs/results.md",)),
        Quote("cost of batches", between(losses), r"[Bb]atches of eight\W[^%]*?(\d+ to \d+ %)", (*everywhere, "docs/concepts.md")),
        Quote("losses of batches", ", ".join(f"{100 * loss:.0f}" for loss in losses), r"lose (\d+, \d+ and \d+) % of the area", ("docs/results.md",)),
        Quote("ill-conditioned gaps", " against ".join(gaps), r"f10–f14 of BBOB: log10 of the final gap (\S+ against \S+) at D = 5", ("docs/choosing.md",)),
        Quote("coverage under noise", between(coverage(name, dim) for name in ("noise_01", "noise_10") for dim in ("5", "10")), r"(\d+ to \d+ %) (?:with noise|of the values on BBOB, with and)", ("README.md", "docs/faq.md")),
    ]
    ranks = {name: cells(HPO, name)[6].split()[0] for name in ("neuralbo", "tpe", "gp-ei", "random")}
    found += [
        Quote("rank in tuning", ranks["neuralbo"], r"mean rank ([\d.]+) of (?:5|five)", everywhere),
        Quote("rank of TPE", ranks["tpe"], r"TPE ([\d.]+), `gp-ei`", everywhere),
        Quote("rank of gp-ei", ranks["gp-ei"], r"TPE [\d.]+, `gp-ei` (\d\.\d+)", everywhere),
        Quote("rank of random search", ranks["random"], r"random search (\d\.\d+)", ("README.md",)),
    ]
    ours, _, cobyla, cobyqa = (cell.split(" of ")[0] for cell in cells(OUTCOMES, "mean share")[1:5])
    found += [
        Quote("outcome constraints", ours, r"(\d+ %) of the runs within 1 %", ("docs/choosing.md",)),
        Quote("outcome constraints", f"{ours}, {cobyla}, {cobyqa}", r"neuralbo (\d+ %), COBYLA (\d+ %), COBYQA (\d+ %)", ("docs/outcomes.md",)),
    ]
    digits = [share(float(cells(PRUNING, name, "### linear-digits")[5].split()[0])) for name in ("neuralbo+asha", "neuralbo")]
    trees = [share(float(cells(PRUNING, name, "### boosting-diabetes")[5].split()[0])) for name in ("neuralbo+asha", "neuralbo")]
    found += [
        Quote("pruning of digits", ", ".join(digits), r"early-stopping\): (\.\d+) instead of (\.\d+)", ("docs/choosing.md",)),
        Quote("pruning of trees", ", ".join(trees), r"early-stopping\): (\.\d+) with ASHA, (\.\d+) without", ("docs/choosing.md",)),
    ]
    last = json.loads((OVERHEAD / "neuralbo-20.json").read_text())["measurements"][-1]
    found += [Quote("a suggestion at 100,000", f"{last['cpu_ms']:.0f} ms", r"100,000 (?:trials a suggestion takes|observations in 20 dimensions:) \[?(\d+ ms)", ("docs/faq.md", "docs/results.md"))]
    for problem, best in noisy_means().items():
        found.append(Quote(f"noisy {problem}", ", ".join(best), rf"{problem} (\S+ ± [\d.]+) \((?:TuRBO-1 )?(\S+ ± [\d.]+), (?:CMA-ES )?(\S+?)\)", ("docs/results.md",)))
    return found


def noisy_means() -> dict[str, list[str]]:
    runs = noisy()
    found = {}
    for problem in ("Ackley", "Levy", "Michalewicz"):
        ours, turbo, cma = (runs[f"{problem.lower()}-10", method, "200"] for method in ("neuralbo", "turbo", "cma"))
        errors = [f"{number(mean(values))} ± {number(stdev(values) / math.sqrt(len(values)))}" for values in (ours, turbo)]
        found[problem] = [*errors, number(mean(cma), 1)]
    return found


def claims() -> list[tuple[str, bool, tuple[str, ...]]]:
    """Sentences (as patterns) with whether the runs bear them out, and the pages that must say the true ones."""
    runs = noisy()

    def turbo_leads(problem: str, at: str) -> bool:
        return mean(runs[problem, "turbo", at]) < mean(runs[problem, "neuralbo", at])

    michalewicz = turbo_leads("michalewicz-10", "200") and turbo_leads("michalewicz-20", "500")
    levy = turbo_leads("levy-50", "2000") and turbo_leads("levy-100", "2000")
    ackley = any(turbo_leads(f"ackley-{dim}", "500") for dim in (20, 50, 100))
    return [
        (r"TuRBO(-1)? is ahead on Michalewicz", michalewicz, ("README.md", "docs/choosing.md")),
        (r"(?<!TuRBO is )ahead [^.;|]*on [^.;|]*Levy and Michalewicz", not michalewicz, ()),
        (r"on Levy in 50 and 100", levy, ("README.md", "docs/choosing.md")),
        (r"behind (it )?on Ackley", ackley, ()),
    ]
