#!/usr/bin/env python3
"""Runs methods on built-in functions through `neuralbo run` and tabulates the best true values.

    python3 scripts/methods_table.py --out FOLDER [--methods a,b] [--seeds 10] [--trials 200] [--workers 2]

Every finished run is one line of FOLDER/runs.csv; a run found there is not repeated. FOLDER/table.md is written at the end.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

FUNCTIONS = [("ackley", 10), ("levy", 10), ("michalewicz", 10), ("hartmann6", 6)]
METHODS = ["neuralbo", "neuralbo-paper", "neuralbo-faithful", "neuralbo-theory", "neuralbo-reference", "gp-ucb", "gp-ts", "gp-ei", "rf", "dngo",
           "neural-greedy", "cma-es", "sobol", "random"]
FIELDS = ["method", "function", "dim", "seed", "trials", "best_true_value", "suggest_ms_mean", "elapsed_s"]


def run(binary, method, function, dim, seed, trials):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.csv")
        command = [binary, "run", "--function", function, "--dim", str(dim), "--method", method, "--trials", str(trials),
                   "--seed", str(seed), "--threads", "1", "--trace", str(trace), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        rows = list(csv.DictReader(trace.open()))
        elapsed = json.loads(done.stdout)["elapsed_s"]
    best = min(float(row["true_value"]) for row in rows)
    thinking = statistics.mean(float(row["suggest_ms"]) for row in rows)
    return [method, function, dim, seed, trials, best, round(thinking, 3), round(elapsed, 2)]


def table(rows):
    lines = ["| method | " + " | ".join(f"{f}-{d}" for f, d in FUNCTIONS) + " | ms per suggestion |",
             "| --- |" + " --- |" * (len(FUNCTIONS) + 1)]
    for method in METHODS:
        mine = [row for row in rows if row["method"] == method]
        if not mine:
            continue
        cells = []
        for function, _ in FUNCTIONS:
            values = [float(row["best_true_value"]) for row in mine if row["function"] == function]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.mean(values):.3f} ± {spread:.3f}" if values else "–")
        thinking = statistics.mean(float(row["suggest_ms_mean"]) for row in mine)
        lines.append(f"| `{method}` | " + " | ".join(cells) + f" | {thinking:.1f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--binary", default="target/release/neuralbo")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "runs.csv"
    known = list(csv.DictReader(path.open())) if path.exists() else []
    done = {(row["method"], row["function"], int(row["seed"])) for row in known}
    jobs = [(m, f, d, s) for m in options.methods.split(",") for s in range(1, options.seeds + 1) for f, d in FUNCTIONS
            if (m, f, s) not in done]
    with path.open("a", newline="") as file, concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        writer = csv.writer(file)
        if not known:
            writer.writerow(FIELDS)
        futures = [pool.submit(run, options.binary, *job, options.trials) for job in jobs]
        for future in concurrent.futures.as_completed(futures):
            writer.writerow(future.result())
            file.flush()
    rows = list(csv.DictReader(path.open()))
    (options.out / "table.md").write_text(table(rows))
    print(table(rows))


if __name__ == "__main__":
    main()
