"""Rows of the tables of docs/reproduction.md that show the letter's four conditions, from results/2026-11-18/controls;
reproduction.py writes them into the page."""

from statistics import mean

from runs import OFFSETS, RESULTS, values

LETTER = "neuralbo-paper:nu=0.1"


class Controls:
    """The runs of one set of controls."""

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


def tables() -> list[list[list[str]]]:
    shuffled, nu, corrections, maximizer, inputs = map(Controls, ("shuffled", "nu", "corrections", "maximizer", "inputs"))
    found: list[list[list[str]]] = [[], [], [], [], []]
    for function in ("ackley", "levy"):
        for variant in ("", "@moved"):
            columns = [("centre", "100"), ("random", "0"), (LETTER, "100"), (f"{LETTER},rewards=shuffled", "100"), ("random", "100")]
            cells = [" / ".join(shuffled.best(f"{function}-{dim}{variant}", *column) for dim in (20, 50, 100)) for column in columns]
            found[0].append([label(function, variant), *cells])
        for dim in (10, 20, 50, 100):
            problem = f"{function}-{dim}"
            found[1].append([problem.capitalize(), *(nu.with_distance(problem, f"neuralbo-paper:nu={v}") for v in ("0.1", "1", "10"))])
        for variant in ("", "@moved", "@offset"):
            options = ["", ",rewards=standard", ",rewards=relative", ",constant=yes", ",rewards=standard,constant=yes", ",rewards=relative,constant=yes"]
            found[2].append([label(function, variant), *(corrections.best(f"{function}-20{variant}", LETTER + option) for option in options)])
        for dim in (20, 50):
            problem = f"{function}-{dim}"
            ways = ["", ",refined=no", ",sampling=independent", ",sampling=independent,refined=no"]
            found[3].append([problem.capitalize(), *(maximizer.with_distance(problem, LETTER + way) for way in ways)])
            found[4].append([problem.capitalize(), *(inputs.with_distance(problem, LETTER + way) for way in ("", ",inputs=ball", ",inputs=unit")), inputs.best(problem, "random", "0")])
    return found
