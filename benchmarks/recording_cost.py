#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much more CPU time and memory a simulation needs with a run file (`-o`) than without.

Usage: benchmarks/recording_cost.py [--build FOLDER] [--runs N] [--instructions]
(needs a release build with benchmarks)

GPT-3 175B on 128 A100, every rank, with 96 microbatches. Each case runs N times with and without the run file, in turn.
The table contains the minima: other programs only add time. --instructions also counts instructions of simulate(), of
building the run and of writing it, with callgrind.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTER = "examples/clusters/selene-1024.yaml"
JOB = ["job", "spec=examples/workloads/gpt3-175b-1024.yaml", f"cluster={CLUSTER}", "last=16", "parallel.pp=8",
       "parallel.dp=2", "batch.global=192", "fold=0"]
F1B = ["schedule.kind=1f1b", "schedule.chunks=1"]
INTERLEAVED = ["schedule.kind=interleaved", "schedule.chunks=2"]
CASES = [
    ("interleaved", INTERLEAVED),
    ("1F1B, iterations skipped", F1B),
    ("1F1B, every iteration", [*F1B, "repeats=0"]),
    ("interleaved, flow", [*INTERLEAVED, "network=flow"]),
    ("interleaved, message", [*INTERLEAVED, "network=message"]),
]


def run(program, words):
    done = subprocess.run([program, *JOB, *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"recording_cost: {' '.join(words)}: {done.stderr.strip()}")
    made = json.loads(done.stdout)
    return made["make_cpu_s"] + made["simulate_cpu_s"], made["peak_mb"]


def instructions(program, words):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             "--toggle-collect=*orrery::sim::simulate(*", "--toggle-collect=*orrery::record::make_run(*",
             "--toggle-collect=*orrery::result::write_run(*", program, *JOB, *words],
            cwd=ROOT, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"recording_cost: {' '.join(words)}: {done.stderr.strip()[-400:]}")
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    program = str(options.build.resolve() / "benchmarks/scale")
    print(f"{'case':26} {'CPU s':>7} {'with file':>9} {'more':>7} {'MB':>5} {'with file':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in CASES:
            recorded = [*words, f"run_file={folder}/run.orrery"]
            pairs = [(run(program, words), run(program, recorded)) for _ in range(options.runs)]
            (plain, plain_mb), (kept, kept_mb) = (min(one) for one in zip(*pairs))
            more = ""
            if options.instructions:
                before, after = instructions(program, words), instructions(program, recorded)
                more = f"  instructions {before / 1e6:,.0f} M, {after / 1e6:,.0f} M: {after / before - 1:+.1%}"
            print(f"{name:26} {plain:7.2f} {kept:9.2f} {kept / plain - 1:+7.1%} {plain_mb:5.0f} {kept_mb:9.0f}{more}",
                  flush=True)


if __name__ == "__main__":
    main()
