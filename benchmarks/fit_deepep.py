#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits models of DeepEP's times to public runs, and prints the errors at held-out rows.

    fit_deepep.py FOLDER

FOLDER contains deepep_normal.csv.gz and deepep_low_latency.csv.gz (gpu, version, nodes, hidden, tokens,
topk, experts, [dispatch_sms, combine_sms,] dispatch_us, [dispatch_notify_us,] combine_us,
[combine_notify_us]). Prints the table of src/orrery/model/collective/library/deepep.cc; the formulas
are those of deepep.h. Cross-validation with two folds: each fit uses every second row, and predicts
the other rows. Needs no packages. Lasts half a minute.
"""

import csv
import gzip
import math
import sys

GPUS = [  # name in the tables, device of the catalog, ranks per node, SMs
    ("H100-SXM5-80GB", "h100-sxm", 8, 132),
    ("B200-SXM", "b200", 8, 148),
    ("B300-SXM6", "b300", 8, 148),
    ("GB200", "gb200", 4, 152),
    ("GB300", "gb300", 4, 152),
]
SMS = 20  # SMs of the normal kernels
VERSION = "0.5.12"
SCALE = 0.05  # errors beyond it count linearly


def reached(groups, k, experts):
    missed = 1.0
    for i in range(k):
        missed *= max(0.0, experts - experts / groups - i) / (experts - i)
    return groups * (1 - missed)


def normal(p, row):
    tokens, d, kilo = row[0], row[1], row[2]
    moved = tokens * (p[2] + d * (p[3] + kilo * p[4]))
    return p[0] + p[1] * kilo + moved


def low_latency(p, row):
    tokens, k, kilo, own, used = row[:5]
    each = (p[3] + kilo * p[4]) * 100 / used + k * kilo * p[5]
    return p[0] + p[1] * own + p[2] * kilo + tokens * each


def loss(form, p, rows):
    total = 0.0
    values = [math.exp(x) for x in p]
    for row in rows:
        z = math.log(form(values, row) / row[-1]) / SCALE
        total += math.sqrt(1 + z * z) - 1
    return total


def nelder_mead(function, start, step=0.3, rounds=900):
    """The point with the smallest value, by the simplex method of Nelder and Mead (1965)."""
    simplex = [(function(start), start)]
    for i in range(len(start)):
        corner = start[:i] + [start[i] + step] + start[i + 1:]
        simplex.append((function(corner), corner))
    for _ in range(rounds):
        simplex.sort(key=lambda c: c[0])
        if simplex[-1][0] - simplex[0][0] < 1e-9 * simplex[0][0]:
            break
        middle = [sum(c[1][i] for c in simplex[:-1]) / len(start) for i in range(len(start))]
        worst = simplex[-1]

        def at(t):
            point = [m + t * (w - m) for m, w in zip(middle, worst[1])]
            return function(point), point

        made = at(-1)
        if made[0] < simplex[0][0]:
            further = at(-2)
            made = min(made, further, key=lambda c: c[0])
        elif made[0] >= simplex[-2][0]:
            made = at(0.5)
        if made[0] < worst[0]:
            simplex[-1] = made
            continue
        best = simplex[0][1]
        simplex = [simplex[0]] + [
            (function(p), p) for p in ([(a + b) / 2 for a, b in zip(c[1], best)] for c in simplex[1:])
        ]
    return min(simplex, key=lambda c: c[0])[1]


def fit(form, start, rows):
    point = [math.log(x) for x in start]
    for step in (0.5, 0.3, 0.2):  # restarts from the last result, because simplexes get stuck
        point = nelder_mead(lambda p: loss(form, p, rows), point, step)
    return [math.exp(x) for x in point]


def quantile(values, share):
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def fitted(form, start, rows):
    """Constants fitted to all rows; measured / predicted - 1 of the rows that a fold holds out."""
    ratios = []
    for part in (0, 1):
        p = fit(form, start, rows[part::2])
        ratios += [row[-1] / form(p, row) - 1 for row in rows[1 - part::2]]
    return fit(form, start, rows), ratios


def read(path):
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def rows_of(table, gpu, op, ranks, sms):
    rows = []
    for r in table:
        usable = r["gpu"] == gpu and r["version"] == VERSION and float(r["nodes"]) == 1
        if not usable or not r[op + "_us"] or float(r[op + "_us"]) <= 0:
            continue
        k, experts = int(r["topk"]), int(r["experts"])
        kilo = int(r["hidden"]) * (1 if op == "dispatch" else 2) / 1e3  # dispatch in fp8, combine in bf16
        tokens, us = float(r["tokens"]), float(r[op + "_us"])
        if sms is None:
            if int(r[op + "_sms"]) == SMS:
                rows.append((tokens, reached(ranks, k, experts), kilo, us))
        else:
            used = experts / math.ceil(experts / sms)
            rows.append((tokens, k, kilo, experts / ranks, used, us))
    return rows


def text(p, ratios):
    band = f"{{{quantile(ratios, 0.1):.3f}, {quantile(ratios, 0.9):.3f}}}"
    return "{" + ", ".join(f"{max(x, 0):.4g}" if x > 1e-7 else "0" for x in p) + f", {band}}}"


def between(normals, quick, table):
    """Median errors by number of nodes: H100, experts of one model, constants of deepep.h."""
    for op, item, forward in (("dispatch", 1, 243e3), ("combine", 2, 208e3)):
        p = normals["h100-sxm", op]
        for nodes in (2, 4, 8):
            errors = []
            share = 0.44 if nodes == 8 else 0.93
            for r in table:
                if float(r["nodes"]) != nodes or int(r[op + "_sms"]) != SMS:
                    continue
                ranks, k, experts = 8 * nodes, int(r["topk"]), int(r["experts"])
                kilo, tokens = int(r["hidden"]) * item / 1e3, float(r["tokens"])
                d = reached(ranks, k, experts)
                rows = [normal(p, (tokens, d, kilo)) - p[0] - p[1] * kilo,
                        tokens * d * kilo * 1e3 / forward,
                        tokens * reached(nodes, k, experts) * (1 - 1 / nodes) * kilo / share / 50]
                us = p[0] + p[1] * kilo + 31 * math.log2(nodes) + max(rows)
                errors.append(us / (float(r[op + "_us"]) + float(r[op + "_notify_us"])) - 1)
            print(f"normal {op} {nodes} nodes: median {quantile([abs(e) for e in errors], .5):.1%}, "
                  f"signed {quantile(errors, .5):+.1%}")
    for op, item in (("dispatch", 1), ("combine", 2)):
        p = quick["h100-sxm", op]
        for nodes in (2, 4, 8):
            errors = []
            for r in read_low:
                if float(r["nodes"]) != nodes:
                    continue
                k, experts = int(r["topk"]), int(r["experts"])
                kilo, tokens = int(r["hidden"]) * item / 1e3, float(r["tokens"])
                used = experts / math.ceil(experts / 132)
                each = tokens * ((p[3] + kilo * p[4]) * 100 / used + k * kilo * p[5])
                cards = tokens * k * (1 - 1 / nodes) * kilo / 0.94 / 50
                us = (p[0] + p[1] * experts / (8 * nodes) + p[2] * kilo + 8 * math.log2(nodes) +
                      max(each, cards))
                errors.append(us / float(r[op + "_us"]) - 1)
            print(f"low latency {op} {nodes} nodes: median "
                  f"{quantile([abs(e) for e in errors], .5):.1%}, signed {quantile(errors, .5):+.1%}")


if len(sys.argv) != 2:
    sys.exit(__doc__)
read_normal = read(sys.argv[1] + "/deepep_normal.csv.gz")
read_low = read(sys.argv[1] + "/deepep_low_latency.csv.gz")
table, normals, lows = [], {}, {}
for gpu, device, ranks, sms in GPUS:
    parts = []
    for op in ("dispatch", "combine"):
        start = [25, 0.5, 0.02, 0.003, 0.002]
        rows = rows_of(read_normal, gpu, op, ranks, None)
        p, ratios = fitted(normal, start, rows)
        normals[device, op] = p
        errors = [abs(1 / (1 + r) - 1) for r in ratios]
        print(f"{device} {op}: {len(rows)} rows, median {quantile(errors, .5):.1%}, 90 % {quantile(errors, .9):.1%}")
        parts.append(text(p, ratios))
    low = []
    for op in ("dispatch", "combine"):
        rows = rows_of(read_low, gpu, op, ranks, sms)
        p, ratios = fitted(low_latency, [10, 0.1, 0.1, 0.01, 0.001, 0.002], rows)
        lows[device, op] = p
        errors = [abs(1 / (1 + r) - 1) for r in ratios]
        print(f"{device} {op} low latency: {len(rows)} rows, median {quantile(errors, .5):.1%}, 90 % {quantile(errors, .9):.1%}")
        low.append(text(p, ratios))
    table.append(f'    {{"{device}", {ranks}, {sms},\n     {{{{{parts[0]},\n       {parts[1]}}}}},\n'
                 f"     {{{{{low[0]},\n       {low[1]}}}}}}},")
between(normals, lows, read_normal)
print("\n".join(table))
