#!/usr/bin/env python3
"""Compare what a suggestion costs in two builds of neuralbo, measured in turn in one run.

    bench/system/overhead_ratio.py OLD NEW rf:20:1000 gp-ei:10:2000

A case is METHOD:DIMENSION:OBSERVATIONS. Each round runs `neuralbo lab overhead` of both programs, one after the other, on one
thread; what counts is the median over the rounds of the processor time of a suggestion.
"""

import argparse
import json
import statistics
import subprocess


def measure(program, case, repeats):
    method, dim, observations = case.split(":")
    command = [program, "lab", "overhead", "--method", method, "--dim", dim, "--at", observations]
    command += ["--repeats", str(repeats), "--threads", "1", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["measurements"][0]


def compare(arguments, case):
    found = {program: [] for program in (arguments.old, arguments.new)}
    for _ in range(arguments.rounds):
        for program, measured in found.items():
            measured.append(measure(program, case, arguments.repeats))
    middle = lambda program, key: statistics.median(one[key] for one in found[program])
    old, new = middle(arguments.old, "cpu_ms"), middle(arguments.new, "cpu_ms")
    memory = [middle(program, "peak_kib") / 1024 for program in (arguments.old, arguments.new)]
    method, dim, observations = case.split(":")
    print(f"| {method} | {dim} | {observations} | {old:.1f} | {new:.1f} | {old / new:.1f} | {memory[0]:.0f} | {memory[1]:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("cases", nargs="+", metavar="METHOD:DIMENSION:OBSERVATIONS")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5, help="suggestions timed in a run")
    arguments = parser.parse_args()
    print("| method | dimensions | observations | before, ms | after, ms | ratio | MiB before | MiB after |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in arguments.cases:
        compare(arguments, case)


if __name__ == "__main__":
    main()
