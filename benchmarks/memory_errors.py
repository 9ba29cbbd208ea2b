#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far predicted memory is from what was measured, counter by counter.

Usage: benchmarks/memory_errors.py [--program orrery] [--rows] [TABLE.csv ...]

Tables are those of data/measured/memory (measured_memory.py says what is in them). Each row is asked of orrery memory --json; of the rank that the source looked at ("last": of the last
stage; else the fullest) the same counter is taken. Prints counts, medians, 90th percentiles and signed medians by table and counter, with --rows every row, and the rows that cannot be
asked.
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
    """What orrery says of the rank that was looked at, or a text: why it says nothing."""
    command = [program, "memory", "--json"]
    for key, value in row.items():
        if value and key not in NOT_KEYS:
            command += ["--set", f"{key}={value}"]
    if row["gpu"]:
        command += ["--device", row["gpu"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return done.stderr.splitlines()[0] if done.stderr else "failed"
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
    parser = argparse.ArgumentParser(description="How far predicted memory is from what was measured.")
    parser.add_argument("tables", nargs="*", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/apps/orrery/orrery")
    parser.add_argument("--rows", action="store_true", help="every row")
    options = parser.parse_args()
    tables = options.tables or sorted(pathlib.Path("data/measured/memory").glob("*.csv"))
    groups, left_out = {}, []
    for table in tables:
        rows = list(csv.DictReader(table.open()))
        asked = [row for row in rows if not row["why_not"]]
        left_out += [(row["id"], row["why_not"]) for row in rows if row["why_not"]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda row: ask(options.program, row), asked))
        for row, answer in zip(asked, answers):
            if isinstance(answer, str):
                left_out.append((row["id"], answer))
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
    print(f"not asked: {len(left_out)}")
    for name, why in left_out:
        print(f"  {name}: {why}")


if __name__ == "__main__":
    main()
