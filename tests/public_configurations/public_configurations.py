#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads public configurations and launch scripts with `orrery job count`, and compares with what their authors publish.

  public_configurations.py ORRERY FOLDER [--update] [-v]

configurations.csv lists the files by repository, path and commit. Their texts are not part of this project: FOLDER holds
clones of the repositories as OWNER/REPOSITORY. `expected` is the number of parameters in 10^9, `refuse:WORD` if the
error must contain WORD, or `plan:MODEL` if the file has no model by itself: it is read after a model of the catalog.
`origin` says how the number is known. Each file is one of

  equal     read, with the expected number of parameters (0.2 %)
  refused   with the expected word, and exit code 2, 3 or 4 of `orrery help exit-codes`
  wrong     everything else
  missing   not in FOLDER

Prints the counts by repository and each wrong file. Exit code 1 if a file is wrong or all are missing. --update writes
`result` of the files that are there.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys

LIST = pathlib.Path(__file__).resolve().parent / "configurations.csv"
TOLERANCE = 0.002
INPUT_ERRORS = {2, 3, 4}
LIMIT_S = 60


def outcome(program, folder, row):
    """("equal" or "refused" or "wrong" or "missing", what was found)."""
    file = folder / row["repository"] / row["path"]
    if not file.is_file():
        return "missing", ""
    kind, _, word = row["expected"].partition(":")
    command = [program, "job", "count", "--json", "-q"]
    if kind == "plan":
        command += ["--model", word]
    command += ["--spec", file.name]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    error = " ".join(done.stderr.split())
    if kind == "refuse":
        fine = done.returncode in INPUT_ERRORS and word.lower() in error.lower()
        return ("refused" if fine else "wrong"), error or f"read, exit code {done.returncode}"
    if done.returncode != 0:
        return "wrong", f"exit code {done.returncode}: {error}"
    if kind == "plan":
        return "equal", ""
    found = json.loads(done.stdout)["result"]["parameters"] / 1e9
    fine = abs(found / float(row["expected"]) - 1) <= TOLERANCE
    return ("equal" if fine else "wrong"), f"{found:.6g}e9 parameters"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every file")
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    with LIST.open(newline="") as file:
        rows = list(csv.DictReader(file))
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        result, found = outcome(program, asked.folder, row)
        counts[row["repository"]][result] += 1
        if result != "missing":
            row["result"] = result
        if result == "wrong" or asked.verbose:
            print(f"{result:8} {row['repository']} {row['path']}: expected {row['expected']}; {found}")
    total = sum(counts.values(), collections.Counter())
    for name, count in [*sorted(counts.items()), ("all", total)]:
        print(f"{name:48} " + ", ".join(f"{count[k]} {k}" for k in ("equal", "refused", "wrong", "missing") if count[k]))
    if asked.update:
        with LIST.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return 1 if total["wrong"] or total["missing"] == len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
