#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches by processes of mpirun: results are byte-identical to those of threads, and each mistake has
one error message. Needs a program that was built with MPI, and mpirun (./setup mpi). Without them the
test prints that it is skipped.

    mpi_searches.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

from killed_searches import MPIRUN, SPACE, has_mpi

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(folder, *words, **environment):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**ENVIRONMENT, **environment}, timeout=300)


def by_mpi(folder, processes, program, *words):
    return run(folder, *MPIRUN, "-n", str(processes), program, "search", *words, "--executor", "mpi")


def check_same(program, folder, space, processes, *more):
    with open(os.path.join(folder, "space.yaml"), "w") as out:
        out.write(space)
    results = []
    for by in (0, *processes):
        words = ["space.yaml", "-o", f"by-{by}.jsonl", "--json", *more]
        done = by_mpi(folder, by, program, *words) if by else run(folder, program, "search", *words)
        assert done.returncode == 0, done.stderr
        with open(os.path.join(folder, f"by-{by}.jsonl"), "rb") as text:
            results.append((json.loads(done.stdout), text.read()))
        os.remove(os.path.join(folder, f"by-{by}.jsonl"))
        assert results[-1] == results[0], f"{by} processes have another result"


def check_mistakes(program, folder):
    """Each mistake has one error message and the usual exit code."""
    def mistake(done, says):
        assert done.returncode == 2, done
        assert done.stderr.count("error: ") == 1 and says in done.stderr, done.stderr

    mistake(by_mpi(folder, 3, program, "nothing.yaml"), "nothing.yaml: cannot open")
    mistake(by_mpi(folder, 3, program, "space.yaml", "-o", "-"), "--output: ")
    mistake(by_mpi(folder, 2, program, "space.yaml", "-o", "x", "--part", "1/3"), "--part: ")
    # Started by the mpirun of another MPI, each process would act as the first.
    mistake(run(folder, program, "search", "space.yaml", "--executor", "mpi", PMI_SIZE="4"),
            "the launcher started several processes, but MPI reports one")
    # Nothing is allowed: that is no mistake.
    with open(os.path.join(folder, "none.yaml"), "w") as out:
        out.write(SPACE + "constraints: [tp > 8]\n")
    done = by_mpi(folder, 2, program, "none.yaml")
    assert done.returncode == 1 and "constraint tp > 8 allows none of them" in done.stderr, done
    assert "\x1b" not in done.stdout, "colors without a terminal"


def main():
    program = os.path.abspath(sys.argv[1])
    if not has_mpi(program):
        print("skipped: no mpirun, or a program without MPI; ./setup mpi")
        return
    with tempfile.TemporaryDirectory() as folder:
        check_same(program, folder, SPACE, (1, 2, 3))
        evolve = SPACE + "objectives: [step, memory]\nsample: {how: evolve, points: 120, seed: 4}\n"
        check_same(program, folder, evolve, (3,), "--simulated", "6")
        check_mistakes(program, folder)
    print("same results with threads and with 1, 2 and 3 processes")


if __name__ == "__main__":
    main()
