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
job:
  model: llama-3.1-8b
  global_batch: 64
cluster: h100-sxm:8
axes:
  job.parallel.tp: [1, 2, 4, 8]
  job.batch.micro: [1, 2]
"""

try:
    import distributed
except ImportError:
    distributed = None


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
            self.assertEqual({**alone.to_dict(), "question": 0}, {**shared.to_dict(), "question": 0})
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
            pids = list(client.run(os.getpid).values())
            futures = client.get_executor()
            began = futures.submit(time.sleep, 0.2)
            os.kill(pids[0], signal.SIGKILL)
            self.check(futures)
            began.result()
            self.check(client)
            again = client.run(os.getpid)
            self.assertNotIn(pids[0], again.values())


if __name__ == "__main__":
    unittest.main()
