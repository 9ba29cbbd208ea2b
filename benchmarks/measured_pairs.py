#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints errors of predicted changes: pairs of measured steps that differ in one thing.

  measured_pairs.py ORRERY FILE.csv ... [--without ID,ID] [--by COLUMN,COLUMN]
  measured_pairs.py --again FILE.csv ...

Predicts every step of the files (`orrery accuracy`). Selects all pairs of one file that differ only in one of: tensor,
pipeline, context or expert parallel degree, microbatch, sequence, recomputation, number of devices, precision, model. dp may
differ too; with devices and sequences also the batch. Prints the error of the predicted ratio of the two steps, compared with
the measured ratio. --without: exclude steps; --by: also group by the values in these columns (`--by model_name,gpu`).

--again predicts nothing. It uses pairs of which both steps were measured more than once. Files with the same name belong
together, and their rows are in the order of releases. It prints the difference between the ratio of a pair and the ratio of
the same pair measured again. Errors of predicted ratios cannot be expected to be smaller than that.
"""
import argparse
import collections
import csv
import itertools
import json
import pathlib
import statistics
import subprocess

EDITS = {
    "tp": {"parallel.tp", "parallel.sp"},
    "pp": {"parallel.pp", "schedule.chunks", "schedule.kind", "schedule.stage_layers"},
    "cp": {"parallel.cp"},
    "ep": {"parallel.ep"},
    "microbatch": {"batch.micro"},
    "sequence": {"batch.seq", "model.max_positions"},
    "recompute": {"recompute.kind", "recompute.layers", "recompute.method"},
    "devices": {"n"},
    "precision": {"prec", "precision.weights", "precision.activations", "precision.scaling", "precision.reduce",
                  "precision.gradients"},
    "model": {"model_name", "model.layers", "model.hidden", "model.ffn", "model.heads", "model.kv_heads", "model.vocab"},
}
FOLLOWS = {"id", "measured_s", "parallel.dp", "assumed", "why_not"}
MAY_FOLLOW = {"devices": {"batch.global"}, "sequence": {"batch.global"}}


def edit_between(a, b):
    """The one thing in which two rows differ, or None."""
    differ = {key for key in set(a) | set(b) if a.get(key) != b.get(key)} - FOLLOWS
    for name, keys in EDITS.items():
        core = differ - MAY_FOLLOW.get(name, set())
        if core and core <= keys:
            return name
    return None


def rows_of(name, keep):
    """Rows of a table, without their empty cells."""
    with open(name, encoding="utf-8") as file:
        return [row for row in ({k: v for k, v in row.items() if v} for row in csv.DictReader(file)) if keep(row)]


def measured_again(files):
    """(edit, source, relative difference of the ratios) of pairs that were measured again."""
    tables = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in files:
        for row in rows_of(name, lambda row: "measured_s" in row and "why_not" not in row):
            same = frozenset((k, v) for k, v in row.items() if k not in FOLLOWS)
            tables[pathlib.Path(name).stem][same].append((row["id"], float(row["measured_s"])))
    for source, steps in tables.items():
        repeated = [(dict(key), [s for _, s in sorted(times)]) for key, times in steps.items() if len(times) > 1]
        for (a, first), (b, second) in itertools.combinations(repeated, 2):
            edit = edit_between(a, b)
            if edit is None or len(first) != len(second):
                continue
            ratios = [y / x for x, y in zip(first, second)]
            yield from ((edit, source, other / one - 1) for one, other in itertools.combinations(ratios, 2))


def print_errors(pairs):
    groups = collections.defaultdict(list)
    for edit, source, error in pairs:
        groups[edit, source].append(error)
        if ":" not in edit:
            groups[edit, "all"].append(error)
            groups["all", "all"].append(error)
    print(f"{'differ in':12} {'source':28} {'pairs':>5} {'mean |error|':>12} {'median':>8} {'signed':>8}")
    for (edit, source), errors in sorted(groups.items(), key=lambda group: (group[0][0] == "all", group[0])):
        sizes = [abs(error) for error in errors]
        print(f"{edit:12} {source:28} {len(errors):5} {100 * statistics.mean(sizes):11.1f}% "
              f"{100 * statistics.median(sizes):7.1f}% {100 * statistics.median(errors):+7.1f}%")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("orrery", help="the program; with --again: a file")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--without", type=lambda ids: set(ids.split(",")), default=set())
    parser.add_argument("--by", type=lambda columns: columns.split(","), default=[])
    options = parser.parse_args()
    orrery, files = options.orrery, options.files
    if options.again:
        print_errors(measured_again([orrery, *files]))
        return
    answer = json.loads(subprocess.run([orrery, "accuracy", *files, "--json", "-q"], check=True, capture_output=True).stdout)
    predicted = {p["id"]: p["predicted_s"] for p in answer["result"]["predictions"]
                 if "predicted_s" in p and p["id"] not in options.without}
    pairs = []
    for name in files:
        rows = rows_of(name, lambda row: row["id"] in predicted)
        for a, b in itertools.combinations(rows, 2):
            edit = edit_between(a, b)
            if edit is None:
                continue
            measured = float(b["measured_s"]) / float(a["measured_s"])
            error = predicted[b["id"]] / predicted[a["id"]] / measured - 1
            pairs.append((edit, pathlib.Path(name).stem, error))
            if options.by:
                pairs.append((f"{edit}: " + " ".join(a.get(column, "-") for column in options.by), pathlib.Path(name).stem, error))
    print_errors(pairs)


if __name__ == "__main__":
    main()
