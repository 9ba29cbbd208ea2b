#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the model of HybridEP's times to published bandwidths, and prints the errors at rows that it does not fit.

    fit_hybridep.py

The figures are those of deepseek-ai/DeepEP, branch hybrid-ep, docs/README_Hybrid-EP.md ("kernel only", 41cad944): 4,096 tokens of
7,168 numbers to 8 of 8 x ranks experts, all equally likely; bf16. They are bytes per second of all copies of a token, one for each
rank that it reaches (NVLink) or one for each node (InfiniBand), including the own rank or node (tests/test_hybrid_ep.py; DeepEP's
README says the same of its figures). Prints the constants of src/orrery/model/collective/library/hybridep.cc; the formulas are those
of hybridep.h. Needs no packages. Lasts less than a second.
"""

TOKENS, ROW, TOP_K = 4096, 2 * 7168, 8
LATENCY = {"dispatch": 30, "combine": 30}  # us; that of DeepEP's kernels, which signal in the same way
LINKS, CARD = {"GB200": 900, "B200": 900, "H100": 450}, 50  # GB/s
# device, ranks, ranks per domain, SMs, GB/s of dispatch and combine
PUBLISHED = [
    ("GB200", 8, 8, 32, 764.03, 737.13), ("GB200", 16, 16, 32, 706.95, 666.26), ("GB200", 24, 24, 32, 665.97, 639.80),
    ("GB200", 32, 32, 32, 642.23, 605.15), ("GB200", 36, 36, 32, 632.31, 596.99),
    ("GB200", 8, 8, 16, 750.15, 684.27), ("GB200", 16, 16, 16, 661.93, 600.75), ("GB200", 24, 24, 16, 637.80, 565.53),
    ("GB200", 32, 32, 16, 629.79, 547.25), ("GB200", 36, 36, 16, 612.85, 543.27),
    ("B200", 8, 8, 16, 734.95, 673.84),
    ("H100", 16, 8, 16, 71.71, 62.95), ("H100", 32, 8, 16, 57.69, 57.46), ("H100", 64, 8, 16, 49.97, 49.77),
    ("H100", 16, 8, 8, 76.80, 68.00), ("H100", 32, 8, 8, 54.50, 56.40), ("H100", 64, 8, 8, 50.55, 51.03),
]


def reached(groups, experts):
    missed = 1.0
    for i in range(TOP_K):
        missed *= max(0.0, experts - experts / groups - i) / (experts - i)
    return groups * (1 - missed)


def published_us(row, op):
    device, ranks, domain, _, dispatch, combine = row
    groups = ranks if ranks == domain else ranks // domain
    return TOKENS * reached(groups, TOP_K * ranks) * ROW / (dispatch if op == "dispatch" else combine) / 1e3


def predicted_us(row, op, rate, scan, forward, card):
    device, ranks, domain = row[:3]
    sent = TOKENS * reached(ranks, TOP_K * ranks) * (1 - 1 / ranks) * ROW / 1e3  # bytes per us are MB/s
    if ranks == domain:
        return LATENCY[op] + TOKENS * ranks * scan + sent / (rate * LINKS[device])
    nodes = ranks // domain
    outside = TOKENS * reached(nodes, TOP_K * ranks) * (1 - 1 / nodes) * ROW / 1e3
    return LATENCY[op] + max(sent / (forward * LINKS[device]), outside / (card * CARD))


def best(loss, grids):
    """The point of a grid with the smallest loss, refined six times around it."""
    centers, widths = [sum(g) / 2 for g in grids], [(g[1] - g[0]) / 2 for g in grids]
    for _ in range(12):
        points = [[]]
        for c, w in zip(centers, widths):
            points = [p + [c + w * i / 10] for p in points for i in range(-10, 11)]
        centers = min(points, key=loss)
        widths = [w / 3 for w in widths]
    return centers


def report(name, rows, op, constants):
    errors = [predicted_us(row, op, *constants) / published_us(row, op) - 1 for row in rows]
    print(f"{op} {name}: {len(rows)} rows, largest {max(abs(e) for e in errors):.1%}, "
          f"signed {', '.join(f'{e:+.1%}' for e in errors)}")


for op in ("dispatch", "combine"):
    within = [row for row in PUBLISHED if row[0] == "GB200" and row[3] == 32]
    ends = [within[0], within[2], within[4]]  # 8, 24 and 36 ranks
    rate, scan = best(lambda p: max(abs(predicted_us(r, op, p[0], p[1], 1, 1) / published_us(r, op) - 1) for r in ends),
                      [(0.4, 1.2), (0, 0.002)])
    nodes = [row for row in PUBLISHED if row[0] == "H100" and row[3] == 16 and row[1] != 32]
    forward, card = best(lambda p: sum(abs(predicted_us(r, op, 1, 0, *p) / published_us(r, op) - 1) for r in nodes),
                         [(0.2, 1.0), (0.5, 1.0)])
    constants = (rate, scan, forward, card)
    print(f"{op}: rate {rate:.3f}, scan {scan:.3g}, forward {forward:.3f}, card {card:.3f}")
    report("fitted, GB200", ends, op, constants)
    report("fitted, H100", nodes, op, constants)
    report("not fitted, GB200, 32 SMs", [row for row in within if row not in ends], op, constants)
    report("not fitted, GB200, 16 SMs", [r for r in PUBLISHED if r[0] == "GB200" and r[3] == 16], op, constants)
    report("not fitted, B200", [row for row in PUBLISHED if row[0] == "B200"], op, constants)
    report("not fitted, H100", [r for r in PUBLISHED if r[0] == "H100" and r not in nodes], op, constants)
