"""The tables of docs/reproduction.md about sensitive samples (Figure 3), from the study and the reports of the lab."""

from decimal import ROUND_HALF_UP, Decimal
from statistics import mean

from runs import REPRODUCTION, RESULTS, Rows, table, values

STUDY = REPRODUCTION / "sensitive-study.md"
# Log-probabilities, then the released objective.
REPORTS = (RESULTS / "2026-11-15/lab-standard/report.md", REPRODUCTION / "report.md")
MEASURES = {
    "jacobian": "norm of the Jacobian of the log-probabilities",
    "scalar": "released: norm of the gradient of the largest one",
    "probability": "norm of the Jacobian of the probabilities",
    "margin": "margin between the first two log-probabilities",
    "first order": "Φ(−margin / (0.04 · norm of the margin's gradient)), the chance of a change to first order",
}
WAYS = {
    "one sample": "one sample alone",
    "first 8": "the first eight",
    "8 drawn": "drawn anew for every copy",
    "largest norm": "the largest norms",
    "one a label": "one a label, by norm",
    "active units": "most hidden units covered",
    "smallest margin": "the smallest margins",
    "greedy, own copies": "greedily, on 300 other tampered copies",
}
# The columns of the study: three readings on uniform images, then on digits.
UNIFORM, DIGITS = {"jacobian": 0, "scalar": 1, "probability": 2}, {"jacobian": 3, "scalar": 4, "probability": 5}
READINGS = {
    "probability": "probabilities",
    "scalar": "released: the largest log-probability",
    "jacobian": "log-probabilities",
}
STEPS = {
    ("no optimization", "as found"): ["nothing: a digit with random changes", "as found"],
    ("flattened image", "as saved"): ["the flat vector, as in that code", "as saved there"],
    ("the image", "as saved"): ["the image", "as saved there"],
    ("the image", "as found"): ["the image", "as found"],
}
# Rows of the last table: the method in the first and in the second report.
METHODS = {
    "the letter": (None, "neuralbo-paper:nu=0.1"),
    "the earlier preset": ("neuralbo-paper (best ν)", None),
    "our default `neuralbo`": ("neuralbo", "neuralbo"),
    "`gp-ts`": ("gp-ts", "gp-ts"),
    "`gp-ei`": ("gp-ei", None),
    "`gp-ucb`": ("gp-ucb", None),
    "`dngo`": ("dngo", "dngo"),
    "`neural-greedy`": ("neural-greedy", "neural-greedy"),
    "`rf`": ("rf", None),
    "`random`": ("random", "random"),
}


def short(text: str) -> str:
    """Without the zero before the point."""
    return " ".join(part.replace("0.", ".", 1) if part.lstrip("-").startswith("0.") else part for part in text.split()).replace("-", "−")


def alone(text: str) -> str:
    """A mean without its deviation."""
    return short(text.split(" ± ")[0])


def rank_correlations() -> Rows:
    found = table(STUDY, "Rank correlation")
    return [[name, *map(short, found[measure])] for measure, name in MEASURES.items()]


def ways() -> Rows:
    found = table(STUDY, "Detection with 8")
    columns = [of[reading] for reading in ("jacobian", "scalar", "probability") for of in (UNIFORM, DIGITS)]
    form = {"one sample": alone}
    return [[name, *(form.get(way, short)(found[way][column]) for column in columns)] for way, name in WAYS.items()]


def readings() -> Rows:
    """The last column rests on runs that were not kept, but for the released objective."""
    correlations, detections = table(STUDY, "Rank correlation"), table(STUDY, "Detection with 8")["first 8"]
    letter = detection(1, "neuralbo-paper:nu=0.1")[7]
    found: Rows = []
    for reading, name in READINGS.items():
        correlation = " / ".join(map(alone, correlations[reading]))
        detected = " / ".join(short(detections[of[reading]]) for of in (UNIFORM, DIGITS))
        found.append([name, correlation, detected, f"{letter:.2f}" if reading == "scalar" else None])
    return found


def steps() -> Rows:
    """The last row is what the authors' later code records."""
    text = STUDY.read_text()
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text[text.index("| maximized over") :].splitlines() if line.startswith("|")]
    known = {(cells[0], cells[1]): cells[2:] for cells in lines}
    return [[*names, *map(short, known[key])] for key, names in STEPS.items()] + [[None] * 5]


def detection(report: int, method: str) -> list[Decimal]:
    """The share that the first 1, 2, … samples detect."""
    return [Decimal(cell) for cell in table(REPORTS[report], "detection rates with N" if report else "Detection rates with N")[method]]


def norm(method: str) -> float:
    """The mean norm of the log-probabilities."""
    found = table(REPORTS[0], "Final norms")
    return float(found["sensitive-49"][found["problem"].index(method)].split(" ± ")[0])


def samples() -> Rows:
    """Norm and detection with 1, 4 and 8 samples by both objectives; the letter's norm of the log-probabilities was not kept."""
    released, found = values(REPRODUCTION / "checkpoints/sensitive.csv.gz", "best_100"), []
    for name, (first, second) in METHODS.items():
        empty = ["", "", "", ""]
        logs = [f"{norm(first):.0f}", *rates(0, first)] if first else [None, "", "", None]
        ones = [f"{mean(released['sensitive-49@scalar', second]):.1f}", *rates(1, second)] if second else empty
        found.append([name, *logs, *ones])
    return found


def rates(report: int, method: str) -> list[str]:
    return [short(str(rounded(detection(report, method)[count - 1]))) for count in (1, 4, 8)]


def rounded(share: Decimal) -> Decimal:
    return share.quantize(Decimal("0.01"), ROUND_HALF_UP)


def sample_tables() -> dict[str, Rows]:
    return {"readings": readings(), "rank correlation": rank_correlations(), "ways": ways(), "steps": steps(), "samples": samples()}
