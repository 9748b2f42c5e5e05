"""The tables of docs/reproduction.md that are computed from results/; each follows a comment
`<!-- from results: NAME -->` on the page.

    python3 scripts/docs/reproduction.py      (writes their rows into the page; agree.py compares them)

A cell that no result has (None: the page marks it with †, or it is the paper's) stays as it is on the page, and so does emphasis.
"""

import re
from functools import cache
from statistics import mean, stdev, variance

from reproduction_controls import DIMS, FUNCTIONS, LETTER, control_tables, value
from reproduction_samples import REPORTS, sample_tables
from runs import REPRODUCTION, RESULTS, ROOT, Rows, table, tables as bench_tables, values
from welch import Moments, rejected, welch_of

PAGE = ROOT / "docs/reproduction.md"
TABLE_2 = ("neural-greedy", "gp-ucb", "gp-ts", "gp-ei", "dngo", "rf")
MOVED = ("neuralbo-faithful", "gp-ts", "dngo", "neural-greedy", "random", "centre")
# The first instances of BBOB that were run whole.
BBOB_INSTANCES = 15


def p_value(p: float) -> str:
    if p < 0.001:
        return f"{p:.0e}".replace("e-0", "e-")
    return "1.0" if p > 0.995 else f"{p:.{3 if p < 0.1 else 2}f}".lstrip("0")


@cache
def published() -> dict[tuple[str, str], tuple[float, str]]:
    """p and outcome of the paper's Table 2."""
    lines = bench_tables.rows(REPRODUCTION / "table-2-published.csv")
    return {(line["problem"], line["method"]): (float(line["p"]), line["outcome"]) for line in lines}


def moments_of(found: list[float]) -> Moments:
    return mean(found), variance(found), len(found)


def moments_in_ten_dimensions() -> dict[tuple[str, str], Moments]:
    """Ten runs of the letter, and what the report of 15 November says of five runs of the baselines."""
    runs, report = values(RESULTS / "2026-11-19/reproduction/synthetic.csv", "best_200"), table(REPORTS[0], "Final best true values")
    found = {}
    for problem in (f"{function}-10" for function in FUNCTIONS):
        cells = dict(zip(report["problem"], (cell.split(" ± ") for cell in report[problem])))
        found |= {(problem, method): (float(cells[method][0]), float(cells[method][1]) ** 2, 5) for method in TABLE_2}
        found[problem, LETTER] = moments_of(runs[problem, LETTER])
    return found


class Comparison:
    """Our Table 2: p of each baseline on a problem and whether it is significantly worse than the letter."""

    def __init__(self) -> None:
        self.runs, self.p, self.worse = values(REPRODUCTION / "table-2.csv", "best_after_200"), {}, {}
        moments = {**{key: moments_of(found) for key, found in self.runs.items()}, **moments_in_ten_dimensions()}
        for problem in (f"{function}-{dim}" for function in FUNCTIONS for dim in (10, *DIMS)):
            ps = [welch_of(moments[problem, method], moments[problem, LETTER]) for method in TABLE_2]
            for method, p, worse in zip(TABLE_2, ps, rejected(ps)):
                self.p[problem, method], self.worse[problem, method] = p, worse

    def same(self, *key: str) -> bool:
        return ("T" if self.worse[key] else "F") == published()[key][1]


def table_2() -> Rows:
    ours, found = Comparison(), []
    for problem in dict.fromkeys(problem for problem, _ in ours.p):
        cells = []
        for method in TABLE_2:
            cell = f"{p_value(ours.p[problem, method])} {'T' if ours.worse[problem, method] else 'F'} / {published()[problem, method][1]}"
            cells.append(cell if ours.same(problem, method) else f"**{cell}**")
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


@cache
def bbob_scores() -> dict[str, list[dict[bench_tables.Problem, bench_tables.Score]]]:
    """The runs of each method by dimension, over the instances that every method has in all of them."""
    found = {}
    for method, runs in bench_tables.load(RESULTS / "2026-11-19/reproduction/bbob.csv.gz").items():
        of = [{key: run for key, run in runs.items() if key[0] == dim and key[2] <= BBOB_INSTANCES} for dim in (2, 3, 5, 10)]
        if any(len(some) != 24 * BBOB_INSTANCES for some in of):
            raise ValueError(f"{method}: not all of the first {BBOB_INSTANCES} instances")
        found[method] = of
    return found


def bbob() -> Rows:
    """Area and mean log10 of the final gap, by area at D = 2."""
    cells = {method: [(mean(run.area for run in some.values()), mean(run.final for run in some.values())) for some in of] for method, of in bbob_scores().items()}
    names = {f"neuralbo-paper:nu={nu}": f"**NeuralBO to the letter**, ν = {nu}" for nu in ("0.1", "1", "10")}
    order = sorted(cells, key=lambda method: -cells[method][0][0])
    texts = {method: [f"{area:.3f} / {gap:.2f}".replace("0.", ".", 1).replace("-", "−") for area, gap in of] for method, of in cells.items()}
    return [[names.get(method, f"`{method}`"), *texts[method]] for method in order]


def memory() -> Rows:
    """Rows of the table of resident sets, from its page."""
    found = table(RESULTS / "2026-11-19/reproduction/README.md", "| MiB after evaluation")
    head, _, *rows = found.items()
    columns = [head[1].index(at) for at in ("1", "60", "1000", "2000", "3000", "6000")]
    return [[name, *(cells[column] for column in columns)] for name, cells in rows]


def ten() -> Rows:
    """The originals in ten dimensions at the paper's size, ten runs: mean and standard deviation after 2000 evaluations."""
    runs = values(RESULTS / "2026-11-19/reproduction/synthetic.csv", "best_2000")
    names = {LETTER: "the letter, ν = 0.1", "neuralbo-paper:nu=1": "the letter, ν = 1", "neuralbo": "our default `neuralbo`", "random": "random"}

    def cell(problem: str, method: str) -> str:
        found = runs[problem, method]
        if len(found) != 10:
            raise ValueError(f"{problem}, {method}: {len(found)} runs, expected 10")
        return f"{value(mean(found))} ± {value(stdev(found))}"

    return [[name, *(cell(f"{function}-10", method) for function in FUNCTIONS)] for method, name in names.items()]


@cache
def tables() -> dict[str, Rows]:
    return {
        **control_tables(),
        "table 2": table_2(),
        "moved": moved(),
        "ten": ten(),
        "bbob": bbob(),
        "memory": memory(),
        **sample_tables(),
    }


def plain(text: str) -> str:
    return text.replace("**", "").replace("*", "").strip()


def merged(name: str, cells: list[str | None], line: str) -> str:
    """The row of the results; what they lack, and emphasis, as on the page."""
    old = [cell.strip() for cell in line.strip("|").split("|")] if line else []
    if None in cells and len(old) != len(cells):
        raise ValueError(f"table {name}: the page's row `{line}` has not {len(cells)} cells")
    old += [""] * (len(cells) - len(old))
    kept = [there if cell is None or plain(cell) == plain(there) else cell for cell, there in zip(cells, old)]
    return re.sub(r" +", " ", f"| {' | '.join(kept)} |").replace("| |", "| |")


def pattern(name: str) -> str:
    """Comment and head of a table, and its rows."""
    return rf"(<!-- from results: {name} -->\n\n\|[^\n]*\n\|[-:| ]*\n)((?:\|[^\n]*\n)*)"


def computed(page: str) -> list[str]:
    """The rows of the page with numbers from results."""
    found = [zip(rows, match.group(2).splitlines()) for name, rows in tables().items() if (match := re.search(pattern(name), page))]
    return [line for rows in found for cells, line in rows if cells[-1] is not None]


def rewritten(page: str) -> str:
    """The page with the rows of the results in its tables."""
    for name, rows in tables().items():

        def body(match: re.Match[str]) -> str:
            old = match.group(2).splitlines()
            old += [""] * (len(rows) - len(old))
            return match.group(1) + "".join(merged(name, cells, line) + "\n" for cells, line in zip(rows, old))

        page, count = re.subn(pattern(name), body, page)
        if count != 1:
            raise ValueError(f"docs/reproduction.md has {count} tables `<!-- from results: {name} -->`; it must have 1")
    return page


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
