#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Applies every change to a recording, with every kind of input.

  whatif_answers.py ORRERY DEVICE[:RANKS] MODEL RECORDING ... [--changes CHANGE,CHANGE] [--device NAME]

Runs `orrery whatif` with each change in four modes: replay; on a cluster of the device, with as many devices as the recording
has ranks; on eight devices with --replicate; and on eight devices with a plan of the model. Prints the outcome: yes; yes, with
the finding that the change has no effect; or the options that the error names. The exit code is 1 if a change has no effect
and no finding, if an error names no option, or if the program crashes or runs longer than ten minutes.
"""
import argparse
import json
import re
import subprocess
import sys

CHANGES = ("kernels=0.5 communication=0.5 copies=0.5 host=0.5 launch=0.5 gaps=0.5 waits=0.5 overlap=none syncs=none "
           "fusion=elementwise stragglers=none variability=0.1 kernel:gemm=0.5 gemm=0.5 group:0=0.5 rank:0=1.5 gpu=b200 "
           "bandwidth=2 latency=2 algorithm=ring dp=16 layers=4 microbatches=2 tp=2 pp=2 cp=2 ep=2 schedule=gpipe "
           "recompute=full sharding=zero1 precision.products=fp8 hidden=2048 seq=1024 global_batch=64 micro_batch=2").split()
SECONDS = 600


def ask(program, words):
    """(outcome, whether the outcome is wrong)."""
    try:
        done = subprocess.run([program, "whatif", *words, "--json", "-q"], capture_output=True, timeout=SECONDS, text=True)
    except subprocess.TimeoutExpired:
        return f"longer than {SECONDS} s", True
    if done.returncode < 0:
        return f"signal {-done.returncode}", True
    if done.returncode > 0:
        options = re.findall(r"--[a-z][a-z-]+|rule [a-z0-9-]+", done.stderr.replace("--change", ""))
        return "error: " + ", ".join(dict.fromkeys(options)), not options
    answer = json.loads(done.stdout)
    result = answer["result"]
    if any(finding["code"] == "key_without_effect" for finding in answer["findings"]):
        return "yes, with the finding of no effect", False
    same = all(result.get("base" + key) == result.get("changed" + key) for key in ("_step_ns", "_time_by_basis", "_memory_bytes"))
    return ("no effect and no finding", True) if same else ("yes", False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("cluster", help="DEVICE[:RANKS]")
    parser.add_argument("model")
    parser.add_argument("recording", nargs="+")
    parser.add_argument("--changes", default=",".join(CHANGES))
    parser.add_argument("--device", help="device of the recording, if the recording does not contain it")
    asked = parser.parse_args()
    device, _, ranks = asked.cluster.partition(":")
    made_on = ["--recorded-device", asked.device] if asked.device else []
    modes = {"replay": made_on,
             "--cluster": ["--cluster", f"{device}:{ranks or 1}", *made_on],
             "--replicate": ["--cluster", f"{device}:8", "--replicate", *made_on],
             "with a plan": ["--cluster", f"{device}:8", "--model", asked.model]}
    print("| change | " + " | ".join(modes) + " |\n|" + "---|" * (1 + len(modes)))
    wrong = 0
    for change in asked.changes.split(","):
        answers = [ask(asked.program, [*asked.recording, *words, change]) for words in modes.values()]
        wrong += sum(bad for _, bad in answers)
        print(f"| `{change}` | " + " | ".join(text for text, _ in answers) + " |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
