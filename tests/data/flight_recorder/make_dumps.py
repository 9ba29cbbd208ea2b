# SPDX-License-Identifier: Apache-2.0
"""Writes made-up dumps of PyTorch's flight recorder, with Python's own pickle and json.

No public dump is known. Keys and their values follow FlightRecorder.hpp and FlightRecorderDetail.hpp of PyTorch (00f0e2f6,
1189309e); PyTorch itself writes protocol 2. Usage: make_dumps.py, in the root of the project.
"""
import json
import pathlib
import pickle

DATA = pathlib.Path("tests/data/flight_recorder")
EXAMPLE = pathlib.Path("examples/hang")
CORPUS = pathlib.Path("tests/fuzz/corpus/flight_recorder_fuzz")
START_NS = 1_764_000_000_000_000_000


class Rank:
    """The ring of one rank."""

    def __init__(self, rank, groups, timing=True):
        self.rank = rank
        self.groups = groups  # name: (description, ranks)
        self.timing = timing
        self.entries = []
        self.sequence = {}
        self.p2p_sequence = {}
        self.now = START_NS + rank * 1_000

    def add(self, group, name, sizes, state="completed", outputs=None, dtype="BFloat16", line=40, p2p=False, after=0):
        """A call after `after` microseconds."""
        self.now += 1_000 * (after or 250)
        counter = self.p2p_sequence if p2p else self.sequence
        counter[group] = counter.get(group, 0) + 1
        entry = {
            "record_id": len(self.entries), "pg_id": sorted(self.groups).index(group),
            "process_group": (group, self.groups[group][0]), "collective_seq_id": self.sequence.get(group, 0),
            "p2p_seq_id": self.p2p_sequence.get(group, 0), "op_id": len(self.entries) + 1,
            "profiling_name": "nccl:" + name, "time_created_ns": self.now,
            "input_sizes": [sizes], "input_dtypes": [dtype], "output_sizes": [outputs or sizes],
            "output_dtypes": [dtype], "state": state,
            "time_discovered_started_ns": self.now + 2_000_000 if self.timing and state != "scheduled" else None,
            "time_discovered_completed_ns": self.now + 3_000_000 if state == "completed" else None,
            "retired": state == "completed", "timeout_ms": 600_000, "is_p2p": p2p,
            "frames": [{"name": "all_reduce", "filename": "/usr/lib/python3/torch/distributed/distributed_c10d.py",
                        "line": 2696},
                       {"name": "train_step", "filename": "/home/user/train.py", "line": line}],
        }
        if self.timing and state == "completed":
            entry["duration_ms"] = 0.125 + 0.5 * (self.rank % 2)
        self.entries.append(entry)

    def dump(self):
        mine = {name: about for name, about in self.groups.items() if self.rank in about[1]}
        return {"version": "2.4",
                "pg_config": {name: {"name": name, "desc": desc, "ranks": str(ranks)}
                              for name, (desc, ranks) in mine.items()},
                "pg_status": {str(i): {"last_enqueued_collective": self.sequence.get(name, -1),
                                       "last_started_collective": -1, "last_completed_collective": -1}
                              for i, name in enumerate(sorted(mine))},
                "entries": self.entries}

    def dump_json(self):
        """As dump_json(): no frames, 0 for times that are not known."""
        dump = self.dump()
        for entry in dump["entries"]:
            del entry["frames"]
            for key in ("time_discovered_started_ns", "time_discovered_completed_ns"):
                entry[key] = entry[key] or 0
        dump["pg_status"] = {k: {n: str(v) for n, v in s.items()} for k, s in dump["pg_status"].items()}
        return json.dumps(dump, sort_keys=True, separators=(",", ":"))


def write(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def not_called(rank):
    """Rank 3 stops before the all-reduce of all ranks, and rank 2 has already called the next one with rank 3."""
    ring = Rank(rank, {"0": ("default_pg", [0, 1, 2, 3]), "1": ("tp", [0, 1]), "2": ("tp", [2, 3])})
    tp = "1" if rank < 2 else "2"
    for step in range(3):
        for _ in range(2):
            ring.add(tp, "all_reduce", [4096, 1024], line=42)
        stuck = step == 2
        if stuck and rank == 3:
            break
        ring.add("0", "all_reduce", [25_557_032], "started" if stuck else "completed", line=58)
        if stuck and rank == 2:
            ring.add(tp, "all_reduce", [4096, 1024], "scheduled", line=42)
    return ring


def different(rank):
    """Rank 1 calls another operation under the same number; the sizes of the one before differ."""
    ring = Rank(rank, {"0": ("default_pg", [0, 1])}, timing=False)
    ring.add("0", "broadcast", [8])
    ring.add("0", "all_reduce", [1024 + rank])
    if rank == 0:
        ring.add("0", "_all_gather_base", [512], "scheduled", outputs=[1024])
    else:
        ring.add("0", "all_reduce", [512], "scheduled")
    return ring


def cycle(rank):
    """Two groups of the same ranks, called in different orders; and sends that wait for each other."""
    ring = Rank(rank, {"5": ("dp", [0, 1]), "6": ("cp", [0, 1]), "7": ("pp", [2, 3])})
    if rank < 2:
        ring.add("5" if rank == 0 else "6", "all_reduce", [64], "started")
    else:
        ring.add("7", f"send {rank - 2}->{3 - rank}", [64], "started", p2p=True)
    return ring


def main():
    for rank in range(4):
        write(EXAMPLE, f"nccl_trace_rank_{rank}", pickle.dumps(not_called(rank).dump(), protocol=2))
        write(DATA / "cycle", f"host{rank // 2}_dump_{rank}", pickle.dumps(cycle(rank).dump(), protocol=5))
    for rank in range(2):
        write(DATA / "different", f"rank{rank}.json", different(rank).dump_json())
        write(CORPUS, f"different.rank{rank}.json", different(rank).dump_json())
    write(CORPUS, "protocol2.rank3", pickle.dumps(not_called(3).dump(), protocol=2))
    write(CORPUS, "protocol3.rank0", pickle.dumps(different(0).dump(), protocol=3))
    write(CORPUS, "protocol4.rank1", pickle.dumps(cycle(1).dump(), protocol=4))
    write(CORPUS, "protocol5.rank2", pickle.dumps(cycle(2).dump(), protocol=5))


if __name__ == "__main__":
    main()
