"""Workers on both stores under random faults for a while, every value compared with what its program printed.

    cargo build --release
    scripts/ci/with-postgres.sh python3 bench/system/soak.py --minutes 30 --output soak.md

Eight workers a store. Every few seconds one fault: a worker or the supervisor of its programs is killed, a worker or a server process is
stopped for a while, PostgreSQL is restarted, another session keeps a lock, clients of the dashboard ask for much and read nothing, a study
is deleted and created again under its name while its trials run. Workers 0 and 1 of each store and its dashboard live through all of it:
their memory, descriptors and threads must stay flat. The seed decides which faults come when.
"""

import argparse
import collections
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

WORKERS, KEPT = 8, 2
LEASE = "5s"
OBJECTIVE = """
echo '{"step": 0, "value": 1000000}'
sleep 0.%02d
v=$NEURALBO_TRIAL.1$(printf %%08d $$)
echo $NEURALBO_TRIAL $v >> printed
echo '{"step": 1, "value": 2000000}'
sleep 1.%02d
echo $v
"""

# A study that is deleted and created again: the first argument is which one of them a program belongs to.
RECREATED = """
v=$1$NEURALBO_TRIAL.1$(printf %08d $$)
echo $1 $NEURALBO_TRIAL $v >> printed-recreated
sleep 0.7
echo $v
"""
SLOW_READERS = 16
ANSWER_SECONDS = 30


class Store:
    """A storage with its workers and a dashboard."""

    def __init__(self, name, url, neuralbo, folder, seed):
        self.name, self.url, self.neuralbo, self.folder = name, url, neuralbo, os.path.join(folder, name)
        os.mkdir(self.folder)
        self.random = random.Random(seed)
        self.env = dict(os.environ, NEURALBO_STORAGE=url, NEURALBO_SPOOL=os.path.join(self.folder, "spool"))
        with open(os.path.join(self.folder, "objective.sh"), "w") as file:
            file.write(OBJECTIVE % (self.random.randrange(100), self.random.randrange(100)))
        self.call("run", "--study", "soak", "--method", "random", "--param", "x=float(0,1)", "--attempts", "1000", "--timeout", "1d", "--json")
        self.workers = [self.start(index) for index in range(WORKERS)]
        self.faults = collections.Counter()
        with open(os.path.join(self.folder, "recreated.sh"), "w") as file:
            file.write(RECREATED)
        self.generation, self.recreated, self.checked, self.wrong = 10, None, 0, []
        self.create_again()
        self.port = free_port()
        command = [neuralbo, "dashboard", "--port", str(self.port)]
        self.dashboard = subprocess.Popen(command, env=self.env, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def call(self, *arguments):
        output = subprocess.run([self.neuralbo, *arguments], env=self.env, cwd=self.folder, capture_output=True, text=True)
        if output.returncode:
            sys.exit(f"{self.name}: neuralbo {' '.join(arguments)}: {output.stderr}")
        return json.loads(output.stdout) if "--json" in arguments else output.stdout

    def recover(self):
        """Tells what waits in files; only results of a deleted study may stay."""
        command = [self.neuralbo, "recover", "--json"]
        output = subprocess.run(command, env=self.env, cwd=self.folder, capture_output=True, text=True)
        left = [line for line in output.stderr.splitlines() if line]
        if output.returncode and not all("study `recreated` is unknown" in line for line in left):
            sys.exit(f"{self.name}: neuralbo recover: {output.stderr}")

    def start(self, index):
        return self.worker(f"worker-{index}.log", "soak", "sh", "objective.sh")

    def worker(self, log, study, *program):
        log = open(os.path.join(self.folder, log), "a")
        command = [self.neuralbo, "worker", study, "--lease", LEASE, "--threads", "1", "--", *program]
        return subprocess.Popen(command, env=self.env, cwd=self.folder, stdout=log, stderr=log)

    def replace_dead(self):
        """Workers that ended by themselves are errors."""
        for index, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.faults[f"a worker ended with {worker.returncode}"] += 1
                self.workers[index] = self.start(index)

    def kill(self):
        index = self.random.randrange(KEPT, WORKERS)
        self.workers[index].kill()
        self.workers[index].wait()
        self.workers[index] = self.start(index)

    def stop(self):
        pause(self.random.choice(self.workers).pid, self.random.uniform(0.5, 8))

    def supervisor(self):
        """The process that watches the programs of a worker dies."""
        for pid in children(self.random.choice(self.workers).pid):
            if command_name(pid) == "trial-supervise":
                os.kill(pid, signal.SIGKILL)

    def readers(self):
        """Clients of the dashboard ask for all trials and do not read them; another one must be answered all the same."""
        slow = []
        for _ in range(SLOW_READERS):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", self.port))
            client.sendall(b"GET /api/studies/soak/trials.csv HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            slow.append(client)
        time.sleep(1)
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=ANSWER_SECONDS).read()
        except OSError as error:
            self.faults[f"the dashboard did not answer ({error})"] += 1
        for client in slow:
            client.close()

    def recreate(self):
        """A study is deleted while its trials run, and created again under its name; what its programs print afterwards belongs to nobody."""
        self.check_recreated()
        old = self.recreated
        self.call("delete", "recreated", "--yes")
        self.create_again()
        self.recover()
        try:
            old.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.faults["a worker of a deleted study went on"] += 1
            old.kill()
        self.recover()

    def create_again(self):
        self.generation += 1
        self.call("run", "--study", "recreated", "--method", "random", "--param", "x=float(0,1)", "--attempts", "1000", "--json")
        self.recreated = self.worker("recreated.log", "recreated", "sh", "recreated.sh", str(self.generation))

    def check_recreated(self):
        """Every value of the present study was printed by a program of it."""
        printed = collections.defaultdict(set)
        for line in open(os.path.join(self.folder, "printed-recreated")):
            generation, number, value = line.split()
            if int(generation) == self.generation:
                printed[int(number)].add(float(value))
        for trial in self.call("trials", "recreated", "--json"):
            if trial["state"] == "complete":
                self.checked += 1
                if trial["value"] not in printed[trial["number"]]:
                    self.wrong.append(f"{self.generation}: {trial['number']}")

    def sample(self):
        """Resident memory in KiB, descriptors and threads of the workers that are never killed, and of the dashboard."""
        seen = []
        for worker in [*self.workers[:KEPT], self.dashboard]:
            try:
                status = dict(line.split(":", 1) for line in open(f"/proc/{worker.pid}/status"))
                memory, threads = int(status["VmRSS"].split()[0]), int(status["Threads"])
                seen.append((memory, len(os.listdir(f"/proc/{worker.pid}/fd")), threads))
            except (OSError, KeyError):
                continue
        return seen

    def finish(self):
        """Lets what runs finish, tells what is left, and compares every value."""
        if self.dashboard.poll() is not None:
            self.faults[f"a worker ended with {self.dashboard.returncode} (the dashboard)"] += 1
        for worker in [*self.workers, self.recreated, self.dashboard]:
            worker.send_signal(signal.SIGINT)
        for worker in [*self.workers, self.recreated, self.dashboard]:
            worker.wait()
        self.recover()
        self.check_recreated()
        trials = next(study for study in self.call("studies", "--json") if study["study"] == "soak")["counts"]
        running = trials["running"]
        done = trials["complete"] + trials["failed"] + trials["pruned"]
        if running:
            last = [self.neuralbo, "run", "--study", "soak", "--method", "random", "--param", "x=float(0,1)", "--attempts", "1000"]
            last += ["--trials", str(done + running), "--lease", LEASE, "--workers", "8", "--", "sh", "objective.sh"]
            subprocess.run(last, env=self.env, cwd=self.folder, check=True, capture_output=True)
        sound = self.call("check", "--json")
        printed = collections.defaultdict(set)
        for line in open(os.path.join(self.folder, "printed")):
            number, value = line.split()
            printed[int(number)].add(float(value))
        trials = self.call("trials", "soak", "--json")
        wrong = [trial["number"] for trial in trials if trial["state"] != "complete" or trial["value"] not in printed[trial["number"]]]
        again = sum(trial["attempt"] > 1 for trial in trials)
        return {
            "trials": f"{len(trials)} and {self.checked}",
            "wrong": len(wrong) + len(self.wrong),
            "again": again,
            "problems": len(sound["problems"]),
        }


class Sqlite(Store):
    def lock(self):
        connection = sqlite3.connect(os.path.join(self.folder, "studies.db"), isolation_level=None, timeout=30)
        try:
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(self.random.uniform(0.5, 6))
            connection.execute("ROLLBACK")
        finally:
            connection.close()

    kinds = [Store.kill, Store.stop, Store.supervisor, Store.readers, Store.recreate, lock]


class Postgres(Store):
    def lock(self):
        sql = f"BEGIN; SELECT id FROM neuralbo.neuralbo_studies FOR UPDATE; SELECT pg_sleep({self.random.uniform(0.5, 14)})"
        subprocess.run(["psql", "-q", self.url, "-c", sql], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def restart(self):
        mode = self.random.choice(["fast", "immediate"])
        subprocess.run([os.environ["NEURALBO_TEST_POSTGRES_RESTART"], mode], check=True)

    def silence(self):
        """The server process of one worker falls silent."""
        sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'neuralbo'"
        found = subprocess.run(["psql", "-qAt", self.url, "-c", sql], capture_output=True, text=True).stdout.split()
        if found:
            pause(int(self.random.choice(found)), self.random.uniform(1, 8))

    kinds = [Store.kill, Store.stop, Store.supervisor, Store.readers, Store.recreate, lock, restart, silence]


def pause(pid, seconds):
    try:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass


def children(pid):
    try:
        return [int(child) for task in os.listdir(f"/proc/{pid}/task") for child in open(f"/proc/{pid}/task/{task}/children").read().split()]
    except OSError:
        return []


def command_name(pid):
    try:
        return open(f"/proc/{pid}/comm").read().strip()
    except OSError:
        return ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--neuralbo", default=os.environ.get("NEURALBO_CLI", "target/release/neuralbo"))
    parser.add_argument("--output")
    options = parser.parse_args()
    neuralbo = os.path.abspath(options.neuralbo)
    folder = tempfile.mkdtemp(prefix="soak-")
    stores = [Sqlite("sqlite", "studies.db", neuralbo, folder, options.seed)]
    if "NEURALBO_TEST_POSTGRES" in os.environ:
        stores.append(Postgres("postgres", os.environ["NEURALBO_TEST_POSTGRES"], neuralbo, folder, options.seed + 1))
    chooser, samples = random.Random(options.seed), {store.name: [] for store in stores}
    end, started = time.time() + 60 * options.minutes, time.time()
    while time.time() < end:
        time.sleep(chooser.uniform(1, 4))
        store = chooser.choice(stores)
        fault = chooser.choice(store.kinds)
        fault(store)
        store.faults[fault.__name__] += 1
        for store in stores:
            store.replace_dead()
            samples[store.name].append((time.time() - started, store.sample()))
    text = f"{options.minutes:g} minutes, {WORKERS} workers a store, lease {LEASE}, seed {options.seed}\n\n"
    columns = ["store", "faults", "trials, and those of the study that is created again", "begun again", "wrong values"]
    text += row([*columns, "problems found by `check`"]) + row(["---"] * 6)
    failed = False
    for store in stores:
        faults = ", ".join(f"{count} {name}" for name, count in sorted(store.faults.items()))
        result = store.finish()
        failed |= bool(result["wrong"] or result["problems"] or any(name.startswith(("a worker", "the dashboard")) for name in store.faults))
        text += row([store.name, faults, result["trials"], result["again"], result["wrong"], result["problems"]])
    text += "\n" + row(["store", "process", "part of the run", "memory in MiB", "descriptors", "threads"]) + row(["---"] * 6)
    for store in stores:
        for worker, label in enumerate([*(f"worker {index}" for index in range(KEPT)), "dashboard"]):
            series = [(at, seen[worker]) for at, seen in samples[store.name] if len(seen) > worker]
            for part in range(3):
                low, high = part * 20 * options.minutes, (part + 1) * 20 * options.minutes
                inside = [seen for at, seen in series if low <= at < high] or [(0, 0, 0)]
                columns = [f"{min(values)} to {max(values)}" for values in zip(*inside)]
                columns[0] = "{:.1f} to {:.1f}".format(*(f(seen[0] for seen in inside) / 1024 for f in (min, max)))
                text += row([store.name, label, ["first third", "second third", "last third"][part], *columns])
    print(text)
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
