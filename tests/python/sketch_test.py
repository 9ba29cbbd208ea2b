# SPDX-License-Identifier: Apache-2.0
"""The package as docs/python.md shows it, line by line."""

import os
import re
import unittest
import warnings
from xml.etree import ElementTree

import orrery as o

SOURCE = os.environ["ORRERY_SOURCE"]
STEP = "examples/calibrate/step.json"

try:
    import pandas
except ImportError:
    pandas = None


class Sketch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(SOURCE)
        warnings.simplefilter("ignore", o.OrreryWarning)
        cls.job = o.Job("llama-3.1-8b", tp=4, dp=2, sp=True, global_batch=8)
        cls.run_ = cls.job.run("h100-sxm:8")

    @classmethod
    def tearDownClass(cls):
        warnings.resetwarnings()

    def test_a_step_has_units(self):
        self.assertAlmostEqual(self.run_.step.ms, self.run_["step_ns"] * 1e-6)
        self.assertLess(self.run_.interval.low.ms, self.run_.interval.high.ms)
        self.assertTrue(0 < self.run_.mfu < 1)
        self.assertEqual(self.job.run(o.Cluster("h100-sxm", 8)).document, self.run_.document)

    def test_nodes_of_a_rank(self):
        nodes = self.run_.nodes(rank=3)
        self.assertEqual(set(nodes["rank"].tolist()), {3})
        self.assertEqual(int(nodes["end_ps"].max()), round(self.run_["step_ns"] * 1000))
        self.assertEqual(len(self.run_.nodes()), sum(len(self.run_.nodes(rank)) for rank in range(8)))
        self.assertIn("compute", nodes["kind"].tolist())
        self.assertFalse(nodes["start_ps"].flags.owndata)
        for rank in (8, -1):
            with self.assertRaises(KeyError):
                self.run_.nodes(rank=rank)

    def test_the_critical_path_by_kind(self):
        sums = self.run_.critical_path.by("kind")
        self.assertAlmostEqual(sum(sums.values()) / 1000, self.run_["step_ns"], delta=1)
        self.assertEqual(sums.names, ("kind", "duration_ps"))
        self.assertIn("<table>", sums._repr_html_())
        if pandas:
            self.assertEqual(list(sums.to_pandas()["kind"]), list(sums))

    def test_a_run_that_is_not_kept_has_no_tables(self):
        with self.assertRaisesRegex(KeyError, "keep_run"):
            self.job.run("h100-sxm:8", keep_run=False).nodes(rank=0)

    def test_traces(self):
        self.assertEqual(o.traces(STEP).inspect().command, "trace info")
        replay = o.replay(STEP)
        self.assertGreater(replay.per_rank[0].simulated.ms, 0)
        whatif = replay.whatif("host=0.5")
        self.assertAlmostEqual(whatif.gain.ns, whatif["base_step_ns"] - whatif["changed_step_ns"], delta=1e-3)
        self.assertAlmostEqual(whatif.speedup, whatif["base_step_ns"] / whatif["changed_step_ns"])
        with self.assertRaisesRegex(ValueError, "no change"):
            o.traces(STEP).whatif().gain

    def test_a_search_has_a_front(self):
        found = o.search(self.job.set(tp=None, dp=None, sp=None), gpus=64, top=30)
        front = found.pareto
        self.assertTrue(0 < len(front) < len(found.best))
        self.assertEqual(front[0]["plan"], found.best[0]["plan"])
        # Each plan of the front that is slower needs less memory.
        for one, other in zip(front, list(front)[1:]):
            self.assertGreater(one["memory_bytes"], other["memory_bytes"])
        if pandas:
            self.assertEqual(len(front.to_pandas()), len(front))
        ElementTree.fromstring(picture_of(found))
        several = o.search(self.job.set(tp=None, dp=None, sp=None), gpus=[8, 16])
        self.assertEqual([row["cluster"] for row in several.rows if row["front"]],
                         [row["cluster"] for row in several.pareto])

    def test_memory(self):
        memory = o.memory(self.job, device="h100-sxm")
        self.assertIsInstance(memory.peak, o.Bytes)

    def test_serving(self):
        served = o.infer("qwen3-32b", gpu="h200-sxm", tp=2, num_prompts=20, rate=2.0)
        self.assertIsInstance(served.ttft.p99, o.Time)
        self.assertEqual(served.question["tensor_parallel_size"], 2)

    def test_two_runs_compared(self):
        compared = o.compare(self.run_, self.job.set(tp=8, dp=1).run("h100-sxm:8"))
        self.assertAlmostEqual(compared.first_step, self.run_.step, delta=1e-9)

    def test_pictures(self):
        html = self.run_._repr_html_()
        self.assertIn("compute", html)
        pictures = [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", html, re.S)]
        boxes = [picture.findall("rect") for picture in pictures]
        self.assertEqual(len(pictures), 2)  # the breakdown and the timeline
        self.assertTrue(10 < len(boxes[1]) < 20000)
        for box in boxes[0] + boxes[1]:
            self.assertLessEqual(float(box.get("x")) + float(box.get("width")), 641)

    def test_errors_and_findings(self):
        with self.assertRaises(o.OrreryError) as caught:
            self.job.set(tp=3).run("h100-sxm:8")
        for part in (caught.exception.code, caught.exception.where, caught.exception.hint):
            self.assertTrue(part)
        self.assertTrue(issubclass(o.OrreryWarning, UserWarning))


def picture_of(answer):
    html = answer._repr_html_()
    return html[html.index("<svg"):html.index("</svg>") + 6]


if __name__ == "__main__":
    unittest.main()
