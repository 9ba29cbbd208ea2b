#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills searches at random moments, with every kind of process: no stored point is lost or evaluated
again, and the final result equals that of an undisturbed search.

    killed_searches.py PROGRAM [KILLS] [SEED]

KILLS is 24, or 200 with ORRERY_TEST_EFFORT=full in the environment.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SPACE = """
job:
  model: {name: small, layers: 8, hidden: 1024, heads: 16, vocab: 32000}
  batch: {global: 64, micro: "=micro", seq: 1024}
  parallel: {tp: "=tp", pp: "=pp", sharding: "=sharding"}
  schedule: {kind: "=schedule"}
cluster:
  device: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s, memory_capacity: 2 GB}
  collectives: {library: ideal}
  network:
    - {block: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}
    - {block: switch, size: 4, bandwidth: "{nic} GB/s", latency: 2 us}
axes:
  - {name: nic, from: 10, to: 60, points: 6}
  - {name: tp, values: [1, 2, 4, 8]}
  - {name: pp, values: [1, 2, 4]}
  - {name: micro, values: [1, 2, 4]}
  - {name: sharding, values: [none, zero1]}
  - {name: schedule, values: [1f1b, gpipe]}
"""


# An environment variable of all processes that this test starts, including those of mpirun.
MARK = f"ORRERY_KILLED_SEARCHES={os.getpid()}"
MPIRUN = ["mpirun", "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"]


def running(mark=MARK):
    """Ids of running processes that this test started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as text:
                if mark.encode() in text.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:  # it has ended, or belongs to another user
            pass
    return found


class Search:
    def __init__(self, program, folder):
        self.program = program
        self.words = ["search", "space.yaml", "-o", "points.jsonl", "-q"]
        self.folder = folder
        self.file = os.path.join(folder, "points.jsonl")
        with open(os.path.join(folder, "space.yaml"), "w") as out:
            out.write(SPACE)

    def run(self, command, **environment):
        name, value = MARK.split("=")
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                env={**os.environ, **allowed, name: value, **environment})

    def start(self, threads, *more, **environment):
        return self.run([self.program, *self.words, "--threads", str(threads), *more],
                        **environment)

    def start_mpi(self, processes, *more):
        return self.run([*MPIRUN, "-n", str(processes), self.program, *self.words, "--executor",
                         "mpi", *more])

    def shares(self, count):
        """Starts the job of each unfinished share, as Slurm would."""
        printed, errors = self.start(1, "--executor", "slurm", "--shares", str(count), "--json").communicate()
        assert printed, errors
        result = json.loads(printed)["result"]
        if not result["script_file"]:
            return []
        with open(os.path.join(self.folder, result["manifest_file"])) as rows:
            rows = [row.split("\t") for row in rows.read().splitlines()[1:]]
        return [self.run(["sh", result["script_file"], row[0]]) for row in rows if row[2] != "0"]

    def files(self):
        return sorted(os.path.join(self.folder, name) for name in os.listdir(self.folder)
                      if name.startswith("points.jsonl"))

    def stored(self):
        """Complete lines by digest; checks that a file contains each digest once."""
        lines = {}
        for path in self.files():
            with open(path, "rb") as text:
                whole = text.read().split(b"\n")[:-1]
            digests = [json.loads(line)["digest"] for line in whole]
            assert len(set(digests)) == len(digests), f"{path} has a point twice"
            lines.update(zip(digests, whole))
        return lines

    def forget(self):
        for path in self.files():
            os.remove(path)


def launch(search, draw, ways):
    """Starts one process with threads, the parts of a launcher, shares, or processes of MPI."""
    how = draw.choices(list(ways), list(ways.values()))[0]
    if how == "threads":
        return how, [search.start(draw.choice([1, 2, 4]))]
    if how == "slurm":
        return how, search.shares(3)
    if how == "parts":
        return how, [search.start(1, "--part", "env", OMPI_COMM_WORLD_RANK=str(rank),
                                  OMPI_COMM_WORLD_SIZE="2") for rank in (0, 1)]
    return how, [search.start_mpi(draw.choice([2, 3]))]


def kill(how, processes, draw):
    """Kills all processes, or one process of MPI, after which the others end. Returns the number of killed processes."""
    victims = [process.pid for process in processes if process.poll() is None]
    if how == "mpi" and victims:
        victims = [draw.choice(running() or victims)]
    killed = 0
    for victim in victims:
        try:
            os.kill(victim, signal.SIGKILL)
            killed += 1
        except ProcessLookupError:  # it ended a moment ago
            pass
    for process in processes:
        _, errors = process.communicate()
        # mpirun has other exit codes, which depend on when a process was killed.
        if how != "mpi":
            assert process.returncode in (0, -signal.SIGKILL), errors
        assert b"orrery search: error" not in errors, errors
    for _ in range(600):
        if not running():
            return killed
        time.sleep(0.05)
    raise AssertionError(f"processes still run after 30 s: {running()}")


def has_mpi(program):
    """Whether the program was built with MPI, and there is an mpirun."""
    if shutil.which("mpirun") is None:
        return False
    printed = subprocess.run([program, "doctor", "--json"], capture_output=True).stdout
    lines = {line["name"]: line["text"] for line in json.loads(printed)["result"]["lines"]}
    return not lines["MPI"].startswith("not ")


def check_stored(before, search):
    after = search.stored()
    for digest, line in before.items():
        assert after.get(digest) == line, f"lost or changed: {line}"
    return after


def finish(search, draw, ways):
    """Completes the search and returns its result."""
    mpi = "mpi" in ways and draw.random() < 0.3
    finished = search.start_mpi(2, "--json") if mpi else search.start(2, "--json")
    printed, errors = finished.communicate()
    assert finished.returncode == 0, errors
    return json.loads(printed)["result"]


def main():
    usual = 200 if os.environ.get("ORRERY_TEST_EFFORT") == "full" else 24
    program, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else usual
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    # Weights by kind of process; with MPI, the last process ends only after seconds.
    ways = {"threads": 8, "parts": 2, "slurm": 3, "mpi": 3}
    if not has_mpi(program):
        print("without MPI: no mpirun, or a program without MPI; ./setup mpi")
        del ways["mpi"]
    with tempfile.TemporaryDirectory() as folder:
        search = Search(program, folder)
        begun = time.monotonic()
        printed = search.start(2, "--json").communicate()[0]
        whole = time.monotonic() - begun
        with open(search.file, "rb") as text:
            wanted = text.read()
        points = json.loads(printed)["result"]
        search.forget()
        done, ended, lines = dict.fromkeys(ways, 0), 0, {}
        tried = 0
        # A search by MPI may end before it is killed, so continue until each kind was killed.
        while (sum(done.values()) < kills or not all(done.values())) and tried < 10 * kills:
            tried += 1
            how, processes = launch(search, draw, ways)
            time.sleep(draw.uniform(0, whole / 3) + (0.4 if how == "mpi" else 0))
            done[how] += kill(how, processes, draw)
            lines = check_stored(lines, search)
            # Sometimes the search is completed: its result equals the undisturbed one.
            if draw.random() < 0.06 or sum(done.values()) >= kills:
                result = finish(search, draw, ways)
                assert result["evaluated"] + len(lines) == points["evaluated"], "stored points were evaluated again"
                with open(search.file, "rb") as text:
                    assert text.read() == wanted, "the file differs from the undisturbed one"
                result["evaluated"] = points["evaluated"]
                assert result == points, "the result differs from the undisturbed one"
                search.forget()
                lines, ended = {}, ended + 1
        assert all(done.values()), f"a kind of process was never killed: {done}"
        words = ", ".join(f"{number} of {how}" for how, number in done.items())
        print(f"{sum(done.values())} killed ({words}), {ended} searches ended with the undisturbed result")


if __name__ == "__main__":
    main()
