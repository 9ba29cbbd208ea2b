# SPDX-License-Identifier: Apache-2.0
"""Functions of the caller change predicted times: held against clusters and tables that have the same times."""

import json
import math
import os
import pickle
import tempfile
import threading
import unittest
import warnings

import orrery as o

SOURCE = os.environ["ORRERY_SOURCE"]

RING = """
version: 1
name: ring
device: h100-sxm
network:
  - {{block: {block}, size: 8, bandwidth: {bandwidth} GB/s, latency: {latency} ns}}
network_model: {network}
collectives: {{library: {library}}}
"""


def cluster(folder, block="ring", bandwidth=100, latency=500, network="analytical", library="ideal"):
    path = os.path.join(folder, f"{block}-{bandwidth}-{latency}-{network}-{library}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(RING.format(block=block, bandwidth=bandwidth, latency=latency, network=network, library=library))
    return path


def run(job, where, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", o.OrreryWarning)
        return job.run(where, **options)


def codes(answer):
    return [finding["code"] for finding in answer.findings]


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(SOURCE)
        cls.one = o.Job("llama-3.2-1b", global_batch=1, seq=2048)
        cls.eight = o.Job("llama-3.2-1b", tp=4, dp=2, sp=True, global_batch=2, seq=2048)
        cls.job_pp = o.Job("llama-3.2-1b", tp=2, pp=2, dp=2, global_batch=4, seq=2048)

    def test_kernels_twice_as_long_compute_twice_as_long(self):
        seen = []

        def twice(kernel, predicted):
            seen.append(kernel)
            return predicted * 2

        plain, slow = run(self.one, "h100-sxm:1"), run(self.one, "h100-sxm:1", kernel_time=twice)
        self.assertAlmostEqual(slow.step / plain.step, 2, delta=1e-6)
        self.assertIn("time_from_callable", codes(slow))
        self.assertNotIn("time_from_callable", codes(plain))
        self.assertIsNone(slow.interval)
        self.assertEqual(len({json.dumps(kernel) for kernel in seen}), len(seen), "each is asked once")
        for kernel in seen:
            self.assertEqual(kernel["device"], "h100-sxm")
            self.assertGreater(kernel["launches"], 0)
            self.assertEqual(len(kernel["formats"]), 3)

    def test_a_roofline_of_ones_own_is_the_roofline(self):
        roofline = run(self.one, "h100-sxm:1", compute="roofline")
        known = {}

        def remember(kernel, predicted):
            known[kernel["kernel"]] = predicted

        run(self.one, "h100-sxm:1", compute="roofline", kernel_time=remember)
        again = run(self.one, "h100-sxm:1", compute="heuristic",
                    kernel_time=lambda kernel, predicted: known[kernel["kernel"]])
        self.assertEqual(again["step_ns"], roofline["step_ns"])

    def test_only_some_kernels(self):
        plain = run(self.eight, "h100-sxm:8")
        fast = run(self.eight, "h100-sxm:8",
                   kernel_time=lambda kernel, predicted: predicted / 2 if kernel["operation"] == "attention" else None)
        self.assertLess(fast.step, plain.step)
        texts = [place for finding in fast.findings if finding["code"] == "time_from_callable"
                 for place in finding["places"]]
        self.assertRegex(texts[0], r"^kernel_time: changed \d+ of \d+ distinct kernels$")

    def test_functions_that_change_nothing_give_the_same_figures(self):
        for job in (self.one, self.eight, self.job_pp):
            devices = 1 if job is self.one else 8
            with tempfile.TemporaryDirectory() as folder:
                for where in (f"h100-sxm:{devices}", *([cluster(folder), cluster(folder, "switch")] if devices == 8 else [])):
                    with self.subTest(job=job, where=where):
                        plain = run(job, where)
                        same = run(job, where, kernel_time=lambda kernel, predicted: None,
                                   network_time=lambda message, predicted: predicted)
                        self.assertEqual(same["step_ns"], plain["step_ns"])
                        self.assertEqual([each["exposed_comm_ns"] for each in same.per_rank],
                                         [each["exposed_comm_ns"] for each in plain.per_rank])
                        self.assertEqual(same.interval, plain.interval)

    def test_messages_twice_as_long_are_half_the_bandwidth_and_twice_the_latency(self):
        with tempfile.TemporaryDirectory() as folder:
            for block in ("ring", "switch", "fully_connected"):
                for job in (self.eight, self.job_pp):
                    with self.subTest(block=block, job=job):
                        half = run(job, cluster(folder, block, 50, 1000))
                        twice = run(job, cluster(folder, block), network_time=lambda message, predicted: predicted * 2)
                        self.assertAlmostEqual(twice["step_ns"] / half["step_ns"], 1, delta=1e-6)

    def test_collectives_of_a_library(self):
        asked = []

        def slower(message, predicted):
            asked.append(message)
            return predicted * 2 if message["kind"] != "message" else None

        plain = run(self.eight, "h100-sxm:8")
        slow = run(self.eight, "h100-sxm:8", network_time=slower)
        kinds = {message["kind"] for message in asked}
        self.assertTrue(kinds - {"message"}, kinds)
        self.assertGreater(slow.step, plain.step)
        self.assertIsNone(slow.interval)

    def test_what_a_function_raises_reaches_the_caller(self):
        class Mine(Exception):
            pass

        def raises(kernel, predicted):
            raise Mine(kernel["operation"])

        with tempfile.TemporaryDirectory() as folder:
            where = cluster(folder)
            for options in ({"kernel_time": raises}, {"network_time": lambda message, predicted: message["nothing"]}):
                with self.subTest(options=list(options)), self.assertRaises((Mine, KeyError)):
                    run(self.eight, where, **options)
            for value in (0, -1, math.nan, math.inf, 1e9):
                with self.subTest(value=value), self.assertRaisesRegex(ValueError, "return seconds"):
                    run(self.eight, where, kernel_time=lambda kernel, predicted: value)
            with self.assertRaisesRegex(TypeError, "return seconds"):
                run(self.eight, where, network_time=lambda message, predicted: "1 us")

    def test_what_cannot_use_them_says_so(self):
        def unchanged(work, predicted):
            return None

        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(o.OrreryError, "analytical"):
                run(self.eight, cluster(folder, network="flow"), network_time=unchanged)
            for command, question in (("memory", {"model": "llama-3.2-1b", "device": "h100-sxm"}),
                                      ("search", {"model": "llama-3.2-1b", "cluster": "h100-sxm:8"})):
                with self.assertRaisesRegex(o.OrreryError, "functions of the caller"):
                    o.call(command, question, kernel_time=unchanged)
            with self.assertRaisesRegex(o.OrreryError, "variability"):
                run(self.eight, "h100-sxm:8", kernel_time=unchanged, variability="examples/variability/h100.yaml")

    def test_recorded_kernels_do_not_change(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            plain = o.call("run", {"traces": ["examples/calibrate/step.json"], "cluster": "h100-sxm:1"})
            same = o.call("run", {"traces": ["examples/calibrate/step.json"], "cluster": "h100-sxm:1"},
                          kernel_time=lambda kernel, predicted: 1.0)
        self.assertEqual(plain["step_ns"], same["step_ns"])
        self.assertIn("key_without_effect", codes(same))

    def test_runs_are_saved_and_compared_with_their_functions(self):
        slow = run(self.one, "h100-sxm:1", kernel_time=lambda kernel, predicted: predicted * 2)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            path = os.path.join(folder, "slow.orrery")
            slow.save(path)
            compared = o.compare(run(self.one, "h100-sxm:1"), path)
            self.assertIn("2", compared.text)
            report = o.call("report", {"run": path})
            self.assertEqual(report["step_ns"], slow["step_ns"])
            again = pickle.loads(pickle.dumps(slow))
            with self.assertRaisesRegex(ValueError, "pickled"):
                again.save(path)

    def test_threads_and_order_do_not_matter(self):
        answers = []

        def ask():
            answers.append(self.job_pp.run("h100-sxm:8", **options))

        options = {"kernel_time": lambda kernel, predicted: predicted * (1 + len(kernel["kernel"]) / 100)}
        with warnings.catch_warnings():  # filters belong to all threads
            warnings.simplefilter("ignore", o.OrreryWarning)
            threads = [threading.Thread(target=ask) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for threads_of_run in (1, 2):
            answers.append(run(self.job_pp, "h100-sxm:8", threads=threads_of_run, **options))
        self.assertEqual(len({json.dumps(json.loads(answer.document)["result"]["per_rank"]) for answer in answers}), 1)


if __name__ == "__main__":
    unittest.main()
