#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints errors of predicted steps by GPU and format.

Usage: benchmarks/step_errors.py POINTS.json.gz [--program orrery] [--compute auto] [--group visible]

POINTS is JSON: {"points": [...]}. Each point has a job ("spec", as for orrery run --spec), a "cluster" ({"gpu": "H100", "n":
devices, "dom": devices per island, "nvl", "ib": GB/s per device inside and between islands}), "measured_s", "prec" (the format
of products: bf16, fp8, fp4) and a "group". Prints absolute and signed errors of the step by GPU and format, and the share of
measured steps within the 80 % prediction interval.
"""
import argparse
import concurrent.futures
import gzip
import json
import pathlib
import statistics
import subprocess
import tempfile

DEVICES = {"A100": "a100-80gb", "H100": "h100-sxm", "H200": "h200-sxm", "B200": "b200", "GB200": "gb200",
           "GB300": "gb300", "V100": "v100-sxm2", "MI300X": "mi300x", "MI325X": "mi325x", "MI355X": "mi355x"}


def cluster_text(point):
    """The text of the cluster file: islands behind a switch, a network between them."""
    cluster = point["cluster"]
    island = min(cluster["dom"], cluster["n"])
    dims = [(island, cluster["nvl"], "500 ns"), (cluster["n"] // island, cluster["ib"], "2 us")]
    lines = ["version: 1", "name: measured", f"device: {DEVICES[cluster['gpu']]}", "network:"]
    lines += [f"  - {{block: switch, size: {size}, bandwidth: {rate} GB/s, latency: {latency}}}"
              for size, rate, latency in dims if size > 1 or cluster["n"] == 1 and size == island]
    return "\n".join(lines) + "\n"


def predict(point, options):
    """predicted / measured, and the place of the measured step: "in", "below" or "above" the interval, "" without an interval.
    Without a prediction: the reason as text."""
    if point["cluster"]["gpu"] not in DEVICES:
        return f"unknown device {point['cluster']['gpu']}"
    spec = json.loads(json.dumps(point["spec"]))
    if point["prec"] in ("fp8", "fp4"):
        spec.setdefault("precision", {})["products"] = point["prec"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "spec.json").write_text(json.dumps(spec))
        (folder / "cluster.yaml").write_text(cluster_text(point))
        command = [options.program, "run", "--spec", folder / "spec.json", "--cluster", folder / "cluster.yaml",
                   "--compute", options.compute, "--json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds, check=False)
        except subprocess.TimeoutExpired:
            return f"the simulation lasts longer than {options.seconds} s; raise --seconds"
    if done.returncode != 0:
        return done.stderr.splitlines()[0] if done.stderr else f"exit code {done.returncode} without a message"
    result, measured = json.loads(done.stdout)["result"], point["measured_s"] * 1e9
    interval = result["prediction_interval"]
    place = ("" if interval is None else "below" if measured < interval["low_ns"]
             else "above" if measured > interval["high_ns"] else "in")
    return result["step_ns"] / measured, place


def row(name, answers):
    """One line with the errors of a group of points."""
    ratios = [ratio for ratio, _ in answers]
    places = [place for _, place in answers if place]
    share = lambda place: places.count(place) / len(places) if places else float("nan")
    errors = sorted(abs(ratio - 1) for ratio in ratios)
    return (f"{name:14} {len(ratios):4}  median {statistics.median(errors):6.1%}  mean {statistics.mean(errors):6.1%}  "
            f"90 % {errors[int(0.9 * len(errors))]:6.1%}  signed median {statistics.median(ratios) - 1:+6.1%}  "
            f"in the 80 % interval {share('in'):6.1%}, above it {share('above'):6.1%}")


def main():
    parser = argparse.ArgumentParser(description="Prints errors of predicted steps by GPU and format.")
    parser.add_argument("points")
    parser.add_argument("--program", default="build/release/apps/orrery/orrery")
    parser.add_argument("--compute", default="auto")
    parser.add_argument("--group", default="visible")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of one simulation")
    options = parser.parse_args()
    points = [point for point in json.load(gzip.open(options.points))["points"]
              if point.get("group") == options.group and point.get("measured_s") and "spec" in point
              and "cluster" in point]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda point: predict(point, options), points))
    groups = {}
    for point, answer in zip(points, answers):
        if isinstance(answer, str):
            print(f"{point['id']}: {answer}")
            continue
        for name in ("all", f"{point['cluster']['gpu']} {point['prec']}"):
            groups.setdefault(name, []).append(answer)
    for name in sorted(groups):
        print(row(name, groups[name]))


if __name__ == "__main__":
    main()
