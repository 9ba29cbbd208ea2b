# SPDX-License-Identifier: Apache-2.0
"""Collective algorithms as generators of sends, and the pictures that notebooks show."""

import dataclasses
import json
import os
import pathlib
import tempfile
import unittest
import warnings
import xml.etree.ElementTree as xml

import orrery as o

SOURCE = os.environ["ORRERY_SOURCE"]


def ring(ranks, passes=(True, False), order=None):
    """A reduce-scatter and an all-gather around the ranks in this order."""
    order = order or list(range(ranks))
    for adds in passes:
        for turn in range(ranks - 1):
            for at in range(ranks):
                yield o.Send(order[at], order[(at + 1) % ranks], order[(at - turn - adds) % ranks], adds=adds)


def halving_doubling(ranks):
    """Rabenseifner's algorithm for powers of two."""
    distances = []
    far = ranks // 2
    while far:
        distances.append(far)
        far //= 2
    for adds, order in ((True, distances), (False, distances[::-1])):
        for distance in order:
            for rank in range(ranks):
                peer = rank ^ distance
                owner = peer if adds else rank
                first = owner // distance * distance
                yield o.Send(rank, peer, first, adds=adds, count=distance)


def checked(plan, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", o.OrreryWarning)
        return plan.check(*arguments, **options)


class Plans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(SOURCE)

    def test_a_ring_is_the_built_in_ring(self):
        # The built-in ring goes through a grid of hosts and rails back and forth.
        there_and_back = [*range(8), *range(15, 7, -1)]
        for cluster, order in (("h100-sxm:8", range(8)), ("a100-80gb:16", there_and_back),
                               ("examples/clusters/two-tiers-16.yaml", range(16))):
            ranks = len(order)
            for size in ("1MB", "1GB"):
                with self.subTest(cluster=cluster, size=size), warnings.catch_warnings():
                    warnings.simplefilter("ignore", o.OrreryWarning)
                    compared = o.commands.collective_compare(collective="all_reduce", cluster=cluster, size=size)
                    own = next(row for row in compared["algorithms"] if row["name"] == "plan ring")
                    plan = o.Plan("all_reduce", ring(ranks, order=order), ranks=ranks, chunks=ranks)
                    answer = plan.check(cluster, size=size, network=compared["network_model"])
                    self.assertTrue(answer.ok)
                    self.assertEqual(answer.run["time_ns"], own["time_ns"])

    def test_each_collective_has_its_plan(self):
        ranks = 4
        plans = [
            o.Plan("all_reduce", halving_doubling(ranks), ranks=ranks, chunks=ranks),
            o.Plan("reduce_scatter", ring(ranks, (True,)), ranks=ranks, chunks=ranks),
            o.Plan("all_gather", ring(ranks, (False,)), ranks=ranks, chunks=ranks),
            o.Plan("all_to_all", (o.Send(source, target, target, target_chunk=source)
                                  for source in range(ranks) for target in range(ranks)), ranks=ranks, chunks=ranks),
            o.Plan("broadcast", (o.Send(rank, rank + 1, chunk) for chunk in range(2) for rank in range(ranks - 1)),
                   ranks=ranks, chunks=2),
            o.Plan("reduce", (o.Send((2 + at) % 4, (3 + at) % 4, 0, adds=True) for at in range(3)), ranks=ranks, chunks=1,
                   root=1),
            o.Plan("all_reduce", [*(o.Send(rank, 0, 0, adds=True) for rank in (1, 2, 3)),
                                  *(o.Send(0, rank, 0) for rank in (1, 2, 3))], ranks=ranks, chunks=1),
            o.Plan("all_reduce", [dataclasses.replace(send, channel=send.chunk % 2) for send in ring(ranks)], ranks=ranks,
                   chunks=ranks),
        ]
        for plan in plans:
            with self.subTest(plan=repr(plan)):
                answer = checked(plan)
                self.assertTrue(answer.ok, answer.text)
                self.assertTrue(answer["result_checked"])

    def test_a_wrong_algorithm_is_an_answer_of_no(self):
        sends = list(ring(4))
        answer = checked(o.Plan("all_reduce", sends[:-1], ranks=4, chunks=4))
        self.assertFalse(answer.ok)
        self.assertIn("wrong result", answer.text)
        with self.assertRaises(o.OrreryError):
            checked(o.Plan("all_reduce", sends, ranks=4, chunks=4), "h100-sxm:2", size="1MB")

    def test_impossible_sends_are_refused(self):
        for sends, message in (([o.Send(0, 4, 0)], "no rank 4"), ([o.Send(0, 1, 4)], "chunk 4 is beyond the input"),
                               ([o.Send(0, 1, 0, count=5)], "beyond"), ([o.Send(1, 1, 0, adds=True)], "add to itself"),
                               ([o.Send(0, 1, 0, buffers=("input", "scratch"))], "scratch, which has 0 chunks")):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                o.Plan("all_reduce", sends, ranks=4, chunks=4)
        with self.assertRaisesRegex(ValueError, "no collective"):
            o.Plan("gossip", [], ranks=4, chunks=4)

    def test_what_a_generator_raises_reaches_the_caller(self):
        def broken():
            yield o.Send(0, 1, 0)
            raise LookupError("lost")

        with self.assertRaisesRegex(LookupError, "lost"):
            o.Plan("all_reduce", broken(), ranks=2, chunks=1)

    def test_equal_sends_are_equal_bytes(self):
        first, second = (o.Plan("all_reduce", ring(8), ranks=8, chunks=8, name='a "ring"').xml for _ in range(2))
        self.assertEqual(first, second)
        self.assertEqual(xml.fromstring(first).get("name"), 'a "ring"')

    def test_a_job_runs_a_saved_plan(self):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            o.Plan("all_reduce", ring(8), ranks=8, chunks=8).save(os.path.join(folder, "ring.xml"))
            path = pathlib.Path(folder, "cluster.json")
            path.write_text(json.dumps({
                "name": "custom", "device": "h100-sxm", "network": [{"block": "switch", "size": 8, "link": "nvlink4"}],
                "collectives": {"all_reduce": {"custom": "ring.xml"}}}))
            job = o.Job("llama-3.1-8b", tp=8)
            self.assertNotEqual(job.run(path)["step_ns"], job.run("h100-sxm:8")["step_ns"])


class Pictures(unittest.TestCase):
    def parsed(self, html):
        return [xml.fromstring("<svg" + part.split("</svg>")[0] + "</svg>") for part in html.split("<svg")[1:]]

    def test_a_run_has_a_summary_a_bar_and_a_timeline(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            run = o.Job("llama-3.1-8b", tp=2, pp=2, global_batch=32, micro_batch=1).run("h100-sxm:8")
            brief = o.Job("llama-3.1-8b", tp=2).run("h100-sxm:8", keep_run=False)
        html = run._repr_html_()
        self.assertIn(f"<b>{run.step}</b> per step", html)
        self.assertIn(f"MFU {100 * run.mfu:.1f} %", html)
        bar, timeline = self.parsed(html)
        self.assertAlmostEqual(sum(float(box.get("width")) for box in bar.iter("rect")), 640, delta=0.5)
        lanes = {text.text for text in timeline.iter("text")}
        self.assertTrue({"compute", "tp", "dp", "sends", "receives"} <= lanes, lanes)
        for box in timeline.iter("rect"):
            self.assertLessEqual(float(box.get("x")) + float(box.get("width")), 640)
        self.assertLess(len(html), 200_000)
        self.assertEqual(len(self.parsed(brief._repr_html_())), 1)

    def test_a_search_has_its_front(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            found = o.search(o.Job("llama-3-8b", seq=4096, global_batch=128), cluster="h100-sxm:8", method="estimate")
        picture, = self.parsed(found._repr_html_())
        points = [(row["estimate_ns"], row["memory_bytes"]) for row in found["best"]]
        best = [point for point in points if not any(other != point and other[0] <= point[0] and other[1] <= point[1]
                                                     for other in points)]
        red = [dot for dot in picture.iter("circle") if dot.get("fill") == "#e45756"]
        self.assertEqual(len(list(picture.iter("circle"))), len(points))
        self.assertEqual(len(red), len(best))

    def test_other_answers_are_their_text(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            answer = o.call("list", {"list": "links"})
        self.assertTrue(answer._repr_html_().startswith("<pre>"))


if __name__ == "__main__":
    unittest.main()
