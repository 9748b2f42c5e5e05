"""The tables of docs/reproduction.md about the controls: the paper's method where one thing is changed."""

import re
from functools import cache
from pathlib import Path
from statistics import mean

from runs import OFFSETS, REPRODUCTION, RESULTS, Rows, values

LETTER = "neuralbo-paper:nu=0.1"
CORRECTED = f"{LETTER},rewards=standard,constant=yes"
FUNCTIONS = ("ackley", "levy", "michalewicz")
DIMS = (20, 50, 100)


class Controls:
    """The runs of one set of controls: mean best values on the scale of the original function, mean places of the points."""

    def __init__(self, file: Path, runs: int = 5):
        self._runs = runs
        self._columns = {column: values(file, column) for column in ("best_0", "best_100", "from_centre", "at_bounds")}

    @classmethod
    def named(cls, name: str, day: str = "2026-11-18") -> "Controls":
        return cls(RESULTS / f"{day}/controls/controls-{name}.csv.gz")

    def best(self, problem: str, method: str, at: str = "100") -> str:
        return value(self.mean(problem, method, f"best_{at}") + restoring(problem))

    def all(self, problem: str, method: str, column: str) -> list[float]:
        runs = self._columns[column][problem, method]
        if len(runs) != self._runs:
            raise ValueError(f"{problem}, {method}: {len(runs)} runs, expected {self._runs}")
        return runs

    def mean(self, problem: str, method: str, column: str) -> float:
        return mean(self.all(problem, method, column))

    def relative(self, problem: str, variant: str) -> str:
        """Best value of the letter and the distance of its points; on the scale of the original, which `centre` gives: its points are the
        same whatever is subtracted."""
        name = problem + variant
        back = self.mean(problem, "centre", "best_100") - self.mean(name, "centre", "best_100")
        return f"{value(self.mean(name, LETTER, 'best_100') + back)} / {self.mean(name, LETTER, 'from_centre'):.2f}"

    def with_distance(self, problem: str, method: str) -> str:
        return f"{self.best(problem, method)} / {self.mean(problem, method, 'from_centre'):.2f}"


def restoring(problem: str) -> float:
    """What must be added to the values of a control."""
    function, _, variant = problem.partition("@")
    return OFFSETS[function] if variant == "offset" else 0.0


def value(number: float) -> str:
    """Three digits, small numbers with an exponent."""
    if number == 0:
        return "0"
    digits = f"{number:.0e}".replace("e-0", "e-") if 0 < number < 0.01 else f"{number:#.3g}".rstrip(".")
    return re.sub("^-", "−", digits)


def label(function: str, variant: str) -> str:
    return " ".join([function.capitalize(), variant.lstrip("@")]).strip()


def main_runs() -> Controls:
    """Originals, moved and offset, three runs."""
    return Controls(REPRODUCTION / "checkpoints/controls.csv.gz", runs=3)


def centre_values(function: str, variant: str) -> str:
    """The values in the centre of the box, from the report: no run ends there where something better was found."""
    text = (REPRODUCTION / "report.md").read_text()
    cell = re.search(rf"^\| {function} \| {variant} \| ([^|]*) \|", text, flags=re.MULTILINE)
    if cell is None:
        raise ValueError(f"report.md has no value in the centre of {function}, {variant}")
    return cell.group(1)


def numbers(text: str) -> list[float]:
    return [float(part) for part in text.replace("−", "-").split(" / ")]


def controls() -> Rows:
    """Bold: the value of the centre in all three dimensions, within 6 % or 0.1."""
    runs, found = main_runs(), []
    for function in FUNCTIONS:
        for variant in ("", "@moved", "@offset"):
            centre = centre_values(function, variant.lstrip("@") or "original")
            problems = [f"{function}-{dim}{variant}" for dim in DIMS]
            methods = [("random", "0"), *((method, "100") for method in (LETTER, CORRECTED, "neuralbo-faithful", "neuralbo", "random"))]
            cells = [" / ".join(runs.best(problem, *method) for problem in problems) for method in methods]
            near = all(abs(ours - there) <= max(0.1, 0.06 * abs(there)) for ours, there in zip(numbers(cells[1]), numbers(centre)))
            cells[1] = f"**{cells[1]}**" if near else cells[1]
            found.append([label(function, variant), " / ".join(map(value, numbers(centre))), *cells])
    return found


def places() -> Rows:
    """Where the letter's points are, d = 20."""
    runs = main_runs()
    problems = [f"{function}-20{variant}" for function in FUNCTIONS for variant in ("", "@moved", "@offset")]
    distances = [f"{runs.mean(problem, LETTER, 'from_centre'):.2f}" for problem in problems]
    at_bounds = [f"{100 * runs.mean(problem, LETTER, 'at_bounds'):.0f} %" for problem in problems]
    return [["distance from the centre", *distances], ["coordinates at a bound", *at_bounds]]


def conditions() -> dict[str, Rows]:
    """The tables that show the letter's four conditions."""
    names = ("shuffled", "nu", "corrections", "maximizer", "inputs")
    shuffled, nu, corrections, maximizer, inputs = map(Controls.named, names)
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


MOVED_BY = {"0": "", "0.05": "@moved-0.05", "0.1": "@moved-0.1", "0.2": "@moved-0.2", "0.4": "@moved"}
MEANS = {"0": "", "0.5": "@offset-0.5", "0.9": "@offset-0.9", "1": "@offset-1", "1.1": "@offset-1.1", "1.5": "@offset-1.5", "2": "@offset"}


@cache
def later(name: str) -> Controls:
    return Controls.named(name, "2026-11-19")


def doses() -> dict[str, Rows]:
    """How far the optimum is moved, and which part of the mean is subtracted; d = 20."""
    moved, offset = later("moved"), later("offset")
    found: dict[str, Rows] = {"moved by": [], "offset by": []}
    for function in ("ackley", "levy"):
        for method, name in (("centre", "the centre"), (LETTER, "the letter"), ("random", "random")):
            cells = [moved.best(f"{function}-20{variant}", method) for variant in MOVED_BY.values()]
            found["moved by"].append([f"{function.capitalize()}-20: {name}", *cells])
        found["offset by"].append([f"{function.capitalize()}-20", *(offset.relative(f"{function}-20", variant) for variant in MEANS.values())])
    return found


def translated() -> Rows:
    """Original / moved / translated."""
    runs, variants = later("translated"), ("", "@moved", "@translated")
    methods = ("centre", LETTER, "cma-es", "random")
    return [[f"{function.capitalize()}-20", *(" / ".join(runs.best(f"{function}-20{variant}", method) for variant in variants) for method in methods)] for function in ("ackley", "levy")]


def greedy() -> Rows:
    """Without exploration, and the paper's greedy method, which has biases and standardized rewards."""
    runs, methods = later("greedy"), ("centre", LETTER, "neuralbo-paper:nu=0", "neural-greedy", "random")
    problems = [(function, variant) for function in ("ackley", "levy") for variant in ("", "@moved")]
    return [[label(f"{function}-20", variant), *(runs.best(f"{function}-20{variant}", method) for method in methods)] for function, variant in problems]


def noise() -> Rows:
    """The letter with the noise of the authors' code and with that of the text, each with the distance of its points."""
    code, text = Controls.named("shuffled"), later("noise")
    problems = [(function, variant) for function in ("ackley", "levy") for variant in ("", "@moved")]
    found: Rows = []
    for function, variant in problems:
        problem = f"{function}-20{variant}"
        found.append([label(f"{function}-20", variant), code.best(problem, "centre"), code.with_distance(problem, LETTER), text.with_distance(problem, LETTER)])
    return found


def control_tables() -> dict[str, Rows]:
    return {**conditions(), "controls": controls(), "places": places(), **doses(), "translated": translated(), "greedy": greedy(), "noise": noise()}
