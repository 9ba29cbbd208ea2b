#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the memory and time that Orrery estimates before a simulation with what the simulation needs.

Usage: benchmarks/simulation_cost.py [--build FOLDER] [--quick]
(needs a release build with benchmarks; 4 GB of memory and two minutes without --quick)

Prints a table: memory above that of the inputs, estimated and measured (peak resident memory), and CPU
seconds. Exit code 1: an estimate of more than 16 MB is below 0.7 or above 2 times the measured memory.
The constants of src/orrery/sim/cost/simulation_cost.cc come from these cases.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GPT3 = ["job", "spec=examples/workloads/gpt3-175b-1024.yaml", "cluster=examples/clusters/selene-1024.yaml",
        "schedule.kind=1f1b", "schedule.chunks=1", "parallel.pp=16", "parallel.dp=2", "last=32"]
LLAMA = ["job", "spec=examples/workloads/llama-3.1-405b-16384.yaml", "cluster=examples/clusters/llama3-16384.yaml",
         "parallel.dp=8", "last=128", "batch.global=128"]
LEAST_MB = 16


def reduce(shape, *more):
    return ["all_reduce", f"shape={shape}", *more]


# Name, words of benchmarks/scale, and whether it is quick.
CASES = [
    ("messages, ASTRA rules", reduce("32x32x16", "fold=0"), True),
    ("… in 4 chunks", reduce("32x32x16", "chunks=4", "fold=0"), True),
    ("messages, Orrery rules, 4 chunks", reduce("32x32x16", "chunks=4", "fold=0", "rules=orrery", "forms=0"), True),
    ("messages, ring, 64 chunks", reduce("16x16x16", "algorithm=ring", "chunks=64", "fold=0", "rules=orrery",
                                         "forms=0"), True),
    ("closed forms, 64 chunks", reduce("32x32x16", "chunks=64", "fold=0", "rules=orrery"), True),
    ("direct among 4,096", reduce("4096", "switch=1", "algorithm=direct", "fold=0"), True),
    ("rendezvous", reduce("32x32x16", "fold=0", "rendezvous=1"), True),
    ("rendezvous, ring of 1,024", reduce("1024", "algorithm=ring", "fold=0", "rendezvous=1"), True),
    ("shared links, direct", reduce("1024", "switch=1", "algorithm=direct", "fold=0", "rules=orrery",
                                    "network=flow"), True),
    ("… folded, 64 chunks", reduce("16x65536", "switch=1", "algorithm=direct", "rules=orrery", "network=flow",
                                   "chunks=64"), True),
    ("shared links, rings", reduce("16x16x16", "algorithm=ring", "fold=0", "rules=orrery", "network=flow",
                                   "chunks=4"), True),
    ("queued messages, direct", reduce("512", "switch=1", "algorithm=direct", "fold=0", "rules=orrery",
                                       "network=message"), True),
    ("point-to-point messages", ["drifting", "ranks=16384"], True),
    ("… of 65,536 ranks", ["drifting", "ranks=65536"], False),
    ("Llama 405B, 1,024 ranks", [*LLAMA, "fold=0"], True),
    ("… recorded", [*LLAMA, "fold=0", "record=1"], True),
    ("GPT-3, 256 ranks", [*GPT3, "fold=0"], False),
    ("… every message", [*GPT3, "fold=0", "forms=0", "repeats=0"], False),
    ("… recorded", [*GPT3, "fold=0", "record=1"], False),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    wrong = 0
    print(f"{'case':34} {'MB estimated':>12} {'measured':>9} {'ratio':>6} {'CPU s estimated':>15} {'measured':>9}")
    for name, words, quick in CASES:
        if options.quick and not quick:
            continue
        done = subprocess.run([f"{options.build}/benchmarks/scale", *words], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"simulation_cost: {name}: {done.stderr.strip()}")
        run = json.loads(done.stdout)
        measured = run["peak_mb"] - run["start_mb"]
        ratio = run["estimated_mb"] / max(measured, 0.1)
        if run["estimated_mb"] > LEAST_MB and not 0.7 <= ratio <= 2:
            wrong += 1
        print(f"{name:34} {run['estimated_mb']:12.1f} {measured:9.1f} {ratio:6.2f} {run['estimated_cpu_s']:15.2f} "
              f"{run['run_cpu_s']:9.2f}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
