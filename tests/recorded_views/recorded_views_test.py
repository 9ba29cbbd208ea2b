# SPDX-License-Identifier: Apache-2.0
"""Compares views of recordings (orrery trace info --view) with an independent counter, on the recordings of HTA's own
tests, to the picosecond. docs/recorded-views.md lists where HTA's program differs from its documentation.

Without the recordings, the tests are skipped, which the output says. Short form: recordings of up to 200 KB; with
ORRERY_TEST_EFFORT=full all of them. Costs 1 s of a processor, or 15 s.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import unittest

import recorded_views as counter

FOLDER = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data" / "traces" / "hta"
PROGRAM = os.environ.get("ORRERY_PROGRAM", "")
SHORT_BYTES = 200_000
# No works of a GPU (HTA reads those of MTIA as well), or no trace of one rank.
WITHOUT_GPU = ("cpu_only.rank34", "mtia_rank_0", "pair_simple_add.et")
MOST_SEQUENCES = 1000


def ps(value):
    return round(value * 1000)


def answer(path, *options):
    done = subprocess.run([PROGRAM, "trace", "info", str(path), "--json", *options], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{path.name}: {done.stderr}")
    return json.loads(done.stdout)["result"]


def recordings():
    limit = None if os.environ.get("ORRERY_TEST_EFFORT") == "full" else SHORT_BYTES
    return [path for path in sorted(FOLDER.glob("*.gz"))
            if not path.name.startswith(WITHOUT_GPU) and (limit is None or path.stat().st_size <= limit)]


class Views(unittest.TestCase):
    maxDiff = 2000

    def test_equal_the_counter(self):
        for path in recordings():
            with self.subTest(path.name):
                recording = counter.Recording(path)
                views = answer(path, "--view", "launches,idle,sequences,ranges")["views"]
                self.device(recording, views["idle"])
                self.streams(recording, views["idle"])
                self.causes(path, views["idle"])
                self.calls(recording, views["launches"])
                self.queues(recording, views["launches"])
                self.sequences(recording, views["sequences"])
                self.ranges(recording, views["ranges"])

    def test_names_of_device_work(self):
        kinds = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
        for path in recordings():
            with self.subTest(path.name):
                expected = {(name, kinds[category]): of
                            for (name, category), of in counter.kernel_breakdown(counter.Recording(path)).items()}
                rank, = answer(path)["per_rank"]
                found = {(row["name"], row["kind"]): (row["count"], ps(row["total_ns"]), ps(row["max_ns"]))
                         for row in rank["device_work"]}
                self.assertEqual(found, expected)

    def device(self, recording, view):
        row, = view["device"]
        found = {key: ps(row[name]) for key, name in
                 (("length", "length_ns"), ("compute", "compute_ns"), ("idle", "idle_ns"), ("other", "other_ns"),
                  ("comm", "comm_ns"), ("overlap", "overlap_ns"))}
        self.assertEqual(found, counter.temporal_breakdown(recording))

    def streams(self, recording, view):
        names = ("host_wait", "kernel_wait", "other")
        found = {(row["device"], row["stream"]):
                 [row["count"], ps(row["busy_ns"])] + [ps(row[name + "_ns"]) for name in names] +
                 [row[name + "_count"] for name in names] for row in view["streams"]}
        expected = {stream: [of["works"], of["busy"]] + [of[name] for name in names] +
                    [of[name + "_count"] for name in names]
                    for stream, of in counter.idle_time_breakdown(recording).items()}
        self.assertEqual(found, expected)

    def causes(self, path, view):
        """The causes sum up to what trace info shows."""
        whole, = [rank["breakdown"] for rank in answer(path)["per_rank"]]
        total = sum(ps(row["idle_ns"]) for row in view["causes"])
        host = sum(ps(row["idle_ns"]) for row in view["causes"] if row["host_bound"])
        self.assertEqual((total, host), (ps(whole["idle_ns"]), ps(whole["host_bound_ns"])))

    def calls(self, recording, view):
        found = collections.defaultdict(collections.Counter)
        for row in view["calls"]:
            sums = found[row["name"]]
            for key, name in (("count", "count"), ("works", "works"), ("short", "short_works"),
                              ("long", "long_calls"), ("late", "late_works")):
                sums[key] += row[name]
            for key, name in (("call", "call_total_ns"), ("work", "work_total_ns"), ("delay", "delay_total_ns"),
                              ("after", "delay_after_call_total_ns")):
                sums[key] += ps(row[name])
        self.assertEqual(dict(found), dict(counter.launch_statistics(recording)))
        lost = len(recording.work) - sum(of["works"] for of in found.values())
        self.assertEqual(view["without_call"], lost)

    def queues(self, recording, view):
        expected = counter.queue_lengths(recording)
        self.assertEqual({(row["device"], row["stream"]): (row["count"], row["max_length"]) for row in view["queues"]},
                         {stream: of[:2] for stream, of in expected.items()})
        for row in view["queues"]:
            queued = expected[row["device"], row["stream"]][2]
            self.assertAlmostEqual(row["mean_length"] * ps(row["span_ns"]), queued, delta=1e-5 * queued + 1)

    def sequences(self, recording, view):
        expected = counter.sequences(recording)
        rows = view["by_operator"]
        self.assertEqual(len(rows), min(len(expected), MOST_SEQUENCES))
        least = min((row["count"] for row in rows), default=0)
        short = {(name, " | ".join(works)): of for (name, works), of in expected.items() if len(works) <= 64}
        found = {(row["name"], row["sequence"]): (row["count"], ps(row["device_ns"]), ps(row["host_ns"]))
                 for row in rows if row["length"] <= 64}
        for key, of in found.items():
            self.assertEqual(of, short.get(key), key)
        self.assertEqual([key for key, of in short.items() if of[0] > least and key not in found], [])

    def ranges(self, recording, view):
        found = {row["name"]: (row["count"], ps(row["total_ns"]), ps(row["min_ns"]), ps(row["max_ns"]))
                 for row in view["ranges"]}
        self.assertEqual(found, counter.annotations(recording))


if __name__ == "__main__":
    if not FOLDER.is_dir() or not PROGRAM:
        print("skipped: HTA's recordings are not beside the project (../shared/data/traces/hta)")
        sys.exit(0)
    unittest.main()
