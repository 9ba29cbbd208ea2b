#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether published step times were measured, or put together from parts.

  too_even.py FILE.csv ...

Of rows that differ in the batch alone a step is a line of the number of microbatches, nearly. Of each set of three and more such rows
this prints how far the slopes between neighbours are apart, in parts of the slope: measured steps differ by what repeated ones differ
(vTrain's two runs of one plan on 512 devices: 5e-4 of the step), times that were computed from a layer's by as much as numbers are rounded.
"""
import collections
import csv
import pathlib
import statistics
import sys

NOT_THE_JOB = {"id", "measured_s", "batch.global", "assumed", "why_not"}


def uneven(points):
    """The largest difference between slopes of neighbours, in parts of the steepest; None with fewer than three points."""
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
            # While a pipeline fills no step is a line.
            if microbatches < int(row.get("parallel.pp") or 1):
                continue
            same = tuple(value for key, value in row.items() if key not in NOT_THE_JOB)
            groups[same].append((microbatches, float(row["measured_s"])))
    return groups


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{'table':28} {'sets':>5} {'median':>9} {'most':>9}")
    for name in sys.argv[1:]:
        apart = [value for value in map(uneven, groups_of(name).values()) if value is not None]
        told = f"{statistics.median(apart):9.0e} {max(apart):9.0e}" if apart else f"{'-':>9} {'-':>9}"
        print(f"{pathlib.Path(name).stem:28} {len(apart):5} {told}")


if __name__ == "__main__":
    main()
