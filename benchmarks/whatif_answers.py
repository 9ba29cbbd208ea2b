#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which recordings answer what: every change of every recording, in every way.

  whatif_answers.py ORRERY DEVICE[:RANKS] MODEL RECORDING ... [--changes CHANGE,CHANGE] [--device NAME]

Asks `orrery whatif` each change of a recording: played again, on a cluster of the device (as many as the recording has
ranks), on eight of it with --replicate, and with a plan of the model beside it on eight. Prints what came of it: answered; answered,
and said that it changes nothing; or which options the error names. Ends with 1 where a change was left out in silence, an
error names no option, the program crashed, or took longer than ten minutes.
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
    """What came of it, and whether it is wrong."""
    try:
        done = subprocess.run([program, "whatif", *words, "--json", "-q"], capture_output=True, timeout=SECONDS, text=True)
    except subprocess.TimeoutExpired:
        return "no end", True
    if done.returncode < 0:
        return f"signal {-done.returncode}", True
    if done.returncode > 0:
        options = re.findall(r"--[a-z][a-z-]+|rule [a-z0-9-]+", done.stderr.replace("--change", ""))
        return "says " + ", ".join(dict.fromkeys(options)), not options
    told = json.loads(done.stdout)
    result = told["result"]
    said = any(finding["code"] == "key_without_effect" for finding in told["findings"])
    if said:
        return "yes, and says that it changes nothing", False
    same = all(result.get("base" + key) == result.get("changed" + key) for key in ("_step_ns", "_time_by_basis", "_memory_bytes"))
    return ("nothing, in silence", True) if same else ("yes", False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("cluster", help="DEVICE[:RANKS]")
    parser.add_argument("model")
    parser.add_argument("recording", nargs="+")
    parser.add_argument("--changes", default=",".join(CHANGES))
    parser.add_argument("--device", help="what the recording was made on, where it does not say so")
    asked = parser.parse_args()
    device, _, ranks = asked.cluster.partition(":")
    made_on = ["--device", asked.device] if asked.device else []
    ways = {"played again": made_on,
            "--cluster": ["--cluster", f"{device}:{ranks or 1}", *made_on],
            "--replicate": ["--cluster", f"{device}:8", "--replicate", *made_on],
            "with a plan": ["--cluster", f"{device}:8", "--model", asked.model]}
    print("| change | " + " | ".join(ways) + " |\n|" + "---|" * (1 + len(ways)))
    wrong = 0
    for change in asked.changes.split(","):
        answers = [ask(asked.program, [*asked.recording, *words, change]) for words in ways.values()]
        wrong += sum(bad for _, bad in answers)
        print(f"| `{change}` | " + " | ".join(text for text, _ in answers) + " |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
