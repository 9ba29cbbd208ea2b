# SPDX-License-Identifier: Apache-2.0
"""Tests of the recorder on real models with the installed PyTorch."""

import contextlib
import io
import pathlib
import subprocess
import sys
import unittest
from typing import Any
from unittest import mock

import torch

import orrery_collect
from orrery_collect import host_only, session
from support import EXAMPLE, ROOT, SHIPPED, InFolder, load, program


class Training:
    """A model that counts its steps."""

    def __init__(self) -> None:
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.steps = 0

    def step(self) -> int:
        self.optimizer.zero_grad()
        self.model(torch.ones(4, 8)).mean().backward()
        self.optimizer.step()
        self.steps += 1
        return self.steps


def quietly() -> "contextlib.redirect_stderr[io.StringIO]":
    return contextlib.redirect_stderr(io.StringIO())


@unittest.skipIf(session.has_kineto(), "this PyTorch has Kineto: its own trace is another shape")
class OneProcess(InFolder):
    def test_three_lines_record_what_is_needed(self) -> None:
        training = Training()
        with orrery_collect.Recorder(str(self.folder), warmup=1, clean=2, record=2) as recorder:
            while not recorder.done:
                training.step()
                recorder.step()
        self.assertEqual(training.steps, 1 + 2 + 1 + 2)
        self.assertEqual(self.names(), ["rank0.et.json.gz", "rank0.facts.json", "rank0.kineto.json.gz"])
        self.check_pair(self.folder, 0, 2)
        facts = self.facts()
        self.assertEqual(facts["first_recorded_step"], 4)
        for stretch in ("clean", "recorded"):
            self.assertEqual(len(facts[stretch]["each_seconds"]), 2)
            self.assertAlmostEqual(sum(facts[stretch]["each_seconds"]), facts[stretch]["seconds"], 6)
        self.assertIn("without Kineto", facts["missing"][0]["why"])

    def test_operators_have_shapes_types_and_sequence_numbers(self) -> None:
        training = Training()
        with orrery_collect.Recorder(str(self.folder), warmup=0, clean=0, record=1) as recorder:
            for _ in range(2):
                training.step()
                recorder.step()
        trace = load(self.folder / "rank0.kineto.json.gz")
        first = next(event for event in trace["traceEvents"] if event["name"] == "aten::addmm")
        self.assertEqual(first["args"]["Input Dims"][:3], [[16], [4, 8], [8, 16]])
        self.assertEqual(first["args"]["Input type"][:3], ["float"] * 3)
        backward = next(event for event in trace["traceEvents"] if event["name"] == "AddmmBackward0")
        self.assertGreaterEqual(backward["args"]["Sequence number"], 0)
        self.assertEqual(backward["args"]["Fwd thread id"], first["tid"])
        self.assertNotIn("clean", self.facts())

    def test_training_that_ends_early_leaves_a_shorter_trace(self) -> None:
        training = Training()
        with quietly() as said:
            with orrery_collect.Recorder(str(self.folder), warmup=0, clean=1, record=5) as recorder:
                for _ in range(4):
                    training.step()
                    recorder.step()
        self.assertIn("ended after 4 of 7 steps", said.getvalue())
        self.assertEqual(self.facts()["recorded"]["steps"], 2)
        names = [event["name"] for event in load(self.folder / "rank0.kineto.json.gz")["traceEvents"]]
        self.assertIn("ProfilerStep#3", names)

    def test_training_that_ends_before_recording_leaves_facts_alone(self) -> None:
        with quietly() as said, orrery_collect.Recorder(str(self.folder)) as recorder:
            for _ in range(6):
                recorder.step()
        self.assertIn("nothing was recorded", said.getvalue())
        self.assertEqual(self.names(), ["rank0.facts.json"])
        self.assertEqual(self.facts()["clean"]["steps"], 3)

    def test_an_exception_of_the_training_goes_through(self) -> None:
        with quietly(), self.assertRaisesRegex(KeyError, "theirs"):
            with orrery_collect.Recorder(str(self.folder)):
                raise KeyError("theirs")

    def test_failures_of_ours_end_the_recording_alone(self) -> None:
        for broken in ("prepare", "start", "stop", "save"):
            training = Training()
            with self.subTest(broken), quietly() as said:
                with mock.patch.object(session.Session, broken, side_effect=RuntimeError("ours")):
                    with orrery_collect.Recorder(str(self.folder), warmup=0, clean=0, record=1) as recorder:
                        for _ in range(4):
                            training.step()
                            recorder.step()
                self.assertEqual(training.steps, 4)
                self.assertEqual(said.getvalue().count("training continues"), 1)
                self.assertTrue(any("ours" in line["why"] for line in self.facts()["missing"]))
        # A failed recording does not disturb the next one.
        self.test_three_lines_record_what_is_needed()

    def test_ids_are_given_to_all_operators_or_to_none(self) -> None:
        def event(name: str, thread: int) -> Any:
            return {"ph": "X", "name": name, "tid": thread, "args": {}}

        def node(name: str, thread: int, number: int) -> Any:
            return {"name": name, "tid": thread, "rf_id": number}

        nodes = [node("thread", 1, 0), node("b", 1, 3), node("a", 1, 1), node("gloo:x", 1, 2), node("a", 2, 4)]
        events = [event("a", 1), event("b", 1), event("gloo:x", 7), event("a", 2)]
        self.assertTrue(host_only.name_record_functions(events, nodes))
        self.assertEqual([each["args"]["Record function id"] for each in events], [1, 3, 2, 4])
        for wrong in (nodes[:-1], [*nodes[:-1], node("c", 2, 4)]):
            events = [event("a", 1), event("b", 1), event("gloo:x", 7), event("a", 2)]
            self.assertFalse(host_only.name_record_functions(events, wrong))
            self.assertEqual([each["args"] for each in events], [{}] * 4)
        self.assertTrue(host_only.name_record_functions(events, []))

    def test_collectives_that_began_in_another_order_are_told_apart_by_shape(self) -> None:
        events = [{"ph": "X", "name": "gloo:x", "tid": thread, "args": {"Input Dims": [[size]]}}
                  for thread, size in ((2, 8), (3, 4))]
        nodes = [{"name": "gloo:x", "tid": 1, "rf_id": number, "input_shapes": [[size]]}
                 for number, size in ((5, 4), (6, 8))]
        self.assertTrue(host_only.name_record_functions(events, nodes))
        self.assertEqual([event["args"]["Record function id"] for event in events], [6, 5])

    def test_what_was_written_before_a_failure_stays(self) -> None:
        with mock.patch("orrery_collect.host_only.document", side_effect=OSError("full")), quietly():
            with orrery_collect.Recorder(str(self.folder), warmup=0, clean=0, record=1) as recorder:
                for _ in range(2):
                    Training().step()
                    recorder.step()
        self.assertEqual(self.names(), ["rank0.et.json.gz", "rank0.facts.json"])
        self.assertEqual(self.facts()["files"], {"et": "rank0.et.json.gz"})

    def test_a_folder_that_cannot_be_made_is_no_reason_to_stop(self) -> None:
        (self.folder / "file").write_text("")
        with quietly() as said, orrery_collect.Recorder(str(self.folder / "file" / "x")) as recorder:
            recorder.step()
        self.assertIn("training continues", said.getvalue())

    def test_other_ranks_take_no_part(self) -> None:
        with orrery_collect.Recorder(str(self.folder / "none"), ranks=[1]) as recorder:
            self.assertTrue(recorder.done)
        self.assertEqual(self.names(), [])

    def test_a_wrapped_function_records_itself(self) -> None:
        training = Training()
        step = orrery_collect.wrap_step(training.step, str(self.folder), warmup=1, clean=1, record=1)
        self.assertEqual([step() for _ in range(6)], [1, 2, 3, 4, 5, 6])
        self.check_pair(self.folder, 0, 1)

    def test_a_broken_execution_trace_is_kept_and_said(self) -> None:
        # This version does not escape quotes in names.
        with orrery_collect.Recorder(str(self.folder), warmup=0, clean=0, record=1) as recorder:
            recorder.step()
            with torch.profiler.record_function('a "quoted" name'):
                Training().step()
            recorder.step()
        self.assertIn("rank0.et.json.gz", self.names())
        self.assertIn("a sound execution trace", [line["what"] for line in self.facts()["missing"]])


class Plan(unittest.TestCase):
    def test_nonsense_is_refused_before_training(self) -> None:
        for options in ({"warmup": -1}, {"clean": -1}, {"record": 0}):
            with self.subTest(options), self.assertRaises(ValueError):
                orrery_collect.Recorder("x", **options)  # type: ignore[arg-type]


@unittest.skipIf(session.has_kineto(), "this PyTorch has Kineto: its own trace is another shape")
class TwoProcesses(InFolder):
    def test_the_example_records_both_ranks(self) -> None:
        command = [sys.executable, "-B", str(EXAMPLE), str(self.folder), "--layers", "1", "--record", "1"]
        subprocess.run(command, check=True, env={"PYTHONPATH": str(ROOT / "collect"), "PATH": "/usr/bin:/bin"})
        for rank in (0, 1):
            self.check_pair(self.folder, rank, 1)
            self.check_collectives(self.folder, rank, 1)

    def test_the_shipped_traces_are_whole(self) -> None:
        for rank in (0, 1):
            self.check_pair(SHIPPED, rank, 2)
            self.check_collectives(SHIPPED, rank, 2)
            self.assertEqual(load(SHIPPED / f"rank{rank}.facts.json")["rank"], rank)

    def check_collectives(self, folder: pathlib.Path, rank: int, steps: int) -> None:
        trace = load(folder / f"rank{rank}.kineto.json.gz")
        about = trace["distributedInfo"]
        self.assertEqual((about["backend"], about["rank"], about["world_size"]), ("gloo", rank, 2))
        self.assertEqual(about["pg_config"][0]["ranks"], [0, 1])
        work = [event for event in trace["traceEvents"] if event["name"].startswith("gloo:")]
        losses = [event for event in work if event["args"]["In msg nelems"] == 1]
        self.assertEqual(len(losses), steps)
        self.assertGreater(len(work), 3 * steps)
        for event in work:
            self.assertEqual(event["args"]["Group size"], 2)
            self.assertEqual(event["args"]["dtype"], "float")
            self.assertNotEqual(event["tid"], 1)


class ReadByOrrery(InFolder):
    def test_the_shipped_traces_are_checked_and_converted(self) -> None:
        orrery = program()
        if orrery is None:
            self.skipTest("no program that converts")
        traces = str(SHIPPED / "*.gz")
        for command in (["trace", "validate", "--traces", traces],
                        ["trace", "convert", "--traces", traces, "-o", str(self.folder / "out")]):
            with self.subTest(command[0]):
                done = subprocess.run([orrery, *command], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertLessEqual({"out.0.et", "out.1.et"}, set(self.names()))


if __name__ == "__main__":
    unittest.main()
