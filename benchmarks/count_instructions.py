#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of five simulations with callgrind and compares them with the stored counts.

Counts hardly depend on the machine. The script fails if a count is more than 3 % above the stored one.

Usage: benchmarks/count_instructions.py [--build FOLDER] [--update]
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "benchmarks/instructions.json"
TOLERANCE = 0.03

CASES = {
    "all-reduce, 1,024 ranks, 4 chunks, every message": [
        "all_reduce", "shape=16x16x4", "chunks=4", "fold=0"],
    "all-reduce, 65,536 ranks, 64 chunks, folded": [
        "all_reduce", "shape=64x64x16", "chunks=64", "rules=orrery"],
    "GPT-3 175B, 1,024 ranks, folded": [
        "job", "spec=examples/workloads/gpt3-175b-1024.yaml",
        "cluster=examples/clusters/selene-1024.yaml"],
    "Mixtral 8x7B, 64 ranks, every rank": [
        "job", "spec=examples/workloads/mixtral-8x7b-64.yaml",
        "cluster=examples/clusters/dgx-h100-64.yaml", "fold=0"],
    "desynchronized, 1,024 ranks, 32 messages each": ["drifting", "ranks=1024"],
}


def count(program, words):
    """Instructions of simulate(), without those that build the case."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             "--toggle-collect=*orrery::sim::simulate(*", program, *words],
            cwd=ROOT, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"count_instructions: {' '.join(words)}: {done.stderr.strip()[-400:]}")
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="store the new counts")
    options = parser.parse_args()
    program = options.build.resolve() / "benchmarks/scale"
    known = json.loads(STORED.read_text()) if STORED.exists() else {}
    counts, slower = {}, []
    for name, words in CASES.items():
        counts[name] = count(str(program), words)
        change = counts[name] / known[name] - 1 if known.get(name) else 0.0
        print(f"{counts[name]:>16,}  {change:+7.2%}  {name}", flush=True)
        if change > TOLERANCE:
            slower.append(name)
    if options.update:
        STORED.write_text(json.dumps(counts, indent=2) + "\n")
    elif slower:
        sys.exit(f"count_instructions: more than {TOLERANCE:.0%} above {STORED}: {'; '.join(slower)}; "
                 "make them faster, or store the new counts with --update")


if __name__ == "__main__":
    main()
