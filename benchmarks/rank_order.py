#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the order of the best plans by estimate with their order by simulation: Kendall's tau over the 20 best plans,
without pairs whose simulations differ by less than 0.5 %.

    rank_order.py PROGRAM
"""
import itertools
import json
import subprocess
import sys

QUESTIONS = [("llama-3-8b", "h100-sxm:16"), ("llama-3-8b", "a100-80gb:64"), ("llama-3-70b", "h100-sxm:256"),
             ("llama-3-70b", "b200:128"), ("gpt3-175b", "a100-80gb:1024"), ("mixtral-8x7b", "h100-sxm:64"),
             ("llama-2-13b", "a100-80gb:32"), ("llama-3-70b", "examples/fabrics/rail-only-64.yaml"),
             ("llama-3-8b", "examples/fabrics/torus-64.yaml")]


def count_pairs(pairs):
    """Numbers of pairs with the same and with the opposite order, of (estimate, simulation); ties are skipped."""
    agree = against = 0
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        if abs(b / d - 1) < 0.005:
            continue
        if (a < c) == (b < d):
            agree += 1
        else:
            against += 1
    return agree, against


for model, cluster in QUESTIONS:
    words = [sys.argv[1], "search", "--model", model, "--cluster", cluster, "--top", "20", "--simulated", "20", "--json"]
    found = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["result"]
    best = [(one["estimate_ns"], one["simulated_ns"]) for one in found["best"] if "estimate_ns" in one]
    agree, against = count_pairs(best)
    tau = f"{(agree - against) / (agree + against):.2f}" if agree + against else "-"
    print(f"{model:14} {cluster:40} {len(best):3} plans, {agree + against:3} pairs, tau {tau}, "
          f"largest error of an estimate {found['max_estimate_error'] * 100:+.2f} %")
