"""Every page of the dashboard, on studies of every kind."""

import math
import re
from pathlib import Path
from urllib.parse import quote

import studies

LIST = (Path(__file__).parents[1] / "assets" / "pages.js").read_text()
ENTRY = re.compile(r'{ name: "([\w-]+)",.*?(?:views: \[(.*?)\].*)? },')


def _addresses(name: str, views: str) -> list[str]:
    base = "" if name == "overview" else f"/{name}"
    return [base, *(f"{base}?view={view}" for view in re.findall(r"\w+", views))]


PAGES = [address for name, views in ENTRY.findall(LIST) for address in _addresses(name, views)]
HOSTILE_NAME = f"hostile {studies.HOSTILE}"
NAMES = ["empty", "one", "tuning", "front", "front-of-3", "bounded", HOSTILE_NAME, studies.COMPILER, "large"]


def route(study: str, page: str = "") -> str:
    return f"#/study/{quote(study, safe='')}{page}"


def all_routes() -> list[str]:
    pages = [route(name, page) for name in NAMES for page in PAGES]
    trials = [
        route(name, f"/trial/{number}")
        for name, number in [("one", 0), ("tuning", 25), ("front", 3), ("bounded", 199), (HOSTILE_NAME, 4), ("large", 777)]
    ]
    return ["#/", "#/compare?studies=seeds-1%2Cseeds-2%2Cseeds-3%2Ctuning", *pages, *trials]


def shown(value: float, digits: int) -> str:
    """A number as the pages write it."""
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text.replace("-", "−")
    mantissa, power = text.split("e")
    return f"{mantissa}e{int(power)}"


def completes(lines: list[dict]) -> list[dict]:
    """The complete trials of a study."""
    return [t for t in lines[1:] if t["state"] == "complete"]


def predicted(lines: list[dict]) -> list[dict]:
    """The complete trials that a model predicted."""
    return [t for t in completes(lines) if t["provenance"]["mean"] is not None]


def deviation(trial: dict) -> float:
    """How far the loss is from the prediction, in standard deviations."""
    from_model = trial["provenance"]
    return abs(trial["values"]["loss"] - from_model["mean"]) / from_model["sd"]


def share_inside(trials: list[dict]) -> float:
    """The share of trials inside of their 90 % interval."""
    return sum(math.erf(deviation(t) / math.sqrt(2)) <= 0.9 for t in trials) / len(trials)


def best(lines: list[dict], name: str) -> dict:
    return min(completes(lines), key=lambda t: t["values"][name])
