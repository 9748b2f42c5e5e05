"""Stores under load, with Optuna beside them: trials per second of worker processes that evaluate nothing, and latency of ask and tell.

    cargo build --release -p neuralbo-store --example load
    scripts/ci/with-postgres.sh python bench/system/load.py target/release/examples/load --output load.md

Needs optuna and psycopg2. Every worker opens the storage, waits for the others, and then asks and tells for a few seconds: five
parameters, random search. Our runs and Optuna's alternate. Optuna's storages have their default settings. Our latency is measured
by `cargo bench -p neuralbo-store`; Optuna's is printed here, in a study of 1,000 trials.
"""

import argparse
import multiprocessing
import os
import statistics
import subprocess
import tempfile
import time

import optuna

CROWDS = [1, 4, 16, 64]
STORES = ["SQLite", "journal", "PostgreSQL"]
SPACE = {f"x{i}": optuna.distributions.FloatDistribution(0, 1) for i in range(5)}


def starts(count):
    """When workers begin: after all of them have opened the storage."""
    return time.time() + 2 + 0.1 * count


def ours(load, url, count, seconds):
    name = f"load-{count}"
    subprocess.run([load, "make", url, name], check=True)
    begin = starts(count)
    command = [load, "work", url, name, str(begin), str(begin + seconds)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(count)]
    answers = [worker.communicate() for worker in workers]
    told = sum(int(out) for (out, _), worker in zip(answers, workers) if worker.returncode == 0)
    return told / seconds, sum(worker.returncode != 0 for worker in workers)


def optuna_study(store, url, name):
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(url)) if store == "journal" else url
    return optuna.create_study(storage=storage, study_name=name, sampler=optuna.samplers.RandomSampler(), load_if_exists=True)


def optuna_worker(store, url, name, begin, seconds, told):
    study = optuna_study(store, url, name)
    time.sleep(max(0, begin - time.time()))
    while time.time() < begin + seconds:
        study.tell(study.ask(SPACE), 1.0)
        with told.get_lock():
            told.value += 1


def theirs(store, url, count, seconds):
    name = f"load-{count}"
    optuna_study(store, url, name)
    told = multiprocessing.Value("q", 0)
    arguments = (store, url, name, starts(count), seconds, told)
    workers = [multiprocessing.Process(target=optuna_worker, args=arguments) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return told.value / seconds, sum(worker.exitcode != 0 for worker in workers)


def latency(store, url, size=1000, rounds=100):
    """Median milliseconds of Optuna's ask and tell in a study of this size."""
    study = optuna_study(store, url, "latency")
    known = optuna.trial.create_trial(params={name: 0.5 for name in SPACE}, distributions=SPACE, value=1.0)
    study.add_trials([known] * size)
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        trial = study.ask(SPACE)
        asked = time.perf_counter()
        study.tell(trial, 1.0)
        times.append((1e3 * (asked - begun), 1e3 * (time.perf_counter() - asked)))
    ask, tell = (statistics.median(column) for column in zip(*times))
    return f"Optuna, {store}, {size} trials: ask {ask:.2f} ms, tell {tell:.2f} ms\n"


def cell(rate, errors):
    failed = f", {errors} workers failed" if errors else ""
    return f"{rate:.0f}{failed}" if rate >= 10 else f"{rate:.1f}{failed}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("load")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--output")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="load-")
    server = os.environ["NEURALBO_TEST_POSTGRES"]
    own = {"SQLite": os.path.join(folder, "ours.db"), "PostgreSQL": server}
    peer = {
        "SQLite": f"sqlite:///{folder}/optuna.db",
        "journal": os.path.join(folder, "optuna.log"),
        "PostgreSQL": server.replace("postgres://", "postgresql+psycopg2://", 1),
    }
    rows = {}
    for count in CROWDS:
        for store in STORES:
            if store in own:
                rows.setdefault(f"neuralbo, {store}", []).append(ours(options.load, own[store], count, options.seconds))
            rows.setdefault(f"Optuna {optuna.__version__}, {store}", []).append(theirs(store, peer[store], count, options.seconds))
    head = ["trials per second"] + [f"{count} workers" if count > 1 else "1 worker" for count in CROWDS]
    lines = [head, ["---"] * len(head)] + [[name] + [cell(*result) for result in row] for name, row in sorted(rows.items(), reverse=True)]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines) + "\n" + "".join(latency(store, peer[store]) for store in STORES)
    print(text)
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
