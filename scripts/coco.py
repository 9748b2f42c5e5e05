"""Runs a method of ours inside the real COCO framework, and checks the lab's BBOB against it.

    pip install coco-experiment cocopp six
    python scripts/coco.py run --method neuralbo --dimensions 2,5 --instances 1-3 --out coco-results
    python scripts/coco.py post coco-results                      # cocopp's own pages, in ppdata/
    python scripts/coco.py check coco-results --lab lab-results   # the same runs by `neuralbo lab run bbob`

`run` starts `neuralbo lab serve` (see --binary), hands it every problem of the suite and evaluates with cocoex, whose observer logs
what cocopp reads. Seeds and budgets are those of `neuralbo lab run bbob`, so both make the same runs as long as the method's choices
do not hang on the last digit of a value. `check` compares, for every run, the gap after every evaluation, then the evaluations that
each of the 51 targets took by cocopp's count, then the area under the ECDF with the one in the lab's report.md.
"""

import argparse
import csv
import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

TARGETS = [10 ** (2 - 10 * i / 50) for i in range(51)]
FIRST, LAST = math.log10(0.5), math.log10(20)
GAPS = "gaps.csv"


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
    suite = cocoex.Suite("bbob", "instances: 1-15", filters)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    label = options.method.replace(":", "_")
    observer = cocoex.Observer("bbob", f"result_folder: {label} algorithm_name: {label} outer_folder: {out / 'exdata'}")
    with open(out / GAPS, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["optimizer", "dim", "function", "instance", "evaluation", "gap"])
        for problem in suite:
            problem.observe_with(observer)
            for evaluation, gap in improvements(problem, options):
                table.writerow([label, problem.dimension, problem.id_function, problem.id_instance, evaluation, repr(gap)])
            print(problem.id, f"gap {gap:.3e}", flush=True)
            problem.free()
    (out / "coco.json").write_text(json.dumps({"method": options.method, "folder": observer.result_folder}))
    print(observer.result_folder)


def improvements(problem, options):
    """One run; the evaluations at which the best gap improved."""
    dim, function, instance = problem.dimension, problem.id_function, problem.id_instance
    budget = options.budget * dim
    # The final target is 1e-8 above the optimal value.
    optimal = problem.final_target_fvalue1 - 1e-8
    method = Method(options.binary, options.method)
    name = problem_name(function, dim)
    method.start(name, dim, seed_of(["method", name], instance), budget)
    best = math.inf
    for evaluation in range(1, budget + 1):
        point = method.ask()
        value = float(problem([point[f"x{i}"] for i in range(dim)]))
        method.tell(point, value)
        if value - optimal < best:
            best = value - optimal
            yield evaluation, best
    method.stop()


def coco_folder(out):
    return json.loads((Path(out) / "coco.json").read_text())


def post(options):
    import cocopp

    cocopp.main(coco_folder(options.out)["folder"])


def best_gaps(rows, budget):
    """The best gap after each evaluation from its improvements."""
    gaps, best = [], math.inf
    steps = dict(rows)
    for evaluation in range(1, budget + 1):
        best = min(best, steps.get(evaluation, math.inf))
        gaps.append(best)
    return gaps


def recorded(out):
    """The improvements of every run made inside COCO."""
    runs = {}
    with open(Path(out) / GAPS, newline="") as file:
        for row in csv.DictReader(file):
            key = (int(row["dim"]), int(row["function"]), int(row["instance"]))
            runs.setdefault(key, []).append((int(row["evaluation"]), float(row["gap"])))
    return runs


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
    method = coco_folder(options.out)["method"]
    inside, ours = recorded(options.out), native(options.lab, method)
    common = sorted(set(inside) & set(ours))
    if not common:
        sys.exit(f"no run of {method} is in both folders")
    wrong = check_gaps(common, inside, ours) + check_runtimes(options, common, ours)
    wrong += check_area(options, method, common, ours)
    print(f"{len(common)} runs compared, {wrong} differences")
    sys.exit(1 if wrong else 0)


def check_gaps(common, inside, ours):
    """The gap after every evaluation; the optimal value itself is only known to the digits of a value."""
    wrong = 0
    for key in common:
        theirs = best_gaps(inside[key], len(ours[key]))
        for evaluation, (a, b) in enumerate(zip(ours[key], theirs), start=1):
            if abs(a - b) > 1e-9 * max(1.0, abs(a)) + 1e-7 * min(1.0, abs(a)):
                print(f"D={key[0]} f{key[1]} i{key[2]}: gap {a!r} here, {b!r} in COCO, after evaluation {evaluation}")
                wrong += 1
                break
    return wrong


def runtime(gaps, target):
    return next((i for i, gap in enumerate(gaps, start=1) if gap <= target), math.inf)


def check_runtimes(options, common, ours):
    """Evaluations to each target by cocopp's count."""
    import cocopp

    wrong = 0
    for data in cocopp.load(coco_folder(options.out)["folder"]):
        for target, evaluations in zip(TARGETS, data.detEvals(TARGETS)):
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


def check_area(options, method, common, ours):
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
    for dim in sorted({key[0] for key in common}):
        runs = {key: ours[key] for key in common if key[0] == dim}
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
    command.add_argument("--lab", default="lab-results", help="where `neuralbo lab run bbob` left its results")
    command.set_defaults(do=check)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
