#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches killed at random moments, whoever looks at their points: no point that was kept is lost
or found out again, and in the end everything is as if nobody had been killed.

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


# A word that everything started here has in its environment, also what mpirun starts.
MARK = f"ORRERY_KILLED_SEARCHES={os.getpid()}"
MPIRUN = ["mpirun", "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"]


def running(mark=MARK):
    """Whatever was started here and still runs."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as text:
                if mark.encode() in text.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:  # it has ended, or is somebody else's
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
        """What Slurm would start: of each share that is not finished, its job, by hand."""
        told = self.start(1, "--executor", "slurm", "--shares", str(count), "--json")
        told, errors = told.communicate()
        assert told, errors
        told = json.loads(told)["result"]
        if not told["script_file"]:
            return []
        with open(os.path.join(self.folder, told["manifest_file"])) as rows:
            rows = [row.split("\t") for row in rows.read().splitlines()[1:]]
        return [self.run(["sh", told["script_file"], row[0]]) for row in rows if row[2] != "0"]

    def files(self):
        return sorted(os.path.join(self.folder, name) for name in os.listdir(self.folder)
                      if name.startswith("points.jsonl"))

    def kept(self):
        """Whole lines by digest; each is there once in a file."""
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
    """One process with some threads, parts as a launcher starts them, shares, or MPI."""
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
    """How many were: all of them; of MPI's one, after which the others end by themselves."""
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
        # mpirun's own codes tell when in its life a process was killed.
        if how != "mpi":
            assert process.returncode in (0, -signal.SIGKILL), errors
        assert b"orrery search: error" not in errors, errors
    for _ in range(600):
        if not running():
            return killed
        time.sleep(0.05)
    raise AssertionError("something goes on")


def has_mpi(program):
    """Whether the program was built with MPI, and there is an mpirun."""
    if shutil.which("mpirun") is None:
        return False
    told = subprocess.run([program, "doctor", "--json"], capture_output=True).stdout
    lines = {line["name"]: line["text"] for line in json.loads(told)["result"]["lines"]}
    return not lines["MPI"].startswith("not built in")


def check_kept(before, search):
    after = search.kept()
    for digest, line in before.items():
        assert after.get(digest) == line, f"lost or changed: {line}"
    return after


def finish(search, draw, ways):
    """To the end, by one who can look beside the best: what it says."""
    mpi = "mpi" in ways and draw.random() < 0.3
    finished = search.start_mpi(2, "--json") if mpi else search.start(2, "--json")
    told, errors = finished.communicate()
    assert finished.returncode == 0, errors
    return json.loads(told)["result"]


def main():
    usual = 200 if os.environ.get("ORRERY_TEST_EFFORT") == "full" else 24
    program, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else usual
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    # Of processes; with MPI it takes seconds until the last of them is gone.
    ways = {"threads": 8, "parts": 2, "slurm": 3, "mpi": 3}
    if not has_mpi(program):
        print("without MPI: there is no mpirun, or the program was built without")
        del ways["mpi"]
    with tempfile.TemporaryDirectory() as folder:
        search = Search(program, folder)
        begun = time.monotonic()
        told = search.start(2, "--json").communicate()[0]
        whole = time.monotonic() - begun
        with open(search.file, "rb") as text:
            wanted = text.read()
        points = json.loads(told)["result"]
        search.forget()
        done, ended, lines = dict.fromkeys(ways, 0), 0, {}
        tried = 0
        # A search by MPI may end before it is killed: on until one of each kind was.
        while (sum(done.values()) < kills or not all(done.values())) and tried < 10 * kills:
            tried += 1
            how, processes = launch(search, draw, ways)
            time.sleep(draw.uniform(0, whole / 3) + (0.4 if how == "mpi" else 0))
            done[how] += kill(how, processes, draw)
            lines = check_kept(lines, search)
            # Now and then to the end: as if nothing had happened.
            if draw.random() < 0.06 or sum(done.values()) >= kills:
                result = finish(search, draw, ways)
                assert result["evaluated"] + len(lines) == points["evaluated"], "found out again"
                with open(search.file, "rb") as text:
                    assert text.read() == wanted, "another file than undisturbed"
                result["evaluated"] = points["evaluated"]
                assert result == points, "another answer than undisturbed"
                search.forget()
                lines, ended = {}, ended + 1
        assert all(done.values()), f"a kind of process was never killed: {done}"
        words = ", ".join(f"{number} of {how}" for how, number in done.items())
        print(f"{sum(done.values())} killed ({words}), {ended} searches ended as one that nobody "
              "disturbed")


if __name__ == "__main__":
    main()
