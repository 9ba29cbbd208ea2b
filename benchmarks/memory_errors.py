#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints errors of predicted memory by counter and source.

Usage: benchmarks/memory_errors.py [--program orrery] [--rows] [TABLE.csv ...]

Default tables: data/measured/memory (measured_memory.py describes the columns). `orrery memory --json` predicts each row. The
script compares the same counter of the measured rank: "last" is a rank of the last stage, the default is the rank with the
largest peak. Prints counts, medians, 90th percentiles and signed medians by counter and table, and the skipped rows with the
reason. --rows prints every row, too.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess

COUNTERS = {"allocated": "peak_bytes", "after_step": "after_step_bytes", "reserved": "reserved_bytes", "unstated": "peak_bytes"}
NOT_KEYS = {"id", "gpu", "n", "rank", "outcome", "assumed", "why_not", *COUNTERS}
GIBIBYTE = 1 << 30


def ask(program, row):
    """The result of `orrery memory` and the role of the measured rank; or the error message, if it has no result."""
    command = [program, "memory", "--json"]
    for key, value in row.items():
        if value and key not in NOT_KEYS:
            command += ["--set", f"{key}={value}"]
    if row["gpu"]:
        command += ["--device", row["gpu"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return done.stderr.splitlines()[0] if done.stderr else f"exit code {done.returncode} without a message"
    result = json.loads(done.stdout)["result"]
    roles = [role for role in result["roles"] if role["ranks"] > 0]
    if row.get("rank") == "last":
        return result, roles[-1]
    return result, max(roles, key=lambda role: role["peak_bytes"])


def summary(name, errors):
    sizes = sorted(abs(error) for error in errors)
    return (f"{name:44} {len(errors):4}  median {statistics.median(sizes):6.1%}  "
            f"90 % {sizes[min(len(sizes) - 1, int(0.9 * len(sizes)))]:6.1%}  worst {sizes[-1]:6.1%}  signed median {statistics.median(errors):+6.1%}")


def main():
    parser = argparse.ArgumentParser(description="Prints errors of predicted memory by counter and source.")
    parser.add_argument("tables", nargs="*", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/apps/orrery/orrery")
    parser.add_argument("--rows", action="store_true", help="print every row")
    options = parser.parse_args()
    tables = options.tables or sorted(pathlib.Path("data/measured/memory").glob("*.csv"))
    groups, skipped = {}, []
    for table in tables:
        rows = list(csv.DictReader(table.open()))
        asked = [row for row in rows if not row["why_not"]]
        skipped += [(row["id"], row["why_not"]) for row in rows if row["why_not"]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda row: ask(options.program, row), asked))
        for row, answer in zip(asked, answers):
            if isinstance(answer, str):
                skipped.append((row["id"], answer))
                continue
            for counter, field in COUNTERS.items():
                if not row.get(counter):
                    continue
                measured = float(row[counter])
                predicted = answer[1].get(field, 0) / GIBIBYTE
                error = predicted / measured - 1
                groups.setdefault((counter, table.stem), []).append(error)
                groups.setdefault((counter, "all"), []).append(error)
                if options.rows:
                    print(f"{counter:10} {row['id']:110} {row['gpu']:10} {predicted:8.3f} {measured:8.3f} {error:+7.1%}")
    for (counter, table), errors in sorted(groups.items()):
        print(summary(f"{counter}, {table}", errors))
    print(f"skipped: {len(skipped)}")
    for name, why in skipped:
        print(f"  {name}: {why}")


if __name__ == "__main__":
    main()
