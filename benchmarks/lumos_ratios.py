#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lumos' scaled configurations of GPT-3 15B (Liang et al., MLSys 2025, arXiv 2504.09307, figure 7) as ratios to its 2x2x8.

  lumos_ratios.py ORRERY FILE.csv [OPTION ...]

FILE.csv has the measured steps (data/measured/core/lumos_figures.csv). Batch and microbatches are not stated; for all are
taken TP x PP microbatches of one sequence each, as its figure 4 has it, and Megatron with a distributed optimizer, as NeMo
runs MLPerf's GPT-3. Options go to `orrery run` (for one, `--set parallel.sharding=none`). Prints each step, its ratio as
measured and as predicted, how far that is off, and how far it would be with the same sequences four at once.
"""
import csv
import json
import statistics
import subprocess
import sys

JOB = ["--model", "gpt3-175b", "--set", "model.layers=48", "--set", "model.hidden=6144", "--set", "model.ffn=12288",
       "--set", "model.heads=48", "--set", "model.kv_heads=48", "--set", "model.head_dim=128", "--sp", "--seq", "2048",
       "--set", "kernels.framework=megatron", "--set", "parallel.sharding=zero1"]
BASE = "2x2x8"


def predicted(orrery, plan, micro, options):
    """The step of the plan in seconds, so many sequences in a microbatch."""
    tp, pp, dp = (int(degree) for degree in plan.split("x"))
    command = [orrery, "run", *JOB, "--tp", str(tp), "--pp", str(pp), "--dp", str(dp), "--micro-batch", str(micro),
               "--global-batch", str(tp * pp * dp), "--cluster", f"h100-sxm:{tp * pp * dp}", *options, "--json", "-q"]
    told = subprocess.run(command, check=True, capture_output=True)
    return json.loads(told.stdout)["result"]["step_ns"] / 1e9


def main():
    orrery, file, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(file, encoding="utf-8") as rows:
        measured = {row["id"].rsplit("-", 1)[1]: float(row["measured_s"])
                    for row in csv.DictReader(rows) if row["model_name"] == "GPT-3 15B"}
    base = predicted(orrery, BASE, 1, options)
    print(f"{'plan':8} {'measured':>10} {'predicted':>10} {'ratio':>7} {'told':>7} {'off':>8} {'four at once':>13}")
    offs = []
    for plan, step in measured.items():
        one, four = (predicted(orrery, plan, micro, options) for micro in (1, 4))
        ratio = step / measured[BASE]
        off, other = (told / base / ratio - 1 for told in (one, four))
        if plan != BASE:
            offs.append(abs(off))
        print(f"{plan:8} {1000 * step:7.0f} ms {1000 * one:7.0f} ms {ratio:7.3f} {one / base:7.3f} {100 * off:+7.1f}% "
              f"{100 * other:+12.1f}%")
    print(f"mean {100 * statistics.mean(offs):.1f} %, median {100 * statistics.median(offs):.1f} %")


if __name__ == "__main__":
    main()
