#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether plans that are estimated best come in the order in which a simulation has them: Kendall's tau over the 20
best, pairs nearer to each other than 0.5 % left out.

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


def tau(pairs):
    """Of (estimate, simulation): agreeing pairs less the others, over all whose simulations are not tied."""
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
    words = [sys.argv[1], "search", "--model", model, "--cluster", cluster, "--best", "20", "--simulated", "20", "--json"]
    found = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["result"]
    best = [(one["estimate_ns"], one["simulated_ns"]) for one in found["best"] if "estimate_ns" in one]
    agree, against = tau(best)
    told = f"{(agree - against) / (agree + against):.2f}" if agree + against else "-"
    print(f"{model:14} {cluster:40} {len(best):3} plans, {agree + against:3} pairs, tau {told}, "
          f"off {found['worst_estimate_off'] * 100:+.2f} % at most")
