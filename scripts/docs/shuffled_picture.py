"""Draws docs/pictures/shuffled-rewards.svg from results/: the letter with its rewards and with shuffled ones, beside random search.

    python3 scripts/docs/shuffled_picture.py      (part of make paper; agree.py compares the file)
"""

import math
from statistics import mean

from runs import RESULTS, ROOT, values

PICTURE = ROOT / "docs/pictures/shuffled-rewards.svg"
RUNS = RESULTS / "2026-11-18/controls/controls-shuffled.csv.gz"
PANELS = {"ackley-20": "Ackley, d = 20", "ackley-50": "Ackley, d = 50", "ackley-20@moved": "Ackley, d = 20, optimum moved", "levy-20": "Levy, d = 20"}
LETTER = "neuralbo-paper:nu=0.1"
# Method, label, and looks; later curves are drawn over earlier ones.
CURVES = (
    ("random", "random search", 'stroke="#7f7f7f" stroke-width="2" stroke-dasharray="2 2"'),
    (LETTER, "to the letter", 'stroke="#0072b2" stroke-width="4"'),
    (f"{LETTER},rewards=shuffled", "to the letter, rewards shuffled before every fit", 'stroke="#e69f00" stroke-width="2" stroke-dasharray="6 4"'),
)
EVALUATIONS = 200
# The percents of the evaluations after which the best value is kept.
PERCENTS = (0, 1, 2, 5, 10, 20, 50, 100)
TICKS = (0, 2, 10, 50, 200)
WIDTH, HEIGHT, LEFT, TOP, GAP = 190, 150, 46, 26, 54


def times() -> list[int]:
    return [math.ceil(EVALUATIONS * percent / 100) for percent in PERCENTS]


def across(evaluation: float) -> float:
    """Logarithmic from the first evaluation on."""
    return WIDTH * math.log1p(evaluation) / math.log1p(EVALUATIONS)


def curve(problem: str, method: str) -> list[list[float]]:
    """The best values of the five runs after each of the kept evaluations."""
    return [values(RUNS, f"best_{percent}")[problem, method] for percent in PERCENTS]


def step(top: float) -> float:
    """The distance of ticks from 0 to a value."""
    power = 10 ** math.floor(math.log10(top))
    return next(power * factor for factor in (0.2, 0.5, 1, 2) if top / (power * factor) <= 6)


def text(x: float, y: float, content: str, looks: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {looks}>{content}</text>'


def axes(title: str, top: float) -> list[str]:
    middle = 'text-anchor="middle"'
    lines = [text(WIDTH / 2, -9, title, f'{middle} font-weight="bold"'), text(WIDTH / 2, HEIGHT + 31, "evaluations", middle)]
    for evaluation in TICKS:
        at = across(evaluation)
        lines += [f'<path d="M{at:.1f} 0V{HEIGHT}" stroke="#e4e4e4"/>', text(at, HEIGHT + 15, str(evaluation), middle)]
    for number in range(int(top / step(top)) + 1):
        at = HEIGHT * (1 - number * step(top) / top)
        lines += [f'<path d="M0 {at:.1f}H{WIDTH}" stroke="#e4e4e4"/>', text(-5, at + 4, f"{number * step(top):g}", 'text-anchor="end"')]
    return [*lines, f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#333333"/>']


def panel(problem: str, title: str) -> list[str]:
    curves = {method: curve(problem, method) for method, *_ in CURVES}
    top = 1.1 * max(max(runs) for runs in curves[LETTER])
    down = lambda value: HEIGHT * (1 - value / top)
    centre = mean(values(RUNS, "best_100")[problem, "centre"])
    lines = axes(title, top)
    lines.append(f'<path d="M0 {down(centre):.1f}H{WIDTH}" stroke="#000000" stroke-width="0.8"/>')
    lines.append(text(WIDTH - 4, down(centre) + (-6 if centre < 0.5 * top else 14), "value of the centre", 'font-size="11" text-anchor="end"'))
    for method, _, looks in CURVES:
        points = " ".join(f"{across(time):.1f},{down(mean(runs)):.1f}" for time, runs in zip(times(), curves[method]))
        lines.append(f'<polyline points="{points}" fill="none" {looks}/>')
    return lines


def picture() -> str:
    width, height = LEFT + len(PANELS) * (WIDTH + GAP) - GAP + 16, TOP + HEIGHT + 62
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif" font-size="12" role="img">']
    lines += ["<title>Best true value against evaluations, with and without shuffled rewards</title>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for number, (problem, title) in enumerate(PANELS.items()):
        lines += [f'<g transform="translate({LEFT + number * (WIDTH + GAP)} {TOP})">', *panel(problem, title), "</g>"]
    at = LEFT
    for _, label, looks in CURVES:
        lines += [f'<path d="M{at:.0f} {height - 12}h34" {looks}/>', text(at + 40, height - 8, label)]
        at += 66 + 6.4 * len(label)
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(picture())
