"""Studies for the tests of the dashboard, written as `neuralbo export` writes them; their values are known here."""

import json
import math
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

START = 1_794_800_000_000
HOSTILE = "<script>window.hacked=1</script>"
IMAGE = "\"><img src=x onerror='window.hacked=1'>"

Json = dict[str, Any]


def study(name: str, space: Json, objectives: list[Json] | None = None, **more: Any) -> Json:
    """The first line of an export."""
    limits = more.pop("limits", {"trials": None, "target": None, "patience": None})
    definition = {
        "space": space,
        "objectives": objectives or [{"name": "value", "direction": "minimize"}],
        "method": "neuralbo",
        "options": [],
        "seed": 7,
        "retries": {"attempts": 3, "kinds": ["signal"]},
    } | more
    return {"version": 1, "study": name, "created_ms": START, "definitions": [definition], "limits": limits}


def trial(
    number: int, params: Json, state: Json, *, worker: str = "node-1", seconds: float = 20.0, origin: str = "sampled", **more: Any
) -> Json:
    """One trial; `state` holds its state, values and failure."""
    started = START + number * 5_000
    provenance = {"origin": origin, "mean": None, "sd": None, "suggest_ms": 12.5, "based_on": number, "pending": []}
    provenance |= more.pop("provenance", {})
    return {
        "number": number,
        "version": 1,
        "params": params,
        **state,
        "provenance": provenance,
        "seq": number + 1,
        "worker": worker,
        "attempt": 1,
        "lease_until_ms": 0,
        "asked_ms": started - 40,
        "started_ms": started,
        "finished_ms": started + int(seconds * 1000),
    } | more


def complete(**values: float) -> Json:
    return {"state": "complete", "values": values}


def failed(kind: str, message: str) -> Json:
    return {"state": "failed", "failure": {"kind": kind, "message": message}}


def empty() -> Iterator[Json]:
    yield study("empty", {"x": {"type": "float", "low": 0.0, "high": 1.0}})


def one() -> Iterator[Json]:
    yield study("one", {"x": {"type": "float", "low": 0.0, "high": 1.0}, "k": {"type": "choice", "choices": ["a", "b"]}})
    yield trial(0, {"x": 0.25, "k": "a"}, complete(value=1.07e-20))


TUNING = {
    "lr": {"type": "float", "low": 1e-5, "high": 1.0, "log": True},
    "layers": {"type": "int", "low": 1, "high": 8},
    "dropout": {"type": "float", "low": 0.0, "high": 0.6},
    "optimizer": {"type": "choice", "choices": ["adam", "sgd", "lion"]},
    "momentum": {"type": "float", "low": 0.0, "high": 0.99, "if": "optimizer == sgd"},
    "batch": {"type": "ordinal", "values": [16, 32, 64, 128, 256]},
    "augment": {"type": "bool"},
}


def tuning_point(rng: random.Random, near: Json | None) -> Json:
    around = lambda value, low, high, width: min(high, max(low, rng.gauss(value, width)))
    point: Json = {}
    point["lr"] = 10 ** (around(math.log10(near["lr"]), -5, 0, 0.35) if near else rng.uniform(-5, 0))
    point["layers"] = round(around(near["layers"], 1, 8, 0.8)) if near else rng.randint(1, 8)
    point["dropout"] = around(near["dropout"], 0, 0.6, 0.07) if near else rng.uniform(0, 0.6)
    point["optimizer"] = near["optimizer"] if near and rng.random() < 0.8 else rng.choice(["adam", "sgd", "lion"])
    if point["optimizer"] == "sgd":
        point["momentum"] = rng.uniform(0, 0.99)
    point["batch"] = near["batch"] if near and rng.random() < 0.7 else rng.choice([16, 32, 64, 128, 256])
    point["augment"] = rng.random() < (0.85 if near else 0.5)
    return point


def tuning_loss(p: Json, rng: random.Random) -> float:
    base = 0.08 + 0.09 * (math.log10(p["lr"]) + 2.6) ** 2 + 0.012 * (p["layers"] - 5) ** 2 + 0.9 * (p["dropout"] - 0.22) ** 2
    base += {"adam": 0.0, "sgd": 0.05 * (1 + (p.get("momentum", 0.9) - 0.9) ** 2), "lion": 0.02}[p["optimizer"]]
    base += 0.02 * abs(math.log2(p["batch"] / 64)) + (0.0 if p["augment"] else 0.04)
    return base * math.exp(rng.gauss(0, 0.03))


def tuning(name: str = "tuning", count: int = 1000, seed: int = 1) -> Iterator[Json]:
    """Conditional parameters, failures of three kinds, reports, pruned trials, predictions, attributes, four workers."""
    rng = random.Random(seed)
    yield study(name, TUNING, [{"name": "loss", "direction": "minimize"}])
    best, best_params = math.inf, None
    for number in range(count):
        model = number >= 20 and rng.random() < 0.75
        p = tuning_point(rng, best_params if model else None)
        loss = tuning_loss(p, rng)
        more: Json = {"worker": f"node-{1 + number % 4}", "seconds": 18 + 4 * rng.random()}
        more["origin"] = "initial" if number < 20 else ("model:thompson" if model else "model:mean")
        if number >= 20:
            sd = 0.03 + 0.1 * loss
            more["provenance"] = {"mean": loss + rng.gauss(0, 1.1) * sd, "sd": sd}
        if p["lr"] > 0.3 and rng.random() < 0.8:
            yield trial(number, p, failed("nonfinite", f"loss is NaN at step {rng.randint(3, 90)} with lr {p['lr']:.3g}"), **more)
            continue
        if p["layers"] >= 7 and p["batch"] >= 128 and rng.random() < 0.7:
            yield trial(number, p, failed("exit", "CUDA out of memory: tried to allocate 1.25 GiB"), **more)
            continue
        reports = [{"step": s, "name": "loss", "value": loss * (1 + 3 * math.exp(-s / 5))} for s in range(1, 28, 2)]
        if number % 3 == 0 and loss > 0.35:
            last = reports[3]
            state = {"state": "pruned", "step": last["step"], "values": {"loss": last["value"]}}
            yield trial(number, p, state, reports=reports[:4], **more)
            continue
        attributes = {"accuracy": round(1 - loss / 2, 4), "host": {"gpu": "H200", "memory": 139}} if number % 5 == 0 else {}
        yield trial(number, p, complete(loss=loss), reports=reports, attributes=attributes, **more)
        if loss < best:
            best, best_params = loss, p


def large(count: int = 100_000, dimensions: int = 20) -> Iterator[Json]:
    """Many trials of twenty parameters; the best value is known."""
    rng = random.Random(5)
    names = [f"x{i:02}" for i in range(dimensions)]
    yield study("large", {n: {"type": "float", "low": -5.0, "high": 5.0} for n in names})
    for number in range(count):
        shrink = 1 / (1 + number / (0.15 * count))
        point = {n: max(-5.0, min(5.0, round(rng.gauss(0.5, 2.5 * shrink), 6))) for n in names}
        value = sum((i + 1) / dimensions * (v - 0.5) ** 2 for i, v in enumerate(point.values()))
        yield trial(number, point, complete(value=value), worker=f"node-{number % 8}", seconds=3.0)


def front(objectives: int = 2, count: int = 400) -> Iterator[Json]:
    """Loss against latency (and energy): a curved front."""
    rng = random.Random(9)
    goals = [
        {"name": "loss", "direction": "minimize"},
        {"name": "throughput", "direction": "maximize"},
        {"name": "energy", "direction": "minimize"},
    ]
    space = {
        "width": {"type": "int", "low": 16, "high": 1024, "log": True},
        "depth": {"type": "int", "low": 1, "high": 12},
        "quantize": {"type": "bool"},
    }
    yield study("front" if objectives == 2 else f"front-of-{objectives}", space, goals[:objectives])
    for number in range(count):
        p = {"width": round(2 ** rng.uniform(4, 10)), "depth": rng.randint(1, 12), "quantize": rng.random() < 0.5}
        size = p["width"] * p["depth"] / 12288
        values = {
            "loss": 0.1 + 0.5 * math.exp(-3 * size**0.4) + (0.02 if p["quantize"] else 0) + abs(rng.gauss(0, 0.02)),
            "throughput": 900 / (1 + 30 * size) * (1.5 if p["quantize"] else 1) * math.exp(-abs(rng.gauss(0, 0.1))),
            "energy": 3 + 80 * size * (0.6 if p["quantize"] else 1) + abs(rng.gauss(0, 1)),
        }
        yield trial(number, p, complete(**dict(list(values.items())[:objectives])), worker=f"node-{number % 2}")


def bounded(count: int = 200) -> Iterator[Json]:
    """Two outcome constraints; trials become feasible late."""
    rng = random.Random(11)
    space = {"x": {"type": "float", "low": 0.0, "high": 1.0}, "y": {"type": "float", "low": 0.0, "high": 1.0}}
    limits = [{"name": "memory", "at_most": 4e9}, {"name": "recall", "at_least": 0.8, "at_most": 0.99}]
    yield study("bounded", space, [{"name": "cost", "direction": "minimize"}], outcome_constraints=limits)
    for number in range(count):
        x, y = rng.random(), min(1.0, rng.random() * (0.4 + number / count))
        values = {
            "cost": (x - 0.9) ** 2 + (y - 0.2) ** 2,
            "memory": 8e9 * x + 1e9 * rng.random(),
            "recall": 0.5 + 0.45 * y + 0.1 * rng.random(),
        }
        yield trial(number, {"x": x, "y": y}, complete(**values))


def hostile() -> Iterator[Json]:
    """Markup in every text a user can give."""
    space = {"a": {"type": "choice", "choices": [HOSTILE, IMAGE, "plain"]}, "b": {"type": "float", "low": 0.0, "high": 1.0}}
    yield study(f"hostile {HOSTILE}", space)
    rng = random.Random(3)
    for number in range(30):
        p = {"a": [HOSTILE, IMAGE, "plain"][number % 3], "b": rng.random()}
        attributes = {HOSTILE: IMAGE, "deep": {IMAGE: [HOSTILE]}}
        more: Json = {"worker": f"worker {IMAGE}", "attributes": attributes, "origin": f"fallback:{HOSTILE}"}
        more["reports"] = [{"step": s, "name": f"loss{IMAGE}", "value": 1 / s} for s in range(1, 6)]
        state = failed("exit", f"{HOSTILE}\n{IMAGE}") if number % 5 == 4 else complete(value=p["b"] ** 2)
        yield trial(number, p, state, **more)


COMPILER = "compiler, flags & all"


def compiler(count: int = 60) -> Iterator[Json]:
    """A comma in the name, trials that end out of order, choices with long names, few integers, values far off the others."""
    rng = random.Random(13)
    levels = ["O0", "O1", "O2", "O3", "Os", "Ofast", "O3 -march=skylake-avx512"]
    space = {
        "level": {"type": "choice", "choices": levels},
        "tile": {"type": "int", "low": 1, "high": 4},
        "seed_scale": {"type": "float", "low": -1.0, "high": 1.0},
    }
    yield study(COMPILER, space, [{"name": "runtime", "direction": "minimize"}], limits={"trials": 2000, "target": None, "patience": None})
    lines = []
    for number in range(count):
        p = {"level": rng.choice(levels), "tile": rng.randint(1, 4), "seed_scale": rng.uniform(-1, 1)}
        value = 50 + 5 * abs(levels.index(p["level"]) - 3) + p["tile"] + 10 * p["seed_scale"] ** 2 - 0.3 * number
        value = 900.0 if number in (11, 23) else value
        # Some trials have a negative value, so that a logarithmic axis is impossible.
        lines.append(trial(number, p, complete(runtime=value - 45), worker=f"node-{number % 3}", seconds=rng.uniform(1, 40)))
    for seq, line in enumerate(sorted(lines, key=lambda t: t["finished_ms"])):
        line["seq"] = seq + 1
    yield from lines


def all_studies(trials: int) -> dict[str, list[Json]]:
    """Every study by the name of its file; the large one has this many trials."""
    made = {
        "empty": empty(),
        "one": one(),
        "tuning": tuning(),
        "front": front(2),
        "front3": front(3),
        "bounded": bounded(),
        "hostile": hostile(),
        "compiler": compiler(),
        "large": large(trials),
        **{f"seeds-{seed}": tuning(f"seeds-{seed}", 120, 20 + seed) for seed in (1, 2, 3)},
    }
    return {name: list(lines) for name, lines in made.items()}


def write(folder: Path, name: str, lines: Iterable[Json]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
