#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how steady the rate of each device was while a table of products was measured.

Usage: benchmarks/table_steadiness.py TABLE.csv.gz...

Tables have the columns device, batch, m, n, k, kernel (the library's program) and latency_ms, as NeuSight's. Products that
last at least a millisecond should have nearly the same rate as products with twice the rows or twice the batch, if the same
program computes both. Prints by table and device: the number of such pairs, and the median and the 90th percentile of the
relative differences of their rates.
"""
import argparse
import csv
import gzip
import math
import pathlib
import statistics


def rates_of(path):
    """{device: {(batch, m, n, k): (FLOP/s, program)}}, without products below a millisecond."""
    found = {}
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as table:
        for row in csv.DictReader(table):
            sizes = tuple(int(row[name]) for name in ("batch", "m", "n", "k"))
            seconds = float(row["latency_ms"]) / 1e3
            if seconds >= 1e-3:
                found.setdefault(row["device"], {})[sizes] = (2 * math.prod(sizes) / seconds, row["kernel"])
    return found


def differences(rates, axis):
    """Sorted relative differences of the rates of all pairs along the axis."""
    pairs = []
    for sizes, (rate, program) in rates.items():
        twice = tuple(size * 2 if i == axis else size for i, size in enumerate(sizes))
        if twice in rates and rates[twice][1] == program:
            pairs.append(abs(math.log(rates[twice][0] / rate)))
    return sorted(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("tables", nargs="+", type=pathlib.Path)
    for path in parser.parse_args().tables:
        for device, rates in sorted(rates_of(path).items()):
            for axis, name in ((1, "rows"), (0, "batch")):
                pairs = differences(rates, axis)
                if len(pairs) >= 10:
                    print(f"{path.name}  {device:22} twice the {name:6} {len(pairs):5} pairs  median "
                          f"{100 * statistics.median(pairs):5.1f} %  90 % {100 * pairs[len(pairs) * 9 // 10]:5.1f} %")


if __name__ == "__main__":
    main()
