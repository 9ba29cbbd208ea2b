#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows whether published step times were measured or computed from parts.

  too_even.py FILE.csv ...

For rows that differ only in the batch, the step is nearly a linear function of the number of microbatches. For each set of at
least three such rows the script computes the spread of the slopes between neighbors, relative to the largest slope. Measured
steps have the spread of repeated measurements (vTrain's two runs of one plan on 512 devices: 5e-4 of the step). Times that
are computed from the times of a layer only have rounding errors.
"""
import collections
import csv
import pathlib
import statistics
import sys

NOT_THE_JOB = {"id", "measured_s", "batch.global", "assumed", "why_not"}


def slope_spread(points):
    """Largest minus smallest slope between neighbors, relative to the largest |slope|; None with fewer than three points."""
    points = sorted(points)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(points, points[1:]) if b[0] != a[0]]
    if len(slopes) < 2:
        return None
    return (max(slopes) - min(slopes)) / max(abs(slope) for slope in slopes)


def groups_of(name):
    groups = collections.defaultdict(list)
    with open(name, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            batch = [row.get(key) for key in ("batch.global", "batch.micro", "parallel.dp")]
            if not row.get("measured_s") or not all(batch):
                continue
            microbatches = int(batch[0]) / int(batch[1]) / int(batch[2])
            # With fewer microbatches than stages the step is not linear.
            if microbatches < int(row.get("parallel.pp") or 1):
                continue
            same = tuple(value for key, value in row.items() if key not in NOT_THE_JOB)
            groups[same].append((microbatches, float(row["measured_s"])))
    return groups


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{'table':28} {'sets':>5} {'median':>9} {'maximum':>9}")
    for name in sys.argv[1:]:
        spreads = [value for value in map(slope_spread, groups_of(name).values()) if value is not None]
        figures = f"{statistics.median(spreads):9.0e} {max(spreads):9.0e}" if spreads else f"{'-':>9} {'-':>9}"
        print(f"{pathlib.Path(name).stem:28} {len(spreads):5} {figures}")


if __name__ == "__main__":
    main()
