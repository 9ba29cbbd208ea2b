#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search in shares that Slurm runs. The test starts a controller and a node in a temporary folder, and
stops them at the end. Needs root and Debian's slurmctld, slurmd, slurm-client and munge (./setup slurm).
Without them the test prints that it is skipped.

    slurm_searches.py PROGRAM
"""
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from killed_searches import SPACE

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel"]

CONF = """ClusterName=orrery
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def until(what, says, seconds=60):
    for _ in range(seconds * 10):
        if says():
            return
        time.sleep(0.1)
    raise AssertionError(f"after {seconds} s still not true: {what}")


class Slurm:
    """Slurm's daemons in the foreground, so that they end with this test."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            os.mkdir(os.path.join(folder, name))
        self.conf = os.path.join(folder, "slurm.conf")
        with open(self.conf, "w") as out:
            out.write(CONF.format(host=self.host, folder=folder, ports=free_ports(2),
                                  cores=os.cpu_count()))
        self.environment = {**os.environ, "SLURM_CONF": self.conf}

    def daemon(self, *words):
        log = open(os.path.join(self.folder, f"{words[0]}.out"), "wb")
        self.daemons.append(subprocess.Popen(words, stdout=log, stderr=log, env=self.environment,
                                             stdin=subprocess.DEVNULL))

    def start(self):
        key, at = os.path.join(self.folder, "munge.key"), os.path.join(self.folder, "munge.socket")
        with open(key, "wb") as out:
            out.write(secrets.token_bytes(128))
        os.chmod(key, 0o400)
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={at}",
                    f"--pid-file={self.folder}/munge.pid", f"--log-file={self.folder}/munge.log",
                    f"--seed-file={self.folder}/munge.seed")
        until("munged listens", lambda: os.path.exists(at))
        self.daemon("slurmctld", "-D", "-f", self.conf)
        self.daemon("slurmd", "-D", "-f", self.conf)
        until("the node is idle",
              lambda: self.say("sinfo", "-h", "-o", "%T").startswith("idle"))

    def say(self, *words, folder=None):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True,
                              cwd=folder).stdout

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def search(program, folder, *more):
    words = [program, "search", "space.yaml", "-o", "points.jsonl", "-q", "--json", *more]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def submit(slurm, shares, folder):
    """Runs the printed submit command and returns the id of the job."""
    printed = slurm.say("sh", "-c", shares["submit_command"], folder=folder)
    assert printed.startswith("Submitted batch job "), printed
    return printed.split()[-1]


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as text:
        return text.read()


def check(program, slurm, folder):
    with open(os.path.join(folder, "space.yaml"), "w") as out:
        out.write(SPACE)
    wanted = search(program, folder)
    whole = read(folder, "points.jsonl")
    os.remove(os.path.join(folder, "points.jsonl"))

    # Some shares are interrupted; the next script contains the remaining ones.
    asked = ("--executor", "slurm", "--shares", "4", "--slurm-option", "comment=a share")
    shares = search(program, folder, *asked)
    assert (shares["parts"], shares["finished"], shares["unfinished"]) == (4, 0, shares["points"]), shares
    job = submit(slurm, shares, folder)
    until("a share runs", lambda: any(name.startswith("points.jsonl.part-")
                                      for name in os.listdir(folder)))
    slurm.say("scancel", job)
    until("nothing is queued", lambda: slurm.say("squeue", "-h") == "")
    begun = search(program, folder, *asked)
    assert begun["unfinished"] <= shares["unfinished"], begun
    # One share is run by hand.
    subprocess.run(["sh", begun["script_file"], "2"], cwd=folder, check=True, capture_output=True)
    shares = search(program, folder, *asked)
    assert shares["finished"] >= 1 and shares["unfinished"] < begun["points"], shares
    if shares["script_file"]:  # a fast machine may have finished before the interruption
        script = read(folder, shares["script_file"]).decode()
        array = next(line for line in script.splitlines() if line.startswith("#SBATCH --array="))
        array = array.split("=")[1].replace("-", ",").split(",")
        assert "2" not in array, array
        submit(slurm, shares, folder)
        until("nothing is queued", lambda: slurm.say("squeue", "-h") == "", 120)

    shares = search(program, folder, *asked)
    logs = slurm.say("sh", "-c", "tail -n 5 points.slurm/*.log", folder=folder)
    assert (shares["finished"], shares["unfinished"], shares["script_file"]) == (4, 0, ""), f"{shares}\n{logs}"
    # The merged result equals that of one process.
    result = search(program, folder)
    assert result["evaluated"] + shares["points"] == wanted["evaluated"], result["evaluated"]
    assert read(folder, "points.jsonl") == whole, "the file differs from that of one process"
    result["evaluated"] = wanted["evaluated"]
    assert result == wanted, "the result differs from that of one process"


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if os.geteuid() != 0 or missing:
        print("skipped: needs root" if not missing else
              f"skipped: {missing[0]} is not installed; ./setup slurm installs it")
        return
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        slurm = Slurm(folder)
        try:
            slurm.start()
            work = os.path.join(folder, "work")
            os.mkdir(work)
            check(program, slurm, work)
        except AssertionError:
            for name in ("munged.out", "slurmctld.log", "slurmd.log"):
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    print(name, *read(folder, name).decode().splitlines()[-20:], sep="\n")
            raise
        finally:
            slurm.stop()
    print(f"4 shares by Slurm, same result as one process ({time.monotonic() - begun:.0f} s)")


if __name__ == "__main__":
    main()
