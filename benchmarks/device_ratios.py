#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns data/kernels/device_ratios.csv: recorded / predicted times by class of kernels and device.

    benchmarks/device_ratios.py ORRERY FOLDER... [--without MODEL] [-o FILE]

FOLDERs hold recordings (Kineto, .json.gz), also in subfolders; of equal files, the first counts.
Files of one model on several devices are MODEL.DEVICE.json.gz: their hosts are compared, too. --without leaves out every recording whose
name contains MODEL, to predict that model from the others.

For each class c, device d and recorded model m, the mean logarithm of recorded / predicted is

    y = shared(c) + device(c, d) + model(c, m) + noise

with independent normal terms of mean 0 (a linear mixed model, solved as in Rasmussen and Williams,
Gaussian Processes for Machine Learning, section 2.2). The table holds the expectation of device(c, d)
and an error: the squares of the errors of two devices add up to the variance of their difference.
Terms that devices share cancel in a change of device. The prior standard deviations are fixed, not
fitted: PRIOR below.

Needs Python's standard library only. Costs 1 s of CPU time per recording.
"""
import argparse
import collections
import functools
import hashlib
import json
import math
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

# Standard deviations of logarithms. Makers have their own libraries of products, attention and
# convolutions, which differ by half; their frameworks compile other kernels from the same source.
LIBRARY = ("gemm", "batched_gemm", "grouped_gemm", "attention", "convolution")
PRIOR = {"shared": 0.7, "library": 0.5, "framework": 0.25, "model": 0.2, "shape": 0.3, "noise": 0.1,
         "host": 0.2, "long host": 0.4, "host model": 0.1}
COLUMNS = "class,device,ratio,error,recordings,kernels"
LONG_HOST_WORK_PS = 1e9  # as in src/orrery/model/compute/device_ratios.cc
# Host work has classes by words in its name, in the order of the table: launches of kernels;
# products and convolutions, whose libraries choose a kernel at each call. Waits for the device are
# not learned: their length is the device's.
HOST_WORDS = ("Launch", "conv", "mm")
WAIT_WORDS = ("Synchronize",)

# One row of observations: a class on a device in one recorded model.
Observation = collections.namedtuple("Observation", "device model mean shapes kernels")


def inverse(matrix):
    """The inverse, by Gauss-Jordan elimination with pivots."""
    n = len(matrix)
    rows = [list(matrix[i]) + [float(i == j) for j in range(n)] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def is_host(name):
    return name.split()[0] in ("host", "long")


def host_class(name, picoseconds):
    if picoseconds >= LONG_HOST_WORK_PS:
        return "long host"
    words = [w for w in sorted(HOST_WORDS + WAIT_WORDS) if w in name]
    return f"host {words[0]}" if words else "host"


def device_prior(name):
    if is_host(name):
        return PRIOR["long host" if name == "long host" else "host"]
    return PRIOR["library" if name.split()[0] in LIBRARY else "framework"]


def solve(name, observed):
    """{device: (mean, error)} of the device terms, and the shared mean."""
    host = is_host(name)
    shared, device = PRIOR["shared"], device_prior(name)
    model = PRIOR["shared"] if host else PRIOR["model"]  # the length of host work is the model's

    def noise(o):
        return PRIOR["host model"] if host else math.hypot(PRIOR["noise"],
                                                          PRIOR["shape"] / math.sqrt(o.shapes))

    covariance = [[shared ** 2 + (device ** 2 if a.device == b.device else 0) +
                   (model ** 2 if a.model == b.model else 0) + (noise(a) ** 2 if i == j else 0)
                   for j, b in enumerate(observed)] for i, a in enumerate(observed)]
    precision = inverse(covariance)
    weights = [sum(p * o.mean for p, o in zip(row, observed)) for row in precision]
    devices = sorted({o.device for o in observed})
    link = {d: [device ** 2 if o.device == d else 0.0 for o in observed] for d in devices}

    def explained(a, b):
        return sum(link[a][i] * precision[i][j] * link[b][j]
                   for i in range(len(observed)) for j in range(len(observed)))

    def variance(a, b):
        """Of the difference of two devices; what all share does not count."""
        return max(0.0, 2 * device ** 2 - explained(a, a) - explained(b, b) + 2 * explained(a, b))

    terms = {}
    for d in devices:
        others = [variance(d, o) / 2 for o in devices if o != d]
        error = statistics.mean(others) if others else max(0.0, device ** 2 - explained(d, d))
        terms[d] = (sum(a * b for a, b in zip(link[d], weights)), math.sqrt(error))
    return terms, sum(shared ** 2 * w for w in weights)


def model_of(path):
    """The model of a recording, as its file name says."""
    return os.path.basename(path).split(".")[0]


def recordings_in(folders):
    """Paths of all recordings; of equal files, the first."""
    found, known = [], set()
    for folder in folders:
        for top, _, files in sorted(os.walk(folder)):
            for path in (os.path.join(top, f) for f in sorted(files) if f.endswith(".json.gz")):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).digest()
                if content not in known:
                    known.add(content)
                    found.append(path)
    return found


@functools.lru_cache(maxsize=None)
def answer(orrery, *arguments):
    run = subprocess.run([orrery, *arguments, "--json", "-q"], capture_output=True, text=True)
    try:
        return json.loads(run.stdout).get("result")
    except ValueError:
        return None


def kernel_shapes(orrery, path):
    """(device, shape) of each distinct kernel of the recording with a predicted time."""
    said = answer(orrery, "kernels", "context", path, "--all")
    for device in (said or {}).get("per_device", []):
        for shape in device["shapes"]:
            times = shape["all_launches"]
            if times["alone_ns"] > 0 and times["recorded_ns"] > 0:
                yield device["device"], shape, times


def observe_kernels(orrery, paths):
    """{class: [Observation]}; shapes count by the root of their time."""
    classes = collections.defaultdict(list)
    for path in paths:
        sums = collections.defaultdict(list)
        for device, shape, times in kernel_shapes(orrery, path):
            ratio = math.log(times["recorded_ns"] / times["alone_ns"])
            sums[shape["ratio_class"], device].append(
                (ratio, math.sqrt(times["recorded_ns"]), times["kernels"]))
        for (name, device), shapes in sums.items():
            weight = sum(s[1] for s in shapes)
            classes[name].append(Observation(device, model_of(path),
                                             sum(s[0] * s[1] for s in shapes) / weight,
                                             len(shapes), sum(s[2] for s in shapes)))
    return classes


@functools.lru_cache(maxsize=None)
def host_times(orrery, path):
    """{class: (picoseconds, number)} of the threads of a replay."""
    with tempfile.TemporaryDirectory() as folder:
        run_file = os.path.join(folder, "a.orrery")
        subprocess.run([orrery, "whatif", path, "--change", "host=1", "-q", "-o", run_file],
                       capture_output=True, check=False)
        if not os.path.exists(run_file):
            return {}
        with sqlite3.connect(run_file) as run:
            rows = run.execute("SELECT name, duration_ps FROM event "
                               "WHERE lane LIKE 'thread%' AND duration_ps > 0").fetchall()
    times = collections.defaultdict(lambda: (0, 0))
    for name, time in rows:
        known = times[host_class(name, time)]
        times[host_class(name, time)] = (known[0] + time, known[1] + 1)
    return dict(times)


def observe_hosts(orrery, paths, devices):
    """{class: [Observation]} of models that were recorded on several devices."""
    by_model = collections.defaultdict(list)
    for path in paths:
        if len(os.path.basename(path).split(".")) == 4:  # MODEL.DEVICE.json.gz
            by_model[model_of(path)].append(path)
    classes = collections.defaultdict(list)
    for model, files in sorted(by_model.items()):
        for path in files if len(files) > 1 else []:
            for name, (time, count) in host_times(orrery, path).items():
                if path in devices:
                    classes[name].append(Observation(devices[path], model, math.log(time), 1, count))
    for name in list(classes):
        both = collections.Counter(m for m, _ in {(o.model, o.device) for o in classes[name]})
        classes[name] = [o for o in classes[name] if both[o.model] > 1]
        mean = {m: statistics.mean(o.mean for o in classes[name] if o.model == m)
                for m in both if both[m] > 1}
        classes[name] = [o._replace(mean=o.mean - mean[o.model]) for o in classes[name]]
    return {name: seen for name, seen in classes.items() if seen}


def devices_of(orrery, paths):
    """{path: catalog name of the recorded device}."""
    found = {}
    for path in paths:
        for device in (answer(orrery, "kernels", "context", path, "--all") or {}).get("per_device", []):
            found[path] = device["device"]
    return found


def residuals(orrery, paths, classes):
    """Squares of log(true / predicted) of kernels moved between two devices of one model, each with
    the table of the other models, and the squared error of that table."""
    shapes = collections.defaultdict(dict)
    for path in paths:
        for device, shape, times in kernel_shapes(orrery, path):
            ratio = math.log(times["recorded_ns"] / times["alone_ns"])
            shapes[model_of(path), shape["name"]][device] = (shape["ratio_class"], ratio)
    found = []
    for (model, _), on in sorted(shapes.items()):
        for a in sorted(on):
            for b in sorted(on):
                if a >= b:
                    continue
                name = on[a][0]
                others = [o for o in classes.get(name, []) if o.model != model]
                if not others:
                    continue
                terms, _ = solve(name, others)
                if a not in terms or b not in terms:
                    continue
                error = on[b][1] - on[a][1] - (terms[b][0] - terms[a][0])
                found.append((error ** 2, terms[a][1] ** 2 + terms[b][1] ** 2))
    return found


def table(orrery, folders, without):
    paths = [p for p in recordings_in(folders) if not without or without not in os.path.basename(p)]
    kernels = observe_kernels(orrery, paths)
    rest = residuals(orrery, paths, kernels)
    # What the classes leave unexplained; of few kernels, not less than the prior of one shape.
    unexplained = statistics.mean(max(0.0, square - explained) for square, explained in rest) if rest else 0
    lines = [f"*,*,1,{PRIOR['library']:.3g},0,0",
             f"kernel,*,1,{max(PRIOR['shape'], math.sqrt(unexplained)):.3g},0,{len(rest)}"]
    hosts = observe_hosts(orrery, paths, devices_of(orrery, paths))
    for word in WAIT_WORDS:
        hosts[f"host {word}"] = []
    for name in ("host", "long host", *(f"host {w}" for w in HOST_WORDS)):
        hosts.setdefault(name, [])
    for name, observed in sorted({**kernels, **hosts}.items()):
        if not observed:
            lines.append(f"{name},*,1,{device_prior(name):.3g},0,0")
            continue
        terms, shared = solve(name, observed)
        shared = 0 if is_host(name) else shared
        models = {o.model for o in observed}
        lines.append(f"{name},*,{math.exp(shared):.4g},{device_prior(name):.3g},{len(models)},"
                     f"{sum(o.kernels for o in observed)}")
        for device, (mean, sd) in terms.items():
            here = [o for o in observed if o.device == device]
            lines.append(f"{name},{device},{math.exp(mean):.4g},{sd:.3g},{len(here)},"
                         f"{sum(o.kernels for o in here)}")
    return lines


NOTES = """\
# Recorded / predicted times by class of kernels and device, relative to all devices (device *: the
# class over all devices, and the error of a device without a row). error: standard deviation of the
# logarithm. host, host WORD, long host: host work between two events below 1 ms (whose name contains
# WORD) and above, of one model with both devices. kernel: a kernel relative to its class.
# Written by benchmarks/device_ratios.py from recordings of TraceLens (github.com/AMD-AGI/TraceLens,
# commit 171dd747, MIT), HTA (facebookresearch/HolisticTraceAnalysis, MIT) and PARAM
# (facebookresearch/param, MIT), which are not part of the project.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("orrery")
    parser.add_argument("folders", nargs="+", metavar="folder")
    parser.add_argument("--without", default="")
    parser.add_argument("-o", "--output", default="-")
    options = parser.parse_args()
    lines = table(options.orrery, options.folders, options.without)
    text = NOTES + COLUMNS + "\n" + "\n".join(lines) + "\n"
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
