"""The figures in the sentences of docs/reproduction.md that rest on kept runs; agree.py compares them."""

import json
import math
import re
from collections.abc import Callable
from itertools import combinations
from statistics import mean, stdev

from reproduction import BBOB_INSTANCES, TABLE_2, Comparison, bbob_scores, p_value, published
from reproduction_controls import CORRECTED, DIMS, LETTER, MOVED_BY, Controls, centre_values, later, main_runs, numbers, value
from reproduction_samples import REPORTS, STUDY, detection
from runs import REPRODUCTION, RESULTS, Quote, table, tables, values
from welch import quantile, welch, welch_of

PAGE = ("docs/reproduction.md",)
MEMORY = RESULTS / "2026-11-19/reproduction/README.md"


def short(number: float, digits: int = 2) -> str:
    return f"{number:.{digits}f}".lstrip("0")


def percents(shares: list[float]) -> str:
    return f"{min(shares):.0f}, {max(shares):.0f}"


def error(runs: list[float]) -> float:
    """The standard error of the mean."""
    return stdev(runs) / math.sqrt(len(runs))


def quotes() -> list[Quote]:
    found = [*control_quotes(), *long_quotes(), *table_2_quotes(), *bbob_quotes(), *sample_quotes(), *memory_quotes(), *report_quotes()]
    return [Quote(value, pattern, PAGE) for value, pattern in found]


def control_quotes() -> list[tuple[str, str]]:
    shuffled, corrections, runs = Controls.named("shuffled"), Controls.named("corrections"), main_runs()
    centres = [value(shuffled.mean(f"levy-{dim}", "centre", "best_100")) for dim in DIMS]
    at_bounds = {dim: [100 * runs.mean(f"{function}-{dim}{variant}", CORRECTED, "at_bounds") for function in ("ackley", "levy", "michalewicz") for variant in ("", "@moved", "@offset")] for dim in (20, 100)}
    constant = corrections.all("levy-20@moved", f"{LETTER},constant=yes", "best_100")
    ours = [runs.best(problem, "neuralbo") for problem in ("levy-20", "levy-20@moved", "levy-50", "levy-50@moved")]
    worst = "michalewicz-100@offset"
    return [
        (", ".join(centres), r"\| Levy \| negative \| the centre \| ([\d.]+), ([\d.]+), ([\d.]+) at d"),
        (shuffled.best("levy-20", "random", "0"), r"\(d = 20: (\d+) is the best of 21 random points\)"),
        (f"{percents(at_bounds[20])}, {percents(at_bounds[100])}", r"a constant input (\d+) to (\d+) % of the coordinates .* at d = 20, and (\d+) to (\d+) % at d = 100"),
        (f"{shuffled.mean('ackley-20', LETTER + ',rewards=shuffled', 'from_centre'):.2f}", r"on Ackley-20 its points have a distance of ([\d.]+)"),
        (f"{mean(constant):.1f}, {error(constant):.1f}", r"reaches ([\d.]+) ± ([\d.]+) \(standard error\) with ν = 0.1"),
        (corrections.best("levy-20@moved", LETTER), r"where the letter has ([\d.]+), and reached"),
        (", ".join(f"{numbers(cell)[0]:.{0 if numbers(cell)[0] > 21 else 1}f}" for cell in ours), r"from ([\d.]+) to ([\d.]+) on Levy-20 and from (\d+) to (\d+) on Levy-50"),
        (f"{runs.mean(worst, LETTER, 'from_centre'):.2f}, {100 * runs.mean(worst, LETTER, 'at_bounds'):.0f}", r"its points are ([\d.]+) away on average, (\d+) % of their coordinates at a bound"),
        (f"{100 * below_the_centre():.0f}", r"the value of the centre or one at most (\d+) % below it"),
        (", ".join(greedy_ps()), r"on Ackley-20 \(p = (\.\d+)\) nor on Levy-20 \(p = (\.\d+), Welch\)"),
        (noise_sds(), r"standard deviation of ([\d.]+) instead of ([\d.]+) on Ackley, and of ([\d.]+) instead of ([\d.]+) on Levy"),
        (f"{100 * (hardest(('cma-es', 'random'), max) - 1):.0f}", r"are at most (\d+) % above those on the originals"),
        (nu_range(), r"Every c from ([\d.]+) to ([\d.]+) separates the twelve cells of Ackley"),
        (value(Controls.named("nu").mean("levy-10", "centre", "best_100")), r"the letter has the value of the centre \(0 and ([\d.]+)\)"),
    ]


def below_the_centre() -> float:
    """How far the letter is below the value of the centre at most, over all distances of the optimum; it must not be above."""
    runs, gaps = later("moved"), []
    for problem in (f"{function}-20{variant}" for function in ("ackley", "levy") for variant in list(MOVED_BY.values())[1:]):
        centre, ours = (runs.mean(problem, method, "best_100") for method in ("centre", LETTER))
        gaps.append((centre - ours) / centre)
    return max(gaps) if min(gaps) >= 0 else math.nan


def greedy_ps() -> list[str]:
    """That the letter without exploration is worse than the letter."""
    runs = later("greedy")
    return [p_value(welch(*(runs.all(problem, f"neuralbo-paper:nu={nu}", "best_100") for nu in ("0", "0.1")))) for problem in ("ackley-20", "levy-20")]


def noise_sds() -> str:
    """The text's and the code's on Ackley-20, then on Levy-20."""
    text, code = (json.loads((RESULTS / f"2026-11-19/controls/controls-{name}.json").read_text())["facts"]["noise_sd"] for name in ("noise", "moved"))
    return ", ".join(f"{sds[problem]:#.2g}" for problem in ("ackley-20", "levy-20") for sds in (text, code))


def hardest(methods: tuple[str, ...], choose: Callable[[list[float]], float]) -> float:
    """The largest or smallest ratio of a moved function's best values to those of the original."""
    runs, found = later("translated"), []
    for function in ("ackley-20", "levy-20"):
        for variant in ("@moved", "@translated"):
            found += [runs.mean(function + variant, method, "best_100") / runs.mean(function, method, "best_100") for method in methods]
    return choose(found)


def nu_range() -> str:
    """Between which c the ratio 36/(cνd) is over 1 where the letter finds Ackley's optimum and below 1 where it does not."""
    runs, ratios = Controls.named("nu"), {True: [], False: []}
    for dim in (10, 20, 50, 100):
        for nu in ("0.1", "1", "10"):
            ratios[runs.mean(f"ackley-{dim}", f"neuralbo-paper:nu={nu}", "best_100") < 1.0].append(36 / (float(nu) * dim))
    return f"{max(ratios[False]):.1f}, {min(ratios[True]):.1f}"


def long_quotes() -> list[tuple[str, str]]:
    """2000 evaluations."""
    runs = values(REPRODUCTION / "checkpoints/synthetic.csv.gz", "best_100")
    first = values(REPRODUCTION / "checkpoints/synthetic.csv.gz", "best_0")
    pairs = [[runs[f"{function}-20{variant}", LETTER] for variant in ("", "@moved")] for function in ("ackley", "levy")]
    means = [mean(values) for pair in pairs for values in pair]
    harder = [p_value(welch(after, before)) for before, after in pairs]
    levy = [mean(runs["levy-100@moved", method]) for method in ("neuralbo-faithful", "gp-ts", "dngo", "centre")]
    started = [of[f"levy-{dim}@moved", "gp-ts"][0] for dim in (50, 100) for of in (first, runs)]
    rivals = peers()
    return [
        (", ".join(f"{number:.0f}" for number in levy), r"has (\d+) on moved Levy in 100 dimensions after 2000 evaluations, where GP-TS ends at (\d+), DNGO at (\d+) and the centre has (\d+)"),
        (f"{means[0]:.2f}, {means[1]:.2f}, {means[2]:.2f}, {means[3]:.1f}", r"ν = 0.1, Ackley ([\d.]+) → moved ([\d.]+), Levy ([\d.]+) → moved ([\d.]+)"),
        (", ".join(harder), r"\(p = (\S+) and (\S+) that the moved one is harder\)"),
        (", ".join(f"{number:.0f}" for number in started), r"\((\d+) → (\d+), (\d+) → (\d+)\) and is a weak rival"),
        (f"{means[2]:.2f}", r"the letter stays at ([\d.]+) on Levy-20"),
        (f"{mean(runs['levy-20@moved', 'gp-ts']):.1f}", r"and `gp-ts` has ([\d.]+) on the harder moved one"),
        (", ".join(rivals), r"after 2000 TuRBO-1 has (\d+) and CMA-ES (\d+)"),
    ]


def peers() -> list[str]:
    """TuRBO-1 and CMA-ES on Levy-100 after 2000 evaluations."""
    lines = [line for line in tables.rows(RESULTS / "2026-11-16/default/noisy.csv.gz") if line["problem"] == "levy-100"]
    return [f"{mean(float(line['best_2000']) for line in lines if line['method'] == method):.0f}" for method in ("turbo", "cma")]


def ratios(problem: str, methods: tuple[str, ...] = TABLE_2) -> list[float]:
    """Standard deviation by mean of a baseline's ten values, had all ten of NeuralBO been 0, by the published p."""
    return [math.sqrt(10) / quantile(published()[problem, method][0], 9) for method in methods]


def table_2_quotes() -> list[tuple[str, str]]:
    ours = Comparison()
    central = [key for key in ours.p if not key[0].startswith("michalewicz")]
    others = [key for key in ours.p if key not in central]
    close = sum(0.1 <= ours.p[key] / published()[key][0] <= 10 for key in central)
    forest = ours.runs["ackley-20", "rf"]
    exact = 1 / math.comb(len(ours.runs["ackley-20", LETTER]) + len(forest), len(forest))
    separated = [min(ours.runs[key]) > max(ours.runs[key[0], LETTER]) for key in central if key in ours.runs]
    spans = [f"{short(min(found))}, {short(max(found))}" for found in map(ratios, ("ackley-100", "ackley-10"))]
    outcomes = [sum(published()[key][1] == "T" for key in others), sum(ours.worse[key] for key in others)]
    return [
        (f"{sum(ours.worse[key] for key in central)}, {len(central)}", r"all rewards are negative: (\d+) of (\d+) tests T"),
        (f"{outcomes[1]}, {len(others)}, {outcomes[0]}", r"\((\d+) of (\d+) tests T, (\d+) published\)"),
        (f"{sum(ours.same(*key) for key in central)}, {len(central)}", r"On Ackley and Levy (\d+) of (\d+) outcomes agree"),
        (f"{close}, {len(central)}", r"the p-values do not \((\d+) of (\d+) are within a factor of 10\)"),
        (f"{short(exact, 3)}, {sum(separated)}, {len(separated)}", r"an exact rank-sum test gives (\.\d+) in (\d+) of (\d+) cells"),
        (f"{sum(ours.same(*key) for key in others)}, {len(others)}", r"On Michalewicz (\d+) of (\d+) outcomes agree"),
        (", ".join(spans), r"(\.\d+) to (\.\d+) on Ackley-100 and (\.\d+) to (\.\d+) on Ackley-10,"),
        (f"{short(min(ratios('ackley-20')))}, {short(max(ratios('ackley-20')))}", r"(\.\d+) to (\.\d+) for all six baselines on Ackley-20"),
        (short(stdev(forest) / mean(forest), 3), r"our random forest, at a tenth of the evaluations, has (\.\d+)"),
        (f"{ratios('ackley-50', ('neural-greedy',))[0]:.2f}", r"and ([\d.]+) for NeuralGreedy on Ackley-50"),
    ]


def instance_means(runs: dict[tuple[int, int, int], tables.Score], figure: str) -> list[float]:
    return [mean(getattr(run, figure) for key, run in runs.items() if key[2] == instance) for instance in range(1, BBOB_INSTANCES + 1)]


def bbob_quotes() -> list[tuple[str, str]]:
    scores = bbob_scores()
    largest = [max(error(instance_means(runs, figure)) for of in scores.values() for runs in of) for figure in ("area", "final")]
    cells = {}
    for figure, digits in (("area", 4), ("final", 2)):
        for method in ("neuralbo-paper:nu=10", "random"):
            means = instance_means(scores[method][3], figure)
            cells[figure, method] = f"{short(mean(means), digits)}, {short(error(means), digits)}"
    return [
        (f"{short(largest[0], 3)}, {short(largest[1])}", r"standard errors over instances: at most (\.\d+) in area and (\.\d+) in the gap"),
        (", ".join(cells.values()), r"\(area (\.\d+) ± (\.\d+) against (\.\d+) ± (\.\d+), gap ([\d.]+) ± (\.\d+) against ([\d.]+) ± (\.\d+)\)"),
    ]


def sample_quotes() -> list[tuple[str, str]]:
    bounds = values(REPRODUCTION / "checkpoints/sensitive.csv.gz", "at_bounds")["sensitive-49@scalar", LETTER]
    methods = list(table(REPORTS[1], "detection rates with N"))[2:]
    return [
        (f"{100 * mean(bounds):.0f}", r"\((\d+) % of the coordinates of its points\)"),
        (f"{math.floor(100 * min(detection(1, method)[1] for method in methods)) / 100:.2f}", r"two samples of any method detect more than ([\d.]+)"),
    ]


def memory_quotes() -> list[tuple[str, str]]:
    limited, whole = table(MEMORY, "| MiB after evaluation |"), table(MEMORY, "| MiB after evaluation, all")

    def ends(row: list[str]) -> str:
        return f"{float(row[0]):.0f}, {float(row[-1]):.0f}"

    cost = re.search(r"([\d.]+) ms of processor\s+time at 750 observations, ([\d.]+) ms at 6000: ([\d.]+) times", (RESULTS / "2026-11-16/baselines.md").read_text())
    if cost is None:
        raise ValueError("baselines.md has no cost of neuralbo-paper at 750 and 6000 observations")
    return [
        (ends(limited["`neuralbo-paper:covariance=dense`"]), r"\(`covariance=dense`\): (\d+) → (\d+) MiB over 6000"),
        (ends(limited["`gp-ucb`"]), r"at most 2,000 observations \((\d+) → (\d+) MiB\)"),
        (ends(whole["`neuralbo-paper:observations=10000`"]), r"\(`observations=10000`\) it grew from (\d+) to (\d+) MiB"),
        (ends(whole["`neural-greedy:observations=10000`"]), r"grows with the data alone \((\d+) → (\d+) MiB\)"),
        (", ".join(cost.groups()), r"takes\]\(\S+\) ([\d.]+) ms of one core at 750 observations and ([\d.]+) ms at 6000, in 14 dimensions: ([\d.]+) times"),
        (cost.group(3), r"\(([\d.]+) times the time for 8 times the data\)"),
    ]


def finals(after: str, problem: str, methods: tuple[str, ...], digits: int) -> str:
    """Final means of the report of 15 November."""
    found = table(REPORTS[0], after)
    columns = [found["problem"].index(method) for method in methods]
    means = [f"{float(found[problem][column].split(' ± ')[0]):.{digits}f}" for column in columns]
    return ", ".join(text.removeprefix("0") for text in means)


def accuracies() -> list[str]:
    """Of the classifiers of the lab and of the study, in percent."""
    lab = re.search(r"our classifier \(([\d.]+) % accuracy", REPORTS[0].read_text())
    study = re.search(r"classifiers of accuracy ([\d.]+),", STUDY.read_text())
    return [lab.group(1) if lab else "none", f"{100 * float(study.group(1)):.1f}" if study else "none"]


def report_quotes() -> list[tuple[str, str]]:
    hours = table(RESULTS / "2026-11-19/reproduction/cost.md", "| experiment or method")
    # Half of the synthetic functions are moved.
    originals, *others = (f"{float(hours[experiment][2]) * share:.1f}" for experiment, share in (("synthetic", 0.5), ("push", 1), ("retrieval", 1)))
    normal = table(REPORTS[0], "Table 1. Kolmogorov")
    columns = [column for column, method in enumerate(normal["problem"]) if method not in ("neuralbo", "random")]
    smallest = min(float(cells[column]) for name, cells in normal.items() if "-1" in name or "-2" in name or "-5" in name for column in columns)
    anchor = table(RESULTS / "2026-11-15/reference-anchor.md", "| seed |")
    pushed = table(RESULTS / "2026-11-15/default/README.md", "| evaluations | median")
    retrieval = ("dngo", "gp-ucb", "gp-ei", "neuralbo-paper (best ν)", "rf", "gp-ts", "random", "neural-greedy")
    push = ("dngo", "neuralbo", "gp-ts", "neuralbo-paper (best ν)", "random", "rf", "neural-greedy", "gp-ucb", "gp-ei")
    named = r"`dngo` ([\d.]+), `gp-ucb` ([\d.]+), `gp-ei` ([\d.]+), the earlier preset ([\d.]+), `rf` ([\d.]+), `gp-ts` ([\d.]+), `random` ([\d.]+), `neural-greedy` ([\d.]+)"
    pushing = r"`dngo` ([\d.]+), our default `neuralbo` ([\d.]+), `gp-ts` ([\d.]+), the earlier preset ([\d.]+), `random` ([\d.]+), `rf` ([\d.]+), `neural-greedy` ([\d.]+), `gp-ucb` ([\d.]+), `gp-ei` (\d\.\d+)"
    return [
        (", ".join([originals, *others]), r", ([\d.]+) CPU-hours for the synthetic functions, ([\d.]+) for push and ([\d.]+) for retrieval"),
        (originals, r"ten runs of all baselines cost ([\d.]+) CPU-hours"),
        (f"{float(hours['sensitive'][2]):.0f}", r"and 1000 evaluations \(about (\d+) CPU-hours\)"),
        (originals, r"which the paper does not have, cost another (\d+\.\d+)"),
        (", ".join(accuracies()), r"Ours have ([\d.]+) % \(lab\) and ([\d.]+) % \(study\)"),
        (f"{smallest:.2f}", r"the smallest is ([\d.]+)\. Holds"),
        (f"{anchor['mean'][-1]}, {anchor['published mean'][-1]}, {anchor['published sd'][-1]}", r"([\d.]+) at t = 100, published ([\d.]+) ± (\d\.\d+)"),
        (f"{float(pushed['6000'][0]):.1f}", r"our default alone: median ([\d.]+) of a ceiling"),
        (finals("Final best hierarchical F1", "retrieval-counts", retrieval, 2), named),
        (finals("Final best rewards", "push-14", push, 1), pushing),
        (finals("Final best true values", "levy-100", ("gp-ei",), 0), r"On the original Levy-100 `gp-ei` has (\d+) after"),
    ]


def retrieval_ps() -> list[float]:
    """Two-sided p of all pairs of methods in document retrieval, ten targets; our default of that day is not on the page."""
    found = table(REPORTS[0], "Final best hierarchical F1")
    methods = dict(zip(found["problem"], found["retrieval-counts"]))
    moments = [(float(middle), float(sd) ** 2, 10) for name, cell in methods.items() if name != "neuralbo" for middle, sd in [cell.split(" ± ")]]
    return [2 * min(welch_of(a, b), welch_of(b, a)) for a, b in combinations(moments, 2)]


def claims() -> list[tuple[str, bool, tuple[str, ...]]]:
    """Sentences, whether the runs bear them out, and the pages that say them."""
    scores = bbob_scores()
    letters = [f"neuralbo-paper:nu={nu}" for nu in ("0.1", "1", "10")]

    def behind(letter: str, rival: str, dim: int) -> bool:
        areas, gaps = ([mean(getattr(run, figure) for run in scores[method][dim].values()) for method in (letter, rival)] for figure in ("area", "final"))
        return areas[0] < areas[1] and gaps[0] > gaps[1]

    everywhere = all(behind(letter, rival, dim) for letter in letters for rival in ("gp-ucb", "gp-ts", "gp-ei", "dngo") for dim in range(4))
    runs = main_runs()
    near = all(
        abs(numbers(runs.best(f"{function}-{dim}@moved", LETTER))[0] - centre) <= 0.06 * centre
        for function in ("ackley", "levy")
        for dim, centre in zip(DIMS, numbers(centre_values(function, "moved")))
    )
    return [
        (r"No pair differs significantly \(Welch, two-sided, p < 0\.05\)", min(retrieval_ps()) >= 0.05, PAGE),
        (r"the letter's are ten times as high or more", hardest((LETTER,), min) >= 10, PAGE),
        (r"behind every Gaussian process and `dngo` in all four dimensions, by area and by final gap", everywhere, PAGE),
        (r"evaluating the centre once gives the letter's value to within 6 % in all six problems", near, PAGE),
    ]
