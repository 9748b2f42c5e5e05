"""The tables of docs/reproduction.md that are computed from results/; each follows a comment
`<!-- from results: NAME -->` on the page.

    python3 scripts/docs/reproduction.py      (writes their rows into the page; agree.py compares them)
"""

import math
import re
from pathlib import Path
from statistics import mean, variance

from runs import OFFSETS, REPRODUCTION, RESULTS, tables as bench_tables, values

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reproduction.md"
# The false discovery rate of Table 2.
RATE = 0.05
LETTER = "neuralbo-paper:nu=0.1"
TABLE_2 = ("neural-greedy", "gp-ucb", "gp-ts", "gp-ei", "dngo", "rf")
MOVED = ("neuralbo-faithful", "gp-ts", "dngo", "neural-greedy", "random", "centre")
DIMS = (20, 50, 100)
# The first instances of BBOB that were run whole.
BBOB_INSTANCES = 15
# The published outcomes that are not T.
PUBLISHED_F = {
    *((f"levy-{dim}", "neural-greedy") for dim in DIMS),
    ("michalewicz-100", "neural-greedy"),
    ("michalewicz-50", "gp-ts"),
    ("michalewicz-50", "gp-ei"),
}
Rows = list[list[str]]


def beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function (Lentz's method)."""
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, 300):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1.0 / (1.0 + term * d), 1.0 + term / c
            fraction *= c * d
    return fraction


def upper_tail(t: float, freedom: float) -> float:
    """The chance that a t-distributed number exceeds t."""
    if t < 0.0:
        return 1.0 - upper_tail(-t, freedom)
    x, a, b = freedom / (freedom + t * t), freedom / 2.0, 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) if 0.0 < x < 1.0 else 0.0
    inside = x < (a + 1.0) / (a + b + 2.0)
    both = front * beta_fraction(x, a, b) / a if inside else 1.0 - front * beta_fraction(1.0 - x, b, a) / b
    return both / 2.0


def welch(larger: list[float], smaller: list[float]) -> float:
    """One-sided p of Welch's test, H_a: the mean of the first is larger."""
    parts = [variance(sample) / len(sample) for sample in (larger, smaller)]
    freedom = sum(parts) ** 2 / sum(part**2 / (len(sample) - 1) for part, sample in zip(parts, (larger, smaller)))
    return upper_tail((mean(larger) - mean(smaller)) / math.sqrt(sum(parts)), freedom)


def rejected(ps: list[float]) -> list[bool]:
    """Benjamini–Hochberg."""
    order = sorted(ps)
    passed = [p for rank, p in enumerate(order, 1) if p <= RATE * rank / len(ps)]
    return [bool(passed) and p <= passed[-1] for p in ps]


def p_value(p: float) -> str:
    if p < 0.001:
        return f"{p:.0e}".replace("e-0", "e-")
    return "1.0" if p > 0.995 else f"{p:.{3 if p < 0.1 else 2}f}".lstrip("0")


def table_2() -> Rows:
    runs, found = values(REPRODUCTION / "table-2.csv", "best_after_200"), []
    for function in ("ackley", "levy", "michalewicz"):
        for dim in DIMS:
            problem = f"{function}-{dim}"
            ps = [welch(runs[problem, method], runs[problem, LETTER]) for method in TABLE_2]
            cells = []
            for method, p, ours in zip(TABLE_2, ps, rejected(ps)):
                theirs = (problem, method) not in PUBLISHED_F
                cell = f"{p_value(p)} {'T' if ours else 'F'} / {'T' if theirs else 'F'}"
                cells.append(cell if ours == theirs else f"**{cell}**")
            found.append([problem.capitalize(), *cells])
    return found


def moved() -> Rows:
    """Moved functions after 2000 evaluations; in brackets the runs."""
    runs, found = values(REPRODUCTION / "checkpoints/synthetic.csv.gz", "best_100"), []
    for function in ("ackley", "levy"):
        for dim in DIMS:
            cells = [runs[f"{function}-{dim}@moved", method] for method in MOVED]
            best = min(mean(cell) for cell in cells[:-1])
            texts = [f"{mean(cell):.{1 if mean(cell) < 100 else 0}f} ({len(cell)})" for cell in cells[:-1]]
            texts = [f"**{text.replace(' (', '** (')}" if mean(cell) == best else text for text, cell in zip(texts, cells)]
            centre = min(cells[-1])
            found.append([f"{function.capitalize()}-{dim} moved", *texts, f"{centre:.3g}"])
    return found


class Controls:
    """The runs of one set of controls, from results/2026-11-18/controls."""

    def __init__(self, name: str):
        self._file = RESULTS / f"2026-11-18/controls/controls-{name}.csv.gz"
        self._columns = {column: values(self._file, column) for column in ("best_0", "best_100", "from_centre")}

    def best(self, problem: str, method: str, at: str = "100") -> str:
        function, _, variant = problem.partition("@")
        return value(self.mean(problem, method, f"best_{at}") + (OFFSETS[function] if variant == "offset" else 0.0))

    def mean(self, problem: str, method: str, column: str) -> float:
        runs = self._columns[column][problem, method]
        if len(runs) != 5:
            raise ValueError(f"{problem}, {method}: {len(runs)} runs, expected 5")
        return mean(runs)

    def with_distance(self, problem: str, method: str) -> str:
        return f"{self.best(problem, method)} / {self.mean(problem, method, 'from_centre'):.2f}"


def value(number: float) -> str:
    """Three digits, small numbers with an exponent."""
    digits = f"{number:.0e}" if 0 < number < 0.01 else f"{number:.3g}"
    return digits.replace("e-0", "e-")


def label(function: str, variant: str) -> str:
    return " ".join([function.capitalize(), variant.lstrip("@")]).strip()


def conditions() -> dict[str, Rows]:
    """The tables that show the letter's four conditions."""
    names = ("shuffled", "nu", "corrections", "maximizer", "inputs")
    shuffled, nu, corrections, maximizer, inputs = map(Controls, names)
    found: dict[str, Rows] = {name: [] for name in names}
    for function in ("ackley", "levy"):
        for variant in ("", "@moved"):
            columns = [("centre", "100"), ("random", "0"), (LETTER, "100"), (f"{LETTER},rewards=shuffled", "100"), ("random", "100")]
            cells = [" / ".join(shuffled.best(f"{function}-{dim}{variant}", *column) for dim in (20, 50, 100)) for column in columns]
            found["shuffled"].append([label(function, variant), *cells])
        for dim in (10, 20, 50, 100):
            problem = f"{function}-{dim}"
            found["nu"].append([problem.capitalize(), *(nu.with_distance(problem, f"neuralbo-paper:nu={v}") for v in ("0.1", "1", "10"))])
        for variant in ("", "@moved", "@offset"):
            options = ["", ",rewards=standard", ",rewards=relative", ",constant=yes", ",rewards=standard,constant=yes", ",rewards=relative,constant=yes"]
            found["corrections"].append([label(function, variant), *(corrections.best(f"{function}-20{variant}", LETTER + option) for option in options)])
        for dim in (20, 50):
            problem = f"{function}-{dim}"
            ways = ["", ",refined=no", ",sampling=independent", ",sampling=independent,refined=no"]
            found["maximizer"].append([problem.capitalize(), *(maximizer.with_distance(problem, LETTER + way) for way in ways)])
            found["inputs"].append([problem.capitalize(), *(inputs.with_distance(problem, LETTER + way) for way in ("", ",inputs=ball", ",inputs=unit")), inputs.best(problem, "random", "0")])
    return found


def bbob() -> Rows:
    """Area and mean log10 of the final gap over the instances that every method has in all dimensions, by area at D = 2."""
    cells = {}
    for method, runs in bench_tables.load(RESULTS / "2026-11-19/reproduction/bbob.csv.gz").items():
        of = [[run for (d, _, instance), run in runs.items() if d == dim and instance <= BBOB_INSTANCES] for dim in (2, 3, 5, 10)]
        if any(len(some) != 24 * BBOB_INSTANCES for some in of):
            raise ValueError(f"{method}: not all of the first {BBOB_INSTANCES} instances")
        cells[method] = [(mean(run.area for run in some), mean(run.final for run in some)) for some in of]
    names = {f"neuralbo-paper:nu={nu}": f"**NeuralBO to the letter**, ν = {nu}" for nu in ("0.1", "1", "10")}
    order = sorted(cells, key=lambda method: -cells[method][0][0])
    texts = {method: [f"{area:.3f} / {gap:.2f}".replace("0.", ".", 1).replace("-", "−") for area, gap in of] for method, of in cells.items()}
    return [[names.get(method, f"`{method}`"), *texts[method]] for method in order]


def memory() -> Rows:
    """Rows of the table of resident sets, from its page."""
    page = (RESULTS / "2026-11-19/reproduction/README.md").read_text()
    table = page[page.index("| MiB after evaluation") :].splitlines()[:7]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    columns = [0, *(cells[0].index(at) for at in ("1", "60", "1000", "2000", "3000", "6000"))]
    return [[row[column] for column in columns] for row in cells[2:]]


def tables() -> dict[str, Rows]:
    return {**conditions(), "table 2": table_2(), "moved": moved(), "bbob": bbob(), "memory": memory()}


def rows() -> list[str]:
    """All rows, without emphasis."""
    return [line.replace("**", "") for table in tables().values() for line in lines(table)]


def lines(rows: Rows) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in rows]


def rewritten(page: str) -> str:
    """The page with the rows of the results in its tables."""
    for name, rows in tables().items():
        pattern = rf"(<!-- from results: {name} -->\n\n\|[^\n]*\n\|[-:| ]*\n)((?:\|[^\n]*\n)*)"
        page, count = re.subn(pattern, lambda match: match.group(1) + "\n".join(lines(rows)) + "\n", page)
        if count != 1:
            raise ValueError(f"docs/reproduction.md has {count} tables `<!-- from results: {name} -->`; it must have 1")
    return page


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
