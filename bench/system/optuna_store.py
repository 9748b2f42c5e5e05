"""Optuna's storages under the loads of crates/neuralbo-store/benches/latency.rs.

    python bench/system/optuna_store.py sqlite:////tmp/optuna.db
    scripts/ci/with-postgres.sh sh -c 'python bench/system/optuna_store.py $NEURALBO_TEST_POSTGRES'

Needs optuna, and psycopg2 for PostgreSQL. Prints the latency of ask and tell in a study of 1,000 trials, and the trials per second
of sixteen processes with random search and an objective that costs nothing.
"""

import multiprocessing
import statistics
import sys
import time

import optuna

PROCESSES, EACH, SIZE, ROUNDS = 16, 100, 1000, 100


def url(text):
    return text.replace("postgres://", "postgresql+psycopg2://", 1)


def objective(trial):
    return sum(trial.suggest_float(f"x{i}", 0, 1) for i in range(5))


def study(storage, name):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.RandomSampler()
    return optuna.create_study(storage=storage, study_name=name, sampler=sampler, load_if_exists=True)


def worker(storage, name):
    study(storage, name).optimize(objective, n_trials=EACH)


def latency(storage):
    bench = study(storage, "latency")
    distributions = {f"x{i}": optuna.distributions.FloatDistribution(0, 1) for i in range(5)}
    known = optuna.trial.create_trial(params={f"x{i}": 0.5 for i in range(5)}, distributions=distributions, value=1.0)
    bench.add_trials([known] * SIZE)
    asks, tells = [], []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        trial = bench.ask(distributions)
        asks.append(1e3 * (time.perf_counter() - started))
        started = time.perf_counter()
        bench.tell(trial, 1.0)
        tells.append(1e3 * (time.perf_counter() - started))
    print(f"optuna {optuna.__version__}: {SIZE} trials, ask {statistics.median(asks):.2f} ms, tell {statistics.median(tells):.2f} ms")


def crowd(storage):
    study(storage, "crowd")
    started = time.perf_counter()
    workers = [multiprocessing.Process(target=worker, args=(storage, "crowd")) for _ in range(PROCESSES)]
    for process in workers:
        process.start()
    for process in workers:
        process.join()
    seconds = time.perf_counter() - started
    done = sum(trial.state.is_finished() for trial in study(storage, "crowd").trials)
    failed = sum(process.exitcode != 0 for process in workers)
    print(f"optuna: {PROCESSES} processes, {done} trials in {seconds:.1f} s: {done / seconds:.0f} trials/s, {failed} processes failed")


if __name__ == "__main__":
    latency(url(sys.argv[1]))
    crowd(url(sys.argv[1]))
