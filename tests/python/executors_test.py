# SPDX-License-Identifier: Apache-2.0
"""Questions on executors: every answer once and the same bytes, also if a worker dies."""

import os
import signal
import tempfile
import time
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import orrery as o

SOURCE = os.environ["ORRERY_SOURCE"]
QUESTIONS = [("run", {"model": "llama-3.1-8b", "tp": tp, "cluster": cluster}) for tp in (1, 2, 4, 8)
             for cluster in ("h100-sxm:8", "h200-sxm:8")]
SPACE = """\
version: 1
title: Plans for 8 devices
job:
  model: llama-3.1-8b
  batch: {global: 64, micro: "=micro"}
  parallel: {tp: "=tp"}
cluster: h100-sxm:8
axes:
  - {name: tp, values: [1, 2, 4, 8]}
  - {name: micro, values: [1, 2]}
objectives: [step, memory]
"""

try:
    import distributed
except ImportError:
    distributed = None


def wait_and_ask(question):
    time.sleep(0.3)
    return o.ask(question).document


class Flaky:
    """An executor whose workers die at the first try of some calls."""

    def __init__(self, executor, fails):
        self.executor, self.fails = executor, fails

    def submit(self, function, *arguments):
        self.fails -= 1
        if self.fails >= 0:
            return self.executor.submit(os.fsencode, None)  # raises TypeError
        return self.executor.submit(function, *arguments)


class Executors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(SOURCE)
        warnings.simplefilter("ignore", o.OrreryWarning)
        cls.expected = [o.ask(question).document for question in QUESTIONS]

    @classmethod
    def tearDownClass(cls):
        warnings.resetwarnings()

    def check(self, executor):
        self.assertEqual([answer.document for answer in o.map(QUESTIONS, executor=executor)], self.expected)

    def test_threads(self):
        self.check(None)
        with ThreadPoolExecutor(2) as threads:
            self.check(threads)

    def test_processes(self):
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
            self.check(processes)
            self.assertEqual(o.search(o.Job("llama-3.1-8b"), gpus=8, executor=processes).document,
                             o.search(o.Job("llama-3.1-8b"), gpus=8).document)

    def test_a_call_that_fails_is_tried_again(self):
        with ThreadPoolExecutor(2) as threads:
            self.check(Flaky(threads, 3))
            with self.assertRaises(TypeError):
                o.map(QUESTIONS[:1], executor=Flaky(threads, 3))

    def test_a_wrong_question_is_not(self):
        with ThreadPoolExecutor(2) as threads, self.assertRaises(o.OrreryError):
            o.map([QUESTIONS[0], ("run", {"model": "no-such-model", "cluster": "h100-sxm:8"})], executor=threads)

    def test_findings_of_workers_are_warnings_here(self):
        with warnings.catch_warnings(record=True) as caught, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one:
            warnings.simplefilter("always")
            o.map(QUESTIONS[:1], executor=one)
        self.assertTrue([each for each in caught if issubclass(each.category, o.OrreryWarning)])
        self.assertTrue(caught[0].filename.endswith("executors_test.py"), caught[0].filename)

    def test_a_space_in_shares(self):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
            space = os.path.join(folder, "space.yaml")
            with open(space, "w") as file:
                file.write(SPACE)
            alone = o.search(space=space, output=os.path.join(folder, "alone.jsonl"))
            shared = o.search(space=space, executor=threads, shares=3, output=os.path.join(folder, "shared.jsonl"))
            self.assertEqual(alone.best.column("plan"), shared.best.column("plan"))
            # Less those that workers evaluated.
            self.assertEqual({**alone.to_dict(), "evaluated": shared.evaluated}, shared.to_dict())
            with open(os.path.join(folder, "alone.jsonl")) as first, open(os.path.join(folder, "shared.jsonl")) as second:
                self.assertEqual(first.read(), second.read())
            self.assertEqual(sorted(os.listdir(folder)), ["alone.jsonl", "shared.jsonl", "space.yaml"])
            self.assertEqual(len(shared.pareto), len(alone.pareto))
            self.assertEqual(o.search(space=space, executor=threads, shares=2).best.column("plan"),
                             alone.best.column("plan"))
            with self.assertRaises(ValueError):
                o.search(space=space, executor=threads, shares=0)

    def test_dask_with_a_worker_that_is_killed(self):
        if distributed is None:
            self.skipTest("distributed is not installed (./setup python)")
        config = {"distributed.scheduler.allowed-failures": 10, "distributed.admin.tick.limit": "1h",
                  "distributed.logging.distributed": "critical"}
        import dask

        with dask.config.set(config), tempfile.TemporaryDirectory() as folder, \
                distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None,
                                         local_directory=folder, silence_logs=50) as cluster, \
                distributed.Client(cluster) as client:
            victim = next(iter(client.run(os.getpid).values()))
            # Both workers are at work when one of them dies.
            busy = [client.submit(wait_and_ask, question, pure=False) for question in QUESTIONS]
            time.sleep(0.7)
            os.kill(victim, signal.SIGKILL)
            self.check(client)
            self.check(client.get_executor())
            self.assertEqual([future.result() for future in busy], self.expected)
            self.assertNotIn(victim, client.run(os.getpid).values())


if __name__ == "__main__":
    unittest.main()
