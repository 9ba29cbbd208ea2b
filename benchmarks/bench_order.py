#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs of `orrery bench generate` make the same calls in the same order as the replay.

The script builds one program with one command in a clean folder. It checks that all other programs have identical
sources, and plays their plans with the first program. It compares the calls that the program prints while it plays with
the calls of the replay's plan.

    benchmarks/bench_order.py --program build/release/apps/orrery/orrery [--traces FOLDER]

FOLDER may contain the recordings of PARAM (linear_et.json.gz …). The script prints which of them it skips.
Needs a program built with libtorch (./setup bench).
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUNDLED = ["cnn", "mlp", "transformer", "dlrm"]
PUBLIC = [["linear_et.json.gz"], ["dlrm_pytorch_et.tar.gz", "--replay-rank", "0"], ["resnet_et.json.gz"],
          ["hf_GPT2_et.json.tar.gz"], ["pt2_et.json.tar.gz"]]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def planned(plan):
    """The calls of a plan's steps, from the text of the plan."""
    words = {"view": "(view)", "stand_in": "(stand-in)", "absent": "(absent)"}
    operations, order = [], []
    for line in plan.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "operation":
            operations.append(rest.split()[1])
        elif kind == "call":
            order.append(operations[int(rest.split()[0])])
        elif kind in words:
            order.append(words[kind])
    return order


def sources(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()
            if path.suffix in (".cc", ".h") or path.name == "CMakeLists.txt"}


def build(folder):
    begin = time.monotonic()
    run(["sh", "-c", f"cmake -S {folder} -B {folder}/build && cmake --build {folder}/build"])
    print(f"built in {time.monotonic() - begin:.0f} s")
    return folder / "build" / "benchmark"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=ROOT / "build/release/apps/orrery/orrery")
    parser.add_argument("--traces", type=pathlib.Path, help="folder with the recordings of PARAM")
    parser.add_argument("--memory-limit", default="15GB", help="skip recordings that need more")
    parser.add_argument("--only", default="", help="use only recordings whose name contains this")
    asked = parser.parse_args()
    cases = [[str(ROOT / f"addons/bench/tests/recordings/{model}.json.gz")] for model in BUNDLED if asked.only in model]
    for name, *rest in PUBLIC:
        if asked.only not in name:
            continue
        if asked.traces and (asked.traces / name).exists():
            cases.append([str(asked.traces / name), *rest])
        else:
            print(f"skipped: {name}: not found; give its folder with --traces")
    program, first, differ = None, None, 0
    with tempfile.TemporaryDirectory() as scratch:
        for number, case in enumerate(cases):
            for level in ("top", "kernel"):
                folder, plan = pathlib.Path(scratch, f"{number}{level}"), pathlib.Path(scratch, "plan")
                how = [*case, "--level", level, "--memory-limit", asked.memory_limit, "--quiet"]
                made = subprocess.run([asked.program, "bench", "generate", *how, "-o", folder], capture_output=True,
                                      text=True, check=False)
                if "E4000" in made.stderr:
                    print(f"skipped: {made.stderr.splitlines()[0]}", flush=True)
                    continue
                if made.returncode != 0:
                    sys.exit(made.stderr)
                run([asked.program, "bench", "run", *how, "--only-plan", "--force", "--write-plan", plan])
                program, first = program or build(folder), first or sources(folder)
                if sources(folder) != first:
                    sys.exit(f"bench_order: {case[0]}: its sources differ from those of the first program")
                called = run([program, "--order", folder / "benchmark.txt"]).splitlines()
                same = called == planned(plan)
                differ += not same
                print(f"{pathlib.Path(case[0]).name:28} {level:7} {len(called):6} steps  {'same' if same else 'DIFFER'}",
                      flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
