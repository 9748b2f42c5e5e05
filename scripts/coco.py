"""Runs a method of ours inside the real COCO framework, and checks the lab's BBOB against it.

    pip install coco-experiment cocopp six
    python scripts/coco.py run --method neuralbo --dimensions 2,5 --instances 1-3 --out coco-results
    python scripts/coco.py post coco-results                      # cocopp's own pages, in ppdata/
    python scripts/coco.py check coco-results                     # our functions and runtimes against COCO's
    python scripts/coco.py check coco-results --lab lab-results   # and whole runs of `neuralbo lab run bbob`

`run` starts `neuralbo lab serve` (see --binary), hands it every problem of the suite and evaluates with cocoex, whose observer logs
what cocopp reads. `check` evaluates the same points with `neuralbo lab eval bbob` and compares the gap after every evaluation and,
with cocopp's count, the evaluations that each of the 51 targets took: these are the steps of the ECDF. With --lab it compares the
runs that `neuralbo lab run bbob` made by itself, and the area under the ECDF in its report.md. Seeds and budgets are the same, so the
runs are too; those of methods with a model part where a last digit decides, so use --lab with `random` or `sobol`.
"""

import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = [10 ** (2 - 10 * i / 50) for i in range(51)]
FIRST, LAST = math.log10(0.5), math.log10(20)
RUNS = "runs.json.gz"
# cocopp's targets are rounded otherwise than ours.
ROUNDING = 1 + 1e-12


def seed_of(words, run):
    """The lab's seeds: FNV-1a over the words, each ended by a zero byte, and the run in four bytes."""
    data = b"".join(word.encode() + b"\0" for word in words) + run.to_bytes(4, "little")
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def problem_name(function, dim):
    return f"bbob-f{function:02}-d{dim:02}"


class Method:
    """`neuralbo lab serve` as a subprocess."""

    def __init__(self, binary, method):
        command = [binary, "lab", "serve", "--method", method]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def start(self, name, dim, seed, budget):
        space = {f"x{i}": {"type": "float", "low": -5.0, "high": 5.0} for i in range(dim)}
        start = {"protocol": 1, "problem": name, "space": space, "direction": "minimize", "seed": seed, "budget": budget}
        self.send({"start": start})

    def ask(self):
        self.send({"ask": 1})
        reply = json.loads(self.process.stdout.readline() or '{"error": "the program ended"}')
        if "point" not in reply:
            sys.exit(f"the method gave no point: {reply}")
        return reply["point"]

    def tell(self, point, value):
        self.send({"tell": {"point": point, "value": value}})

    def stop(self):
        self.send({"stop": True})
        self.process.wait()


def run(options):
    import cocoex

    filters = f"dimensions: {options.dimensions} function_indices: {options.functions} instance_indices: {options.instances}"
    optimal = optimal_values(cocoex.Suite("bbob", "instances: 1-15", filters))
    suite = cocoex.Suite("bbob", "instances: 1-15", filters)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    label = options.method.replace(":", "_")
    observer = cocoex.Observer("bbob", f"result_folder: {label} algorithm_name: {label} outer_folder: {out / 'exdata'}")
    runs = []
    for problem in suite:
        problem.observe_with(observer)
        runs.append(one_run(problem, optimal[problem.id], options))
        print(problem.id, f"gap {min(runs[-1]['values']) - optimal[problem.id]:.3e}", flush=True)
        problem.free()
    record = {"method": options.method, "folder": observer.result_folder, "binary": options.binary, "runs": runs}
    with gzip.open(out / RUNS, "wt") as file:
        json.dump(record, file)
    print(observer.result_folder)


def optimal_values(suite):
    """The value at the point COCO names as best, for every problem; before any observer is there."""
    values, here = {}, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for problem in suite:
            problem._best_parameter("print")
            best = [float(text) for text in Path("._bbob_problem_best_parameter.txt").read_text().split()]
            values[problem.id] = float(problem(best))
            problem.free()
        os.chdir(here)
    return values


def one_run(problem, optimal, options):
    """All points of one run with their values."""
    dim, function, instance = problem.dimension, problem.id_function, problem.id_instance
    budget, name = options.budget * dim, problem_name(function, dim)
    method = Method(options.binary, options.method)
    method.start(name, dim, seed_of(["method", name], instance), budget)
    points, values = [], []
    for _ in range(budget):
        point = method.ask()
        points.append([point[f"x{i}"] for i in range(dim)])
        values.append(float(problem(points[-1])))
        method.tell(point, values[-1])
    method.stop()
    return {"key": [dim, function, instance], "optimal": optimal, "points": points, "values": values}


def recorded(out):
    with gzip.open(Path(out) / RUNS, "rt") as file:
        return json.load(file)


def post(options):
    import cocopp

    cocopp.main(recorded(options.out)["folder"])


def best_gaps(values, optimal):
    """The best gap after each evaluation."""
    gaps, best = [], math.inf
    for value in values:
        best = min(best, value - optimal)
        gaps.append(best)
    return gaps


def evaluated(binary, run):
    """The values of a run's points by `neuralbo lab eval`."""
    dim, function, instance = map(str, run["key"])
    command = [binary, "lab", "eval", "bbob", "--dim", dim, "--function", function, "--instance", instance]
    rows = "".join(",".join(map(repr, point)) + "\n" for point in run["points"])
    lines = subprocess.run(command, input=rows, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return [float(line) for line in lines]


def native(lab, method):
    """The best gap after every evaluation in the lab's traces."""
    runs = {}
    for path in Path(lab).glob("bbob/traces/*/*/run-*.csv.gz"):
        with gzip.open(path, "rt") as file:
            header = json.loads(file.readline()[2:])
            if header["method"] != method:
                continue
            function, dim = (int(part[1:]) for part in header["problem"].split("-")[1:])
            runs[dim, function, header["run"]] = [float(row["best"]) for row in csv.DictReader(file)]
    return runs


def check(options):
    record = recorded(options.out)
    method, binary = record["method"], options.binary or record["binary"]
    inside = {tuple(run["key"]): best_gaps(run["values"], run["optimal"]) for run in record["runs"]}
    ours = {tuple(run["key"]): best_gaps(evaluated(binary, run), run["optimal"]) for run in record["runs"]}
    wrong = check_gaps(inside, ours) + check_runtimes(record["folder"], ours)
    print(f"{len(ours)} runs: our functions and runtimes against COCO's, {wrong} differences")
    if options.lab:
        made = {key: gaps for key, gaps in native(options.lab, method).items() if key in inside}
        if not made:
            sys.exit(f"no run of {method} is in both folders")
        whole = check_gaps(inside, made) + check_runtimes(record["folder"], made) + check_area(options, method, made)
        print(f"{len(made)} runs: those of the lab against those in COCO, {whole} differences")
        wrong += whole
    sys.exit(1 if wrong else 0)


def check_gaps(inside, ours):
    """The gap after every evaluation; it is as exact as the values it is the difference of."""
    wrong = 0
    for key, gaps in sorted(ours.items()):
        for evaluation, (a, b) in enumerate(zip(gaps, inside[key]), start=1):
            if abs(a - b) > 1e-9 * max(1.0, abs(a)):
                print(f"D={key[0]} f{key[1]} i{key[2]}: gap {a!r} here, {b!r} in COCO, after evaluation {evaluation}")
                wrong += 1
                break
    return wrong


def runtime(gaps, target):
    return next((i for i, gap in enumerate(gaps, start=1) if gap <= target), math.inf)


def check_runtimes(folder, ours):
    """Evaluations to each target by cocopp's count."""
    import cocopp

    wrong = 0
    for data in cocopp.load(folder):
        for target, evaluations in zip(TARGETS, data.detEvals([target * ROUNDING for target in TARGETS])):
            for instance, count in zip(data.instancenumbers, evaluations):
                key = (data.dim, data.funcId, instance)
                if key not in ours:
                    continue
                count = math.inf if math.isnan(count) else count
                if runtime(ours[key], target) != count:
                    print(f"D={key[0]} f{key[1]} i{instance}: target {target:.1e} after {runtime(ours[key], target)} here, {count} in cocopp")
                    wrong += 1
    return wrong


def area(runs):
    """The area under the ECDF over the logarithm of evaluations/D, as cocopp's data gives it."""
    def left(dim, count):
        return 0.0 if math.isinf(count) else min(1.0, max(0.0, (LAST - math.log10(count / dim)) / (LAST - FIRST)))

    parts = [left(dim, runtime(gaps, target)) for (dim, _, _), gaps in runs.items() for target in TARGETS]
    return sum(parts) / len(parts)


def check_area(options, method, ours):
    """The area in report.md, where all runs of a dimension were compared."""
    report = Path(options.lab) / "report.md"
    if not report.is_file():
        print("no report.md: the areas are not compared")
        return 0
    lines = report.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Area under the curves"))
    rows = [[cell.strip(" *") for cell in line.strip("|").split(" | ")] for line in lines[start:] if line.startswith("|")]
    header, wrong = rows[0], 0
    own = next(row for row in rows if row[0] == method)
    for dim in sorted({key[0] for key in ours}):
        runs = {key: gaps for key, gaps in ours.items() if key[0] == dim}
        column = header.index(f"D={dim} area")
        if int(own[column + 2]) != len(runs):
            continue
        expected = area(runs)
        print(f"D={dim}: area {own[column]} in the report, {expected:.4f} from the runs in COCO")
        wrong += abs(float(own[column]) - expected) > 6e-5
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run", help="run a method inside COCO")
    command.add_argument("--method", default="random", help="a method as `neuralbo lab serve --method` takes it")
    command.add_argument("--binary", default="neuralbo", help="the neuralbo program")
    command.add_argument("--dimensions", default="2,3,5,10")
    command.add_argument("--functions", default="1-24")
    command.add_argument("--instances", default="1-3")
    command.add_argument("--budget", type=int, default=20, help="evaluations per dimension")
    command.add_argument("--out", default="coco-results")
    command.set_defaults(do=run)
    command = commands.add_parser("post", help="make cocopp's pages")
    command.add_argument("out")
    command.set_defaults(do=post)
    command = commands.add_parser("check", help="compare with the lab's own runs")
    command.add_argument("out")
    command.add_argument("--binary", help="the neuralbo program; that of the run if not given")
    command.add_argument("--lab", help="where `neuralbo lab run bbob` left its results")
    command.set_defaults(do=check)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
