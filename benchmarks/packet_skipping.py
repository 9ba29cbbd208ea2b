#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many events of packets `packets: {skip: repeats}` leaves out, and the CPU time.

Usage: benchmarks/packet_skipping.py [--build FOLDER] [--plain]

--plain also simulates all packets (some 20 minutes), compares the steps, and fails if one differs. The plain run of a job
with many micro-batches has fewer of them, as the table says, next to a run of the same size with skipping.
"""
import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAILS = {"kind": "rail_optimized", "per_leaf": 4, "radix": 16, "port": "ib-ndr"}
WIDE_RAILS = {"kind": "rail_optimized", "per_leaf": 16, "radix": 32, "port": "ib-ndr"}
FAT_TREE = {"kind": "fat_tree", "per_leaf": 8, "radix": 16, "port": "ib-ndr"}


def gpt3_13b(batch, dp):
    return {"version": 1, "model": {"is": "gpt3-13b"}, "parallel": {"tp": 8, "pp": 2, "dp": dp},
            "batch": {"micro": 1, "global": batch, "seq": 2048}}


def mixtral(batch):
    return {"version": 1, "model": {"is": "mixtral-8x7b"}, "parallel": {"tp": 1, "pp": 4, "dp": 8, "ep": 8},
            "batch": {"micro": 1, "global": batch, "seq": 2048}}


# Name, job, hosts, network, routing, job of the plain run.
CASES = [
    ("dense, rails", gpt3_13b(128, 2), 4, RAILS, "ecmp", gpt3_13b(8, 2)),
    ("mixture of experts, rails", mixtral(256), 4, RAILS, "ecmp", mixtral(32)),
    ("dense, ECMP on a fat tree", gpt3_13b(128, 2), 4, FAT_TREE, "ecmp", gpt3_13b(8, 2)),
    ("dense, 128 GPUs, rails", gpt3_13b(128, 8), 16, WIDE_RAILS, "ecmp", None),
]


def run(program, job, hosts, network, routing, skip):
    cluster = {"version": 1, "device": "h100-sxm", "network_model": "packet",
               "fabric": {"hosts": [{"count": hosts, "devices": 8, "scale_up": "nvlink4", "nics": 8,
                                     "pcie": {"bandwidth": "64 GB/s", "latency": "250 ns"}}],
                          "network": network, "routing": routing},
               "packets": {"skip": skip}}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("job", job), ("cluster", cluster)):
            pathlib.Path(folder, name + ".json").write_text(json.dumps(content), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([program, "run", "--spec", f"{folder}/job.json", "--cluster", f"{folder}/cluster.json",
                               "--json"], cwd=ROOT, capture_output=True, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        sys.exit(f"packet_skipping: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    counts = [re.match(r"([\d,]+) of ([\d,]+) events", place) for one in answer["findings"]
              if one["code"] == "packets_skipped" for place in one["places"]]
    events = [int(group.replace(",", "")) for group in counts[0].groups()] if counts else None
    return answer["result"]["step_ns"], events, used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    program = options.build.resolve() / "apps/orrery/orrery"
    print(f"{'job':34} {'events':>16} {'simulated':>14} {'ratio':>7} {'CPU s':>7}")
    same = True
    for name, job, hosts, network, routing, small in CASES:
        _, (simulated, events), used = run(program, job, hosts, network, routing, "repeats")
        print(f"{name:34} {events:16,} {simulated:14,} {events / simulated:7.1f} {used:7.2f}", flush=True)
        if not options.plain or small is None:
            continue
        with_skipping = run(program, small, hosts, network, routing, "repeats")
        plain = run(program, small, hosts, network, routing, "off")
        same = same and with_skipping[0] == plain[0]
        print(f"  global batch {small['batch']['global']}: steps {'equal' if with_skipping[0] == plain[0] else 'DIFFER'}"
              f" ({plain[0]} ns), CPU s {with_skipping[2]:.2f} with skipping, {plain[2]:.2f} plain", flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
