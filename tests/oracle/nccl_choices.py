#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Independent implementation of NCCL's cost model: tests/oracle/nccl_choices.py CONSTANTS.json >nccl_choices.tsv

CONSTANTS.json contains the tables of NVIDIA/nccl 2.30.7's src/graph/tuning.cc by name. The script uses no code of Orrery. It
prints one line per machine, shape and collective: for each size the chosen algorithm and protocol, and its predicted time in
us.
"""
import json
import math
import sys

MACHINES = [  # generation, ring inside (channels, GB/s), NVLS inside, GB/s of a NIC; as in a DGX of that generation
    ("volta", (6, 20), None, 10), ("ampere", (12, 20), None, 24), ("hopper", (12, 30), (16, 20), 45),
    ("blackwell", (12, 60), (16, 45), 48)]
USABLE = {"hopper": 370.8, "blackwell": 721.8}  # GB/s of NVLink that NCCL assumes
SHAPES = [(2, 1), (4, 1), (8, 1), (72, 1), (2, 2), (16, 2), (32, 4), (64, 8), (1024, 128), (64, 64)]
KINDS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast"]
VARIANTS = ["-", "amd_host", "pcie", "collnet"]  # variants of a machine, each with some of the shapes
OF_VARIANTS = [(4, 1), (8, 1), (2, 2), (16, 2), (64, 8), (1024, 128)]
SIZES = [512, 8192, 65536, 262144, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 32]
NAMES = {"Tree": "tree", "Ring": "ring", "CollnetDirect": "collnet_direct", "CollnetChain": "collnet_chain",
         "NVLS": "nvls", "NVLSTree": "nvls_tree", "PAT": "pat"}


def least(k, kind, size, ranks, nodes, generation, ring, nvls, variant):
    row, column, per_node = k["rows"].index(generation), min(nodes, 3) - 1, ranks // nodes
    best = None
    for algorithm in NAMES:
        for place, protocol in enumerate(["LL", "LL128", "SIMPLE"]):
            if algorithm not in ("Tree", "Ring") and protocol != "SIMPLE":
                continue
            if kind == "broadcast" and algorithm != "Ring":
                continue
            if kind == "all_reduce" and algorithm == "PAT":
                continue
            if kind != "all_reduce" and algorithm in ("Tree", "NVLSTree", "CollnetChain"):
                continue
            if algorithm.startswith("Collnet") and (variant != "collnet" or nodes == 1):
                continue
            if algorithm == "PAT" and (nodes == 1 or per_node > 1):
                continue
            if algorithm == "NVLS" and (nvls is None or per_node < 3 or (nodes > 1 and variant != "collnet")):
                continue
            if algorithm == "NVLSTree" and (nvls is None or nodes == 1 or per_node == 1):
                continue
            time = cost(k, kind, size, ranks, nodes, per_node, row, column, algorithm, place, protocol,
                        nvls if algorithm.startswith("NVLS") else ring, variant)
            if best is None or time < best[0]:
                best = (time, NAMES[algorithm], protocol.lower())
    return best


def cost(k, kind, size, ranks, nodes, per_node, row, column, algorithm, place, protocol, channels, variant):
    count, inside, between = channels
    reduces, halves = kind == "all_reduce", kind in ("all_gather", "reduce_scatter")
    steps = 2 * (ranks - 1) if reduces else ranks - 1 if halves else ranks
    amd = variant == "amd_host"
    low_latency = k["ll_max_bw_GBps"][row if nodes == 1 else 1 if amd else 0][column]
    each = inside if nodes <= 2 or algorithm.startswith("Collnet") else between
    if algorithm.startswith("NVLS"):
        each = inside * k["nvls_efficiency"][row] * (count - 1) / count * (2 if reduces else (per_node - 1) / per_node)
        if nodes > 1:
            each = min(each, between * (2 if algorithm == "NVLSTree" and nodes <= 2 else 1))
        if algorithm == "NVLSTree":
            each = min(each, k["per_channel_max_nvlstree"][row][column])
    bus = count * each
    if algorithm == "Ring" and protocol == "LL":
        bus = min(low_latency, bus / 2)
    if algorithm == "Ring" and protocol == "LL128":
        bus = min(0.92 * bus, count * k["per_channel_max_ring_ll128"][row][column])
    if algorithm == "Tree":
        bus = min(0.92 * bus, count * k["per_channel_max_tree"][row][column])
        if protocol == "LL":
            bus = min(bus / 3.8, low_latency)
        if protocol == "LL128":
            bus = min(bus * (7 / 9 if nodes == 1 else 120 / 128), count * k["per_channel_max_tree_ll128"][row][column])
    if algorithm == "PAT":
        bus *= 0.75
    if algorithm == "CollnetDirect":  # here every GPU has its own NIC
        bus = per_node * min(inside, 0.9 * between) if halves else bus * (0.85 if row >= 2 else 1)
    if algorithm == "Ring" or not halves:
        bus *= ranks / steps if algorithm in ("Ring", "NVLS", "NVLSTree") else 0.5
    near = k["hw_latency_us"]["PCI" if variant == "pcie" else "NVLINK"][algorithm][place]
    far = k["hw_latency_us"]["NET"]["Tree" if per_node == 1 else algorithm][place]
    wait, levels = k["base_latency_us"][algorithm][place], int(math.log2(nodes))
    if algorithm == "Ring":
        if kind == "broadcast":
            wait += near if nodes == 1 else far
        else:
            host = 0 if nodes == 1 else k["net_overhead_us"]["amd_x86" if amd else "intel_x86"] * (3 if protocol == "SIMPLE" else 1)
            crossing = 0 if nodes == 1 else (2 if reduces else 1) * (nodes - 1)
            wait += (steps - crossing) * max(near, host) + crossing * far
    elif algorithm == "Tree":
        wait += 2 * ((per_node - 1) * near + levels * far)
    elif algorithm == "CollnetDirect":
        wait += 2 * (min(1, per_node - 1) * near + (per_node - 1) * 0.4) + far
    elif algorithm == "CollnetChain":
        wait += 2 * (per_node - 1) * near + far
    elif algorithm == "NVLS":
        wait = near + (far if nodes > 1 else 0)
    elif algorithm == "NVLSTree":
        wait += near + 2 * levels * far
    else:
        wait += levels * far / 3.5 + 2.8 * ranks
    if algorithm == "Tree":
        octave = int(math.log2(size >> 6))
        if octave < 24:
            bus *= k["tree_correction_factor"][protocol][octave]
    if algorithm == "Ring" and protocol == "SIMPLE" and nodes > 1 and reduces and size / (count * ranks) >= 64:
        wait *= 1.9 if row == 0 else 1.4
    return wait + size / (1000 * bus)


def main():
    with open(sys.argv[1]) as file:
        constants = json.load(file)
    constants["rows"] = ["volta", "ampere", "hopper", "blackwell"]
    for (generation, ring, heads, card), variant in ((one, other) for one in MACHINES for other in VARIANTS):
        if variant == "pcie":
            ring, heads = (1, 12), None
        for ranks, nodes in SHAPES if variant == "-" else OF_VARIANTS:
            cards = min(ranks // nodes, 24)
            if nodes == 1:
                rings, nvls = (*ring, ring[1]), heads and (*heads, heads[1])
            else:
                rings = (cards, card, card)
                nvls = (cards, USABLE[generation] / cards, card) if heads and cards > 1 else None
            for kind in KINDS:
                words = [generation, variant, str(ranks), str(nodes), kind, ":".join(map(repr, rings)),
                         ":".join(map(repr, nvls)) if nvls else "-"]
                for size in SIZES:
                    time, algorithm, protocol = least(constants, kind, size, ranks, nodes, generation, rings, nvls,
                                                      variant)
                    words.append(f"{size}:{algorithm}:{protocol}:{time:.4f}")
                print("\t".join(words))


if __name__ == "__main__":
    main()
