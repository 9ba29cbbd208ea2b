# SPDX-License-Identifier: Apache-2.0
"""Recordings with planted late arrivals: `orrery trace info --view collectives` finds each within 2 %.

The ranks have clocks with offsets; a collective ends on all ranks at once, within half a microsecond.
Costs less than 1 s of a processor.
"""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

RANKS, STEPS, TRANSFER = 4, 24, 400.0  # us


class Rank:
    """The recording of one rank; times in us on a common clock, written on the rank's own."""

    def __init__(self, number, offset):
        self.number, self.offset, self.events, self.correlation = number, offset, [], 0

    def event(self, category, name, pid, tid, start, duration, args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                            "ts": round(start + self.offset, 3), "dur": round(duration, 3), "args": args})

    def kernel(self, name, stream, start, duration, **args):
        self.correlation += 1
        self.event("cuda_runtime", "cudaLaunchKernel", 1, 1, start - 20, 5, {"correlation": self.correlation})
        self.event("kernel", name, 0, stream, start, duration,
                   {"correlation": self.correlation, "device": 0, "stream": stream, **args})

    def all_reduce(self, start, end, elements):
        self.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 20, start, end - start,
                    **{"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements,
                       "dtype": "Float", "Group size": RANKS, "Process Group Name": "0",
                       "Process Group Ranks": str(list(range(RANKS)))})

    def write(self, folder):
        path = folder / f"rank{self.number}.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": self.events,
                                    "distributedInfo": {"backend": "nccl", "rank": self.number,
                                                        "world_size": RANKS}}))
        return str(path)


def planted(seed, offsets):
    """Ranks, and for each step (last rank, skew)."""
    rng = random.Random(seed)
    ranks = [Rank(r, offsets[r]) for r in range(RANKS)]
    expected, now = [], 10_000.0
    for step in range(STEPS):
        late = rng.randrange(RANKS)
        arrivals = [now + rng.uniform(0, 40) for _ in ranks]
        arrivals[late] = now + rng.uniform(100, 900)
        last = max(arrivals)
        for rank, arrival in zip(ranks, arrivals):
            rank.kernel("gemm", 7, now - 300, 250)
            rank.all_reduce(arrival, last + TRANSFER + rng.uniform(0, 0.5), 250_000)
        expected.append((late, last - min(arrivals)))
        now = last + TRANSFER + 500
    return ranks, expected


def view_of(ranks):
    with tempfile.TemporaryDirectory() as folder:
        files = [rank.write(pathlib.Path(folder)) for rank in ranks]
        done = subprocess.run([os.environ["ORRERY_PROGRAM"], "trace", "info", *files, "--view", "collectives",
                               "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["result"]["views"]["collectives"]


class PlantedSkews(unittest.TestCase):
    def check(self, view, expected):
        rows = sorted(view["collectives"], key=lambda row: row["at_ns"])
        self.assertEqual(len(rows), STEPS)
        for row, (late, skew) in zip(rows, expected):
            self.assertEqual(row["last_rank"], late)
            self.assertAlmostEqual(row["skew_ns"] / 1e3, skew, delta=0.02 * skew)
            self.assertAlmostEqual(row["transfer_ns"] / 1e3, TRANSFER, delta=1)
            self.assertEqual(row["bytes"], 1_000_000)
            self.assertAlmostEqual(row["algbw_bytes_per_s"], 1e6 / (row["transfer_ns"] * 1e-9), delta=1e3)
            factor = 2 * (RANKS - 1) / RANKS
            self.assertAlmostEqual(row["busbw_bytes_per_s"], row["algbw_bytes_per_s"] * factor, delta=1e3)
        group, = view["groups"]
        self.assertEqual((group["algorithm"], group["count"], group["type"]), ("ring LL", STEPS, "all_reduce"))
        worst = max(skew for _, skew in expected)
        self.assertAlmostEqual(group["skew_max_ns"] / 1e3, worst, delta=0.02 * worst)
        waits = sum(row["last_count"] for row in view["ranks"])
        self.assertEqual(waits, STEPS)

    def test_equal_clocks(self):
        for seed in range(3):
            ranks, expected = planted(seed, [0] * RANKS)
            self.check(view_of(ranks), expected)

    def test_clocks_with_offsets(self):
        ranks, expected = planted(7, [0, 50_000, -3_000, 777])
        self.check(view_of(ranks), expected)

    def test_one_rank_has_durations_only(self):
        ranks, _ = planted(1, [0] * RANKS)
        view = view_of(ranks[:1])
        states = {row["state"]: row["count"] for row in view["states"]}
        self.assertEqual((view["known"], states["alone"], view["collectives"]), (0, STEPS, []))
        group, = view["groups"]
        self.assertEqual((group["count"], group["skew_mean_ns"], group["busbw_bytes_per_s"]), (STEPS, None, None))
        self.assertGreater(group["mean_ns"], TRANSFER * 1e3)
        self.assertIn("recordings of others", view["alone_note"])


if __name__ == "__main__":
    unittest.main()
