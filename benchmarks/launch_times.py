#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the host time per kernel launch in Kineto recordings, while the device waits for the host.

    benchmarks/launch_times.py TRACE.json.gz...     (a .tar.gz contains several)

An interval lasts from the start of one launch to the start of the next one on the same thread. It
counts if the kernels of both launches start within 20 us of their launch: then the queue is empty,
and the device waits. The interval contains the complete work of the framework for a kernel (dispatch,
autograd, allocation), but no wait for the device. Intervals with a synchronization and intervals of
more than 1 ms (the input pipeline, Python between steps) are excluded. The time of many consecutive
launches is their number times the mean.
Passes: launches inside autograd's engine are backward, launches inside Optimizer.step are optimizer,
all others are forward. A profiler that records shapes or stacks makes the host slower, so the figures
are upper bounds.
"""
import bisect
import gzip
import io
import json
import statistics
import sys
import tarfile

QUEUE_EMPTY = 20.0  # us from a launch to its kernel, at most
PAUSE = 1000.0      # us between two launches, at most
SYNCHRONIZES = ("Synchronize", "cudaMemcpy", "hipMemcpy", "cudaFree", "cudaMalloc", "hipFree",
                "hipMalloc")
LAUNCHES = ("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "hipLaunchKernel",
            "hipExtModuleLaunchKernel", "hipModuleLaunchKernel")


def documents(path):
    opener = gzip.open if path.endswith(".gz") else open
    if ".tar" in path or path.endswith(".tgz"):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.name.endswith((".json", ".json.gz")):
                    data = archive.extractfile(member).read()
                    if member.name.endswith(".gz"):
                        data = gzip.decompress(data)
                    document = json.loads(data)
                    if isinstance(document, list) or "traceEvents" in document:
                        yield f"{path}!{member.name.rsplit('/', 1)[-1]}", document
        return
    with opener(path, "rb") as file:
        yield path, json.load(io.TextIOWrapper(file, errors="replace"))


def inside(spans, time):
    """Whether `time` is in one of the spans, which are sorted and merged (merged())."""
    at = bisect.bisect_right(spans, (time, float("inf"))) - 1
    return at >= 0 and spans[at][1] >= time


def merged(spans):
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out


def measure(document):
    events = document["traceEvents"] if isinstance(document, dict) else document
    kernels, launches, syncs, backward, optimizer = {}, {}, {}, {}, {}
    device = ""
    for one in document.get("deviceProperties", []) if isinstance(document, dict) else []:
        device = device or one.get("name", "")
    for event in events:
        if event.get("ph") != "X":
            continue
        thread, begin = (event.get("pid"), event.get("tid")), float(event["ts"])
        category, name = event.get("cat", ""), event.get("name", "")
        end = begin + float(event.get("dur", 0))
        correlation = (event.get("args") or {}).get("correlation")
        if category == "kernel":
            kernels[correlation] = (begin, end)
        elif category in ("cuda_runtime", "cuda_driver", "Runtime", "runtime"):
            if name in LAUNCHES:
                launches.setdefault(thread, []).append((begin, correlation))
            elif any(word in name for word in SYNCHRONIZES) and "Async" not in name:
                syncs.setdefault(thread, []).append((begin, end))
        elif name.startswith("autograd::engine::evaluate_function"):
            backward.setdefault(thread, []).append((begin, end))
        elif name.startswith("Optimizer.step") and category != "gpu_user_annotation":
            optimizer.setdefault(thread, []).append((begin, end))
    found = {"forward": [], "backward": [], "optimizer": []}
    all_launches = 0
    for thread, of_thread in launches.items():
        of_thread.sort()
        back, opt = merged(backward.get(thread, [])), merged(optimizer.get(thread, []))
        waits = merged(syncs.get(thread, []))
        all_launches += len(of_thread)
        for (before, first), (begin, second) in zip(of_thread, of_thread[1:]):
            late = [time for time, number in ((before, first), (begin, second))
                    if number not in kernels or kernels[number][0] - time > QUEUE_EMPTY]
            at = bisect.bisect_left(waits, (before, 0.0))
            if late or (at < len(waits) and waits[at][0] < begin):
                continue
            if begin - before > PAUSE:
                continue
            kind = ("backward" if inside(back, begin) and inside(back, before)
                    else "optimizer" if inside(opt, begin) and inside(opt, before)
                    else "forward")
            found[kind].append(begin - before)
    return device, all_launches, found


def show(name, device, launches, found):
    for kind, times in found.items():
        if len(times) < 20:
            continue
        cuts = statistics.quantiles(times, n=10)
        print(f"{name.rsplit('/', 1)[-1][-44:]:44} {device[:22]:22} {launches:8} {kind:9} "
              f"{len(times):7} {cuts[0]:6.1f} {statistics.median(times):6.1f} {cuts[8]:6.1f} {statistics.mean(times):6.1f}")


def main():
    print(f"{'recording':44} {'device':22} {'launches':>8} {'pass':9} {'counted':>7} "
          f"{'10 %':>6} {'median':>6} {'90 %':>6} {'mean':>6} us")
    for path in sys.argv[1:]:
        together, ranks, launches_of_all = {}, 0, 0
        for name, document in documents(path):
            device, launches, found = measure(document)
            show(name, device, launches, found)
            ranks, launches_of_all = ranks + 1, launches_of_all + launches
            for kind, times in found.items():
                together.setdefault(kind, []).extend(times)
        if ranks > 1:
            show(f"all {ranks} of {path.rsplit('/', 1)[-1]}", device, launches_of_all, together)


if __name__ == "__main__":
    main()
