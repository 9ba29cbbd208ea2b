#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a large recorded rank from a small one: N copies one after another, with shifted ids and times.

    benchmarks/tile_trace.py TRACE.json[.gz] N OUT

Writes OUT.kineto.json and OUT.et.json. TRACE is a Kineto trace with record-function ids. The execution trace consists of its
operators (nesting defines the parents), in the form of PyTorch 2.5.
"""
import gzip
import json
import sys

OPERATORS = ("cpu_op", "user_annotation")
ATTRIBUTES = (("fw_parent", "uint64", 0), ("seq_id", "int64", -1), ("scope", "uint64", 0), ("tid", "uint64", 1),
              ("fw_tid", "uint64", 0), ("op_schema", "string", ""))


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.load(file)


def nested(events):
    """Operators by thread and start, each with the index of the enclosing operator (or None)."""
    order = sorted((e for e in events if e.get("cat") in OPERATORS and e.get("ph") == "X"),
                   key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    around, result = [], []
    for index, event in enumerate(order):
        while around and (order[around[-1]]["tid"] != event["tid"]
                          or order[around[-1]]["ts"] + order[around[-1]]["dur"] <= event["ts"]):
            around.pop()
        result.append((event, around[-1] if around else None))
        around.append(index)
    return result


def node(event, parent, node_id, moved, thread):
    """One node of an execution trace, with ids increased by `moved`."""
    first = node_id * 3
    rf_id = event["args"].get("Record function id", 0) + moved
    attributes = [{"name": "rf_id", "type": "uint64", "value": rf_id}]
    attributes += [{"name": name, "type": kind, "value": value} for name, kind, value in ATTRIBUTES]
    sequence = event["args"].get("Sequence number", -1)
    attributes[2]["value"] = sequence + moved if sequence > 0 else sequence
    attributes[3]["value"] = 7 if event["cat"] == "user_annotation" else 0
    attributes[4]["value"] = thread
    numel = 4096 + node_id % 7 * 512
    return {
        "id": node_id, "name": event["name"], "ctrl_deps": parent,
        "inputs": {"values": [[first, first + 1, 0, numel, 4, "cuda:0"], [first + 2, first + 1, 0, numel, 4, "cuda:0"]],
                   "shapes": [[numel // 64, 64], [numel // 64, 64]], "types": ["Tensor(float)", "Tensor(float)"]},
        "outputs": {"values": [[first + 3, first + 4, 0, numel, 4, "cuda:0"]], "shapes": [[numel // 64, 64]],
                    "types": ["Tensor(float)"]},
        "attrs": attributes,
    }


def shifted(event, tile, steps):
    """A copy of an event for the tile, with shifted time and ids."""
    copy = dict(event)
    copy["ts"] = round(event["ts"] + tile * steps["ts"], 3)
    if "id" in copy and event.get("cat") in ("ac2g", "fwdbwd"):
        copy["id"] = event["id"] + tile * steps["id"]
    args = event.get("args")
    if args:
        args = dict(args)
        for key in ("External id", "Record function id", "correlation", "Sequence number"):
            if isinstance(args.get(key), int) and args[key] > 0:
                args[key] += tile * steps["id"]
        copy["args"] = args
    return copy


def main():
    source, tiles, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    trace = read(source)
    events = [e for e in trace.pop("traceEvents") if "ts" in e]
    timed = [e for e in events if e.get("ph") == "X"]
    spare = [e for e in events if e.get("ph") == "M"]
    moving = [e for e in events if e.get("ph") != "M"]
    length = max(e["ts"] + e["dur"] for e in timed) - min(e["ts"] for e in timed)
    largest = max(v for e in events for k, v in e.get("args", {}).items()
                  if isinstance(v, int) and k in ("External id", "Record function id", "correlation", "Sequence number"))
    steps = {"ts": round(length + 1000), "id": largest + 1}
    with open(out + ".kineto.json", "w", encoding="utf-8") as file:
        head = json.dumps(trace, indent=1)
        file.write(head[:-2] + ',\n "traceEvents": [\n')
        file.write(",\n".join(json.dumps(e) for e in spare))
        for tile in range(tiles):
            for event in moving:
                file.write(",\n" + json.dumps(shifted(event, tile, steps)))
        file.write("\n]}\n")
    order = nested(events)
    threads = {tid: number + 1 for number, tid in enumerate(sorted({e["tid"] for e, _ in order}))}
    with open(out + ".et.json", "w", encoding="utf-8") as file:
        file.write('{\n"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "2024-01-01 00:00:00", "start_ts": 1,\n"nodes": [\n')
        root = {"inputs": {"values": [], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}}
        for number in threads.values():
            attributes = [{"name": "rf_id", "type": "uint64", "value": 0}] + [
                {"name": n, "type": k, "value": number if n == "tid" else v} for n, k, v in ATTRIBUTES]
            file.write(json.dumps({"id": 1 + number, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 1,
                                   **root, "attrs": attributes}) + ",\n")
        base = 10
        for tile in range(tiles):
            for index, (event, parent) in enumerate(order):
                above = 1 + threads[event["tid"]] if parent is None else base + parent
                file.write(json.dumps(node(event, above, base + index, tile * steps["id"],
                                           threads[event["tid"]])) + ",\n")
            base += len(order)
        file.write(json.dumps({"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, **root,
                               "attrs": [{"name": n, "type": k, "value": v} for n, k, v in ATTRIBUTES]}))
        file.write('\n],\n"finish_ts": 2}\n')


if __name__ == "__main__":
    main()
