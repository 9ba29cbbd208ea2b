# SPDX-License-Identifier: Apache-2.0
"""Timed operators where PyTorch was built without Kineto (Debian's is).

The autograd profiler still knows every operator with its times, shapes and arguments. Written here
as Kineto would write them for the host, in nanoseconds; there is nothing of a device. Threads have
PyTorch's own small numbers, as in execution traces.
"""

from __future__ import annotations

import gzip
import json
import os
from typing import Any, Dict, List, Optional, Tuple

import torch

from .facts import Json, distributed_info, process_groups

FORMAT = ("Written by orrery_collect from the autograd profiler's events: this PyTorch has no Kineto. "
          "External ids are the profiler's correlation ids; record function ids are the execution "
          "trace's, found by order; what is said about communication comes from the recorded tensors.")
USER_SCOPE = 7  # of record_function, and of what libraries name like it ("gloo:all_reduce")
LIBRARIES = ("gloo", "nccl", "mpi", "ucc")


class HostOnly:
    """The autograd profiler, step by step."""

    def __init__(self, missing: List[Json]) -> None:
        self._profile: Any = torch.autograd.profiler.profile(  # type: ignore[no-untyped-call]
            record_shapes=True)
        self._missing = missing
        missing.append({"what": "device work, synchronizations, the system's thread ids",
                        "why": "this PyTorch was built without Kineto; operators and their times "
                               "come from the autograd profiler"})

    def prepare(self) -> None:
        """Nothing takes long to start here."""

    def start(self) -> None:
        self._profile.__enter__()

    def stop(self) -> None:
        self._profile.__exit__(None, None, None)

    def save(self, path: str, nodes: List[Json]) -> None:
        """`nodes`: the execution trace's of the same steps, if there are any."""
        trace = document(self._profile.kineto_results)
        if not name_record_functions(trace["traceEvents"], nodes):
            self._missing.append({"what": "record function ids", "why": "the execution trace does "
                                  "not contain the same operators in the same order"})
        with open(path, "wb") as file:
            # No name and no time of writing inside
            with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
                packed.write(json.dumps(trace, separators=(",", ":")).encode())


def document(results: Any) -> Json:
    """The whole trace from what the profiler returned."""
    more = {event.correlation_id(): event for event in results.events()}
    pending = list(results.experimental_event_tree())
    # One zero for ranks recorded together, near enough that decimals are exact
    base = min((node.start_time_ns for node in pending), default=0)
    base -= base % 10**14
    groups = process_groups()
    events: List[Json] = []
    while pending:
        node = pending.pop()
        pending.extend(node.children)
        events.append(complete_event(node, more.get(node.correlation_id), base, groups))
    events.sort(key=lambda event: (event["ts"], -event["dur"], event["args"]["External id"]))
    for index, event in enumerate(events):
        event["args"]["Ev Idx"] = index
    trace: Json = {"schemaVersion": 1, "deviceProperties": [], "record_shapes": 1,
                   "orrery_format": FORMAT, "pytorch_version": torch.__version__,
                   "displayTimeUnit": "ms", "baseTimeNanoseconds": base}
    info = distributed_info()
    if info is not None:
        trace["distributedInfo"] = info
    trace["traceEvents"] = thread_names(events) + events
    return trace


def name_record_functions(events: List[Json], nodes: List[Json]) -> bool:
    """Adds "Record function id", as Kineto has it, if both contain the same operators.

    Record functions are numbered as they begin, so each thread's operators come in the same order
    in both. What a library does on threads of its own (gloo) is the thread's that asked for it in
    one and its own in the other, where two may also begin in the other order: distinguished by their
    shapes. All operators get an id or none; true when done or when there is nothing to do.
    """
    timed = [event for event in events if event["ph"] == "X"]
    known = sorted((node for node in nodes if node.get("rf_id")), key=lambda node: int(node["rf_id"]))

    def key(name: str, thread: int, shapes: Any) -> Tuple[str, int]:
        elsewhere = name.partition(":")[0] in LIBRARIES and not name.startswith("nccl")
        return (f"{name} {shapes}", 0) if elsewhere else ("", thread)

    by_order: Dict[Tuple[str, int], List[Json]] = {}
    for node in known:
        at = key(node["name"], node["tid"], node.get("input_shapes", []))
        by_order.setdefault(at, []).append(node)
    places = {place: iter(queue) for place, queue in by_order.items()}
    pairs: List[Tuple[Json, Optional[Json]]] = [
        (event, next(places.get(key(event["name"], event["tid"], event["args"].get("Input Dims", [])),
                                iter(())), None))
        for event in timed]
    if known and (len(known) != len(timed) or
                  any(node is None or node["name"] != event["name"] for event, node in pairs)):
        return False
    for event, found in pairs:
        if found is not None:
            event["args"]["Record function id"] = found["rf_id"]
    return True


def thread_names(events: List[Json]) -> List[Json]:
    return [{"ph": "M", "name": "thread_name", "ts": 0, "pid": os.getpid(), "tid": thread,
             "args": {"name": f"thread {thread}"}}
            for thread in sorted({event["tid"] for event in events})]


def complete_event(node: Any, more: Optional[Any], base: int, groups: List[Json]) -> Json:
    """One of the profiler's events; `more` is what its flat list says about it."""
    scope = more.scope() if more is not None else 0
    args: Json = {"External id": node.correlation_id}
    if more is not None and more.sequence_nr() >= 0:
        args["Fwd thread id"] = more.fwd_thread_id()
        args["Sequence number"] = more.sequence_nr()
    inputs = getattr(node.extra_fields, "inputs", None)
    if inputs is not None and len(getattr(inputs, "shapes", ())) > 0:
        args["Input Dims"] = list(inputs.shapes)
        args["Input type"] = list(inputs.dtypes)
        args["Input Strides"] = list(getattr(inputs, "strides", []))
        args["Concrete Inputs"] = [concrete(value) for value in getattr(inputs, "ivalues", [])]
        args.update(communication(node.name, args["Input Dims"], args["Input type"], groups))
    return {"ph": "X", "cat": "user_annotation" if scope == USER_SCOPE else "cpu_op",
            "name": node.name, "pid": os.getpid(), "tid": node.start_tid,
            "ts": (node.start_time_ns - base) / 1000,
            "dur": max(node.duration_time_ns, 0) / 1000, "args": args}


def concrete(value: Any) -> str:
    """A scalar argument as Kineto writes it; nothing for tensors and what was not given."""
    return "" if value is None else str(value)


def communication(name: str, shapes: List[Any], types: List[str], groups: List[Json]) -> Json:
    """What later versions record with a collective, for names like "gloo:all_reduce"."""
    library, _, what = name.partition(":")
    if library not in LIBRARIES or not what:
        return {}
    elements = 0
    dtype = ""
    for shape, kind in zip(shapes, types):
        if kind in ("", "Scalar", "ScalarList") or not all(isinstance(n, int) for n in shape):
            continue
        count = 1
        for extent in shape:
            count *= extent
        elements += count
        dtype = kind
    known: Json = {"Collective name": what.replace("_", "")}
    if dtype:
        known.update({"dtype": dtype, "In msg nelems": elements})
        if what in ("all_reduce", "broadcast"):
            known["Out msg nelems"] = elements
    if len(groups) == 1:  # with several, this version does not say which one it was
        known["Process Group Name"] = groups[0]["pg_name"]
        known["Process Group Ranks"] = str(groups[0]["ranks"])
        known["Group size"] = groups[0]["pg_size"]
    return known
