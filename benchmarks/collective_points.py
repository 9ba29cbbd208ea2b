#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts measured collectives into the input of collective_curves: one curve per line, tab-separated.

    benchmarks/collective_points.py FOLDER >points.tsv

FOLDER contains nccl_intranode_aiconfigurator.csv.gz, nccl_more.csv.gz and collectives_pipeweave.csv.gz (ai-dynamo/
aiconfigurator and zksainx/pipeweave, both Apache-2.0) in kernels/ and nccl_measured.json (nccl-tests output of several
sources, each named) in validation/. For each device only curves of its latest library are used. All curves are in half
precision and out of place.
"""
import csv
import gzip
import json
import sys

LINKS = {  # GB/s of one GPU inside a node and between nodes: data sheets of the measured machines
    "v100-sxm2": (150, 0), "a100-80gb": (300, 25), "h100-sxm": (450, 50), "h20": (450, 0), "h800": (200, 0),
    "b200": (900, 50), "b300": (900, 0), "gb200": (900, 0), "gb300": (900, 0), "rtx-pro-6000-server": (64, 0),
    "a100-40gb": (300, 25), "h200-sxm": (450, 0)}
DEVICES = {
    "A100-SXM4-80GB": "a100-80gb", "H100-SXM5": "h100-sxm", "B200": "b200", "B300-SXM6": "b300", "GB200": "gb200",
    "GB300": "gb300", "RTX PRO 6000 Blackwell Server": "rtx-pro-6000-server", "H20": "h20", "H800": "h800"}
TYPES = {"alltoall": "all_to_all"}
SETS = {  # of nccl_measured.json: device, library
    "echo-azure-A100": ("a100-80gb", "nccl, Azure ND A100 v4"), "ncclissue-H100": ("h100-sxm", "nccl, 8 x 400 Gb/s"),
    "vtrain-v100": ("v100-sxm2", "nccl, vTrain")}
OTHERS = {  # third-party measurements on the same kinds of machines: never fitted, only compared
    "echo-azure-A100-all_reduce-2g": "a100-40gb", "echo-azure-A100-all_reduce-4g": "a100-40gb",
    "echo-azure-A100-all_reduce-8g": "a100-40gb", "vtrain-a100": "a100-80gb", "dgxc-H100": "h100-sxm",
    "aws-p5-H100": "h100-sxm", "dgx-H100": "h100-sxm", "stas-H200": "h200-sxm", "stas-B200": "b200",
    "vidur-h100_dgx-all_reduce": "h100-sxm", "vidur-a100_dgx-all_reduce-2w-2pn": "a100-80gb",
    "vidur-a100_dgx-all_reduce-4w-4pn": "a100-80gb", "vidur-a100_dgx-all_reduce-8w-8pn": "a100-80gb"}


def tables(folder):
    latest, curves = {}, {}
    for name in ("nccl_intranode_aiconfigurator", "nccl_more"):
        with gzip.open(f"{folder}/kernels/{name}.csv.gz", "rt") as file:
            for row in csv.DictReader(file):
                device = DEVICES.get(row["gpu"])
                if device is None or row["dtype"] != "half":
                    continue
                version = row.get("nccl") or row["version"]
                order = tuple(int(part) for part in version.split("."))
                latest[device] = max(latest.get(device, ()), order)
                key = (device, order, "nccl " + version, row["collective"], 1, int(row["gpus"]))
                curves.setdefault(key, []).append((int(row["bytes"]), float(row["latency_us"])))
    for (device, order, library, kind, nodes, ranks), points in curves.items():
        if order == latest[device]:
            yield device, library, kind, nodes, ranks, points, "ai-dynamo/aiconfigurator, nccl-tests (Apache-2.0)"


def pipeweave(folder):
    curves = {}
    with gzip.open(f"{folder}/kernels/collectives_pipeweave.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["collective"] == "all_reduce" and row["gpu"] in ("H20", "H800"):
                key = (DEVICES[row["gpu"]], int(row["gpus"]))
                curves.setdefault(key, []).append((int(row["bytes"]), float(row["min_us"])))
    for (device, ranks), points in curves.items():
        yield (device, "nccl, pipeweave", "all_reduce", 1, ranks, points[::8] + points[-1:],
               "zksainx/pipeweave, least of 3 runs (Apache-2.0)")


def sets(folder):
    with open(f"{folder}/validation/nccl_measured.json") as file:
        for one in json.load(file)["sets"]:
            for begin, (device, library) in SETS.items():
                if not one["id"].startswith(begin):
                    continue
                if device == "a100-80gb" and one["nodes"] == 1:
                    continue  # the tables in kernels/ are of a newer library
                points = [(row[0], row[1]) for row in one["rows"] if row[1] > 0]
                yield device, library, one["collective"], one["nodes"], one["gpus"], points, one["source"]


def others(folder):
    with open(f"{folder}/validation/nccl_measured.json") as file:
        for one in json.load(file)["sets"]:
            for begin, device in OTHERS.items():
                if one["id"].startswith(begin):
                    points = [(row[0], row[1]) for row in one["rows"] if row[1] > 0]
                    yield device, one["id"], one["collective"], one["nodes"], one["gpus"], points, one["source"]


def steady(points):
    """Unique sizes in ascending order, without outliers: more than 1.5 times as long as both neighbors (the first size: as
    the next one)."""
    points = sorted(dict(points).items())
    keep = []
    for at, (size, us) in enumerate(points):
        around = [points[other][1] for other in (at - 1, at + 1) if 0 <= other < len(points)]
        if at == len(points) - 1 or us <= 1.5 * max(around):
            keep.append((size, us))
    return keep


def main():
    folder = sys.argv[1]
    for found, use in ((tables(folder), "fit"), (pipeweave(folder), "fit"), (sets(folder), "fit"),
                       (others(folder), "compare")):
        for device, library, kind, nodes, ranks, points, source in found:
            kind = TYPES.get(kind, kind)
            inside, between = LINKS[device]
            words = ",".join(f"{size}:{us}" for size, us in steady(points))
            print(device, library, kind, nodes, ranks, inside, between if nodes > 1 else 0, source, words, use,
                  sep="\t")


if __name__ == "__main__":
    main()
