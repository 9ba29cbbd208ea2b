# SPDX-License-Identifier: Apache-2.0
"""Counts what views of recordings show, from the JSON of PyTorch's profiler alone.

Nothing here comes from the program: this is the independent counter that tests compare it with. Definitions: the
documentation of HTA (Holistic Trace Analysis), where it has the view. Times are integers, in picoseconds.
"""
import collections
import decimal
import gzip
import json

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime")
KERNEL_WAIT = 30_000  # HTA's consecutive_kernel_delay
LONG_CALL, LATE_WORK = 50_000_000, 100_000_000  # HTA's runtime_cutoff and launch_delay_cutoff

Event = collections.namedtuple("Event", "category name start duration pid tid args index")


def picoseconds(value):
    return int(decimal.Decimal(str(value)).scaleb(6))


class Recording:
    """The complete events of a file."""

    def __init__(self, path):
        opener = gzip.open if str(path).endswith(".gz") else open
        with opener(path, "rb") as file:
            data = json.loads(file.read(), parse_float=decimal.Decimal)
        records = data["traceEvents"] if isinstance(data, dict) else data
        self.events = []
        for r in records:
            if not isinstance(r, dict) or r.get("ph") != "X" or "dur" not in r or not str(r.get("name", "")):
                continue
            self.events.append(Event(str(r.get("cat", "")).lower(), r["name"], picoseconds(r["ts"]),
                                     max(0, picoseconds(r["dur"])), r.get("pid"), r.get("tid"), r.get("args") or {},
                                     len(self.events)))
        self.work = [e for e in self.events if e.category in DEVICE]
        self.call_of = {}
        for e in self.events:
            if e.category in CALLS and e.args.get("correlation") is not None:
                self.call_of.setdefault(e.args["correlation"], e)

    def stream(self, event):
        return event.args.get("device", event.pid), event.args.get("stream", event.tid)

    def streams(self):
        streams = collections.defaultdict(list)
        for e in self.work:
            streams[self.stream(e)].append(e)
        for works in streams.values():
            works.sort(key=lambda e: (e.start, -e.duration))
        return streams

    def call(self, event):
        return self.call_of.get(event.args.get("correlation"))


def end(event):
    return event.start + event.duration


def use(event):
    """What a work does: as HTA's kernel types, with every spelling of NCCL's kernels."""
    if event.category != "kernel":
        return "copy"
    return "comm" if "nccl" in event.name.lower() else "compute"


def union(events):
    """Length of the union of the events' intervals."""
    total, until = 0, None
    for e in sorted(events, key=lambda e: e.start):
        if until is None or e.start > until:
            total, until = total + e.duration, end(e)
        elif end(e) > until:
            total, until = total + end(e) - until, end(e)
    return total


def temporal_breakdown(recording):
    """HTA's "temporal breakdown" and "communication computation overlap"."""
    work = recording.work
    length = max(map(end, work)) - min(e.start for e in work)
    compute = union([e for e in work if use(e) == "compute"])
    comm = union([e for e in work if use(e) == "comm"])
    busy = union(work)
    both = union([e for e in work if use(e) != "copy"])
    return {"length": length, "compute": compute, "idle": length - busy, "other": busy - compute, "comm": comm,
            "overlap": compute + comm - both}


def idle_time_breakdown(recording):
    """HTA's "idle time breakdown" of each stream; a gap begins at the latest end so far."""
    result = {}
    for stream, works in recording.streams().items():
        sums = collections.Counter()
        until = end(works[0])
        for e in works[1:]:
            gap = e.start - until
            if gap > 0:
                call = recording.call(e)
                if call is not None and call.start > until:
                    kind = "host_wait"
                else:
                    kind = "kernel_wait" if gap < KERNEL_WAIT else "other"
                sums[kind] += gap
                sums[kind + "_count"] += 1
            until = max(until, end(e))
        sums["works"], sums["busy"] = len(works), union(works)
        result[stream] = sums
    return result


def kernel_breakdown(recording):
    """HTA's "kernel breakdown": count, sum and maximum by name."""
    result = {}
    for e in recording.work:
        count, total, most = result.get((e.name, e.category), (0, 0, 0))
        result[e.name, e.category] = count + 1, total + e.duration, max(most, e.duration)
    return result


def launches(recording):
    """Works by call: {(correlation, call): works by start}."""
    result = {}
    for e in sorted(recording.work, key=lambda e: (e.start, e.index)):
        call = recording.call(e)
        if call is not None:
            result.setdefault(e.args["correlation"], (call, []))[1].append(e)
    return result


def launch_statistics(recording):
    """HTA's "CUDA kernel launch statistics", by the name of the call; a launch has the delay of its first work."""
    result = collections.defaultdict(collections.Counter)
    for call, works in launches(recording).values():
        sums = result[call.name]
        lasts = sum(e.duration for e in works)
        after = works[0].start - end(call)
        sums["count"] += 1
        sums["works"] += len(works)
        sums["call"] += call.duration
        sums["work"] += lasts
        sums["delay"] += works[0].start - call.start
        sums["after"] += after
        sums["short"] += lasts < call.duration
        sums["long"] += call.duration > LONG_CALL
        sums["late"] += after > LATE_WORK
    return result


def queue_lengths(recording):
    """HTA's "queue length" by stream: (launches, maximum, sum of the times in the queue)."""
    queues = collections.defaultdict(list)
    for call, works in launches(recording).values():
        seen = set()
        for e in works:
            stream = recording.stream(e)
            if stream not in seen:
                seen.add(stream)
                queues[stream].append((call.start, max(call.start, e.start)))
    result = {}
    for stream, queue in queues.items():
        # At one time: first those leave that entered before, then others enter, then these may leave at once.
        steps = sorted([(called, 1, 1) for called, _ in queue] +
                       [(begun, 0 if begun > called else 2, -1) for called, begun in queue])
        length = most = 0
        for _, _, change in steps:
            length += change
            most = max(most, length)
        result[stream] = len(queue), most, sum(begun - called for called, begun in queue)
    return result


def sequences(recording, least=3):
    """HTA's "frequent CUDA kernel sequences" of every operator: {(operator, works): [count, device, host]}."""
    threads = collections.defaultdict(list)
    for e in recording.events:
        if e.category == "cpu_op" or e.category in CALLS:
            threads[e.pid, e.tid].append(e)
    by_call = collections.defaultdict(list)
    for call, works in launches(recording).values():
        by_call[id(call)].extend(works)
    result = {}
    for events in threads.values():
        events.sort(key=lambda e: (e.start, -e.duration))
        stack, launched = [], {}  # the operators that are open; works by operator
        operators = []
        for e in events:
            while stack and end(stack[-1]) <= e.start:
                stack.pop()
            if e.category == "cpu_op":
                if all(above.name != e.name for above in stack):
                    operators.append(e)
                stack.append(e)
            else:
                for above in stack:
                    launched.setdefault(id(above), []).extend(by_call.get(id(e), ()))
        for e in operators:
            works = sorted(launched.get(id(e), ()), key=lambda w: (w.start, w.index))
            if len(works) < least:
                continue
            key = e.name, tuple(w.name for w in works)
            count, device, host = result.get(key, (0, 0, 0))
            result[key] = count + 1, device + sum(w.duration for w in works), host + e.duration
    return result


def annotations(recording):
    """HTA's "gpu user annotation breakdown": count, sum, minimum and maximum by name."""
    result = {}
    for e in recording.events:
        if e.category != "gpu_user_annotation":
            continue
        count, total, least, most = result.get(e.name, (0, 0, e.duration, 0))
        result[e.name] = count + 1, total + e.duration, min(least, e.duration), max(most, e.duration)
    return result
