#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares predicted and measured ratios of Lumos' scaled configurations of GPT-3 15B to its configuration 2x2x8
(Liang et al., MLSys 2025, arXiv 2504.09307, figure 7).

  lumos_ratios.py ORRERY FILE.csv [OPTION ...]

FILE.csv contains the measured steps (data/measured/core/lumos_figures.csv). The paper does not state batch and microbatches.
All configurations are assumed to have TP x PP microbatches of one sequence each, as in its figure 4, and Megatron with a
distributed optimizer, as NeMo runs MLPerf's GPT-3. OPTION is passed to `orrery run` (example: `--set
parallel.sharding=none`). Prints for each configuration: measured and predicted step, measured and predicted ratio, the error
of the predicted ratio, and its error with four sequences per microbatch.
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
    """The predicted step of the plan in seconds, with `micro` sequences per microbatch."""
    tp, pp, dp = (int(degree) for degree in plan.split("x"))
    command = [orrery, "run", *JOB, "--tp", str(tp), "--pp", str(pp), "--dp", str(dp), "--micro-batch", str(micro),
               "--global-batch", str(tp * pp * dp), "--cluster", f"h100-sxm:{tp * pp * dp}", *options, "--json", "-q"]
    done = subprocess.run(command, check=True, capture_output=True)
    return json.loads(done.stdout)["result"]["step_ns"] / 1e9


def main():
    orrery, file, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(file, encoding="utf-8") as rows:
        measured = {row["id"].rsplit("-", 1)[1]: float(row["measured_s"])
                    for row in csv.DictReader(rows) if row["model_name"] == "GPT-3 15B"}
    base = predicted(orrery, BASE, 1, options)
    print(f"{'plan':8} {'measured':>10} {'predicted':>10} {'meas. ratio':>11} {'pred. ratio':>11} {'error':>8} {'four at once':>13}")
    errors = []
    for plan, step in measured.items():
        one, four = (predicted(orrery, plan, micro, options) for micro in (1, 4))
        ratio = step / measured[BASE]
        error, other = (step_s / base / ratio - 1 for step_s in (one, four))
        if plan != BASE:
            errors.append(abs(error))
        print(f"{plan:8} {1000 * step:7.0f} ms {1000 * one:7.0f} ms {ratio:11.3f} {one / base:11.3f} {100 * error:+7.1f}% "
              f"{100 * other:+12.1f}%")
    print(f"mean error {100 * statistics.mean(errors):.1f} %, median error {100 * statistics.median(errors):.1f} %")


if __name__ == "__main__":
    main()
