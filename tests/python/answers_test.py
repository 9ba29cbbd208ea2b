# SPDX-License-Identifier: Apache-2.0
"""Answers of the package are the bytes of the program's --json."""

import json
import os
import pickle
import signal
import subprocess
import tempfile
import threading
import unittest
import warnings

import orrery as o

PROGRAM = os.environ["ORRERY_PROGRAM"]
SOURCE = os.environ["ORRERY_SOURCE"]
MODEL = ["--model", "llama-3.1-8b"]

#: Command lines and the same questions.
QUESTIONS = [
    ("run", ["--model", "llama-3.1-8b", "--tp", tp, "--cluster", "h100-sxm:8"],
     {"model": "llama-3.1-8b", "tp": tp, "cluster": "h100-sxm:8"}) for tp in ("1", "2", "4", "8")
] + [
    ("run", ["--model", model, "--tp", "4", "--cluster", cluster],
     {"model": model, "tp": 4, "cluster": cluster})
    for model in ("llama-2-7b", "qwen3-30b-a3b", "gpt3-13b")
    for cluster in ("h100-sxm:8", "a100-80gb:16", "mi300x:8")
] + [
    ("run", MODEL + ["--tp", "2", "--cluster", "h200-sxm:16", "--network", network],
     {"model": "llama-3.1-8b", "tp": 2, "cluster": "h200-sxm:16", "network": network})
    for network in ("analytical", "message", "flow")
] + [
    ("job count", MODEL + ["--tp", tp, "--dp", "2", "--sp"], {"model": "llama-3.1-8b", "tp": tp, "dp": 2, "sp": True})
    for tp in ("2", "4", "8")
] + [
    ("memory", MODEL + ["--tp", "2", "--device", device], {"model": "llama-3.1-8b", "tp": "2", "device": device})
    for device in ("h100-sxm", "a100-80gb", "mi300x")
] + [
    ("mfu", MODEL + ["--tp", "4", "--cluster", "h100-sxm:8", "--measured-mfu", share],
     {"model": "llama-3.1-8b", "tp": 4, "cluster": "h100-sxm:8", "measured_mfu": share}) for share in ("0.3", "0.4")
] + [
    ("network show", [cluster], {"file": cluster}) for cluster in ("h100-sxm:64", "a100-80gb:16")
] + [
    ("collective compare", [kind, "--cluster", "h100-sxm:8", "--size", "1GB"],
     {"collective": kind, "cluster": "h100-sxm:8", "size": "1GB"})
    for kind in ("all_reduce", "all_gather", "all_to_all")
] + [
    ("trace info", [file], {"traces": [file]}) for file in ("examples/calibrate/step.json",)
] + [
    ("whatif", ["--traces", "examples/calibrate/step.json", "--change", change],
     {"traces": ["examples/calibrate/step.json"], "change": [change]}) for change in ("host=0.5", "kernels=0.5")
] + [
    ("explain", [metric], {"words": [metric]}) for metric in ("mfu", "hfu")
] + [
    ("list", [what], {"list": what}) for what in ("devices", "models", "links", "clusters")
] + [
    ("search", MODEL + ["--cluster", "h100-sxm:8"], {"model": "llama-3.1-8b", "cluster": "h100-sxm:8"}),
    ("goodput", MODEL + ["--tp", "4", "--cluster", "h100-sxm:64"],
     {"model": "llama-3.1-8b", "tp": 4, "cluster": "h100-sxm:64"}),
]


def quiet(command, question, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", o.OrreryWarning)
        return o.call(command, question, **options)


def program(command, line):
    """The command line; the runtime of sanitizers that Python needs before it is not the program's."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run([PROGRAM, *command.split(), *line, "--json"], capture_output=True, text=True, env=environment)


def simulated():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", o.OrreryWarning)
        return o.Job("llama-3.1-8b", tp=4, dp=2).run("h100-sxm:8")


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(SOURCE)

    def test_are_the_programs(self):
        self.assertGreaterEqual(len(QUESTIONS), 40)
        for command, line, question in QUESTIONS:
            with self.subTest(command=command, question=question):
                ran = program(command, line)
                answer = quiet(command, question)
                theirs, ours = json.loads(ran.stdout), json.loads(answer.document)
                theirs.pop("question"), ours.pop("question")  # 4 and "4"
                self.assertEqual(json.dumps(theirs), json.dumps(ours))
                self.assertEqual(answer.ok, ran.returncode == 0)

    def test_bytes_too_where_the_question_is_written_alike(self):
        for command, line, question in QUESTIONS[:4]:
            ran = program(command, line)
            self.assertEqual(ran.stdout, quiet(command, question).document)

    def test_members_have_units(self):
        run = simulated()
        self.assertEqual(run.step.ns, run["step_ns"] * 1e-9 * 1e9)
        self.assertAlmostEqual(run.step.ms, run["step_ns"] / 1e6)
        self.assertEqual(run.memory.peak, run["memory"]["peak_bytes"])
        self.assertIsInstance(run.memory.peak, o.Bytes)
        self.assertLess(run.interval.low, run.step)
        self.assertEqual(run.mfu, run["throughput"]["mfu"])
        self.assertIn("step", dir(run))
        with self.assertRaisesRegex(AttributeError, "step_ns"):
            run.stepp
        self.assertIn("<svg", run._repr_html_())
        self.assertEqual(run.per_rank.column("rank"), list(range(8)))
        self.assertEqual(len(run.per_rank[2:4]), 2)

    def test_a_failed_call_is_an_exception(self):
        with self.assertRaises(o.OrreryError) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            o.Job("llama-3.1-8bb").run("h100-sxm:8")
        self.assertEqual(caught.exception.code, "E1006")
        self.assertEqual(caught.exception.where, "--model")
        self.assertIn("llama-3.1-8b", caught.exception.hint)
        self.assertEqual(caught.exception.status, 2)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(str(again), str(caught.exception))

    def test_no_is_an_answer(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            answer = o.Job("llama-3.1-405b", tp=8).memory(device="h100-sxm")
        self.assertFalse(answer.ok)

    def test_findings_are_warnings(self):
        with self.assertWarnsRegex(o.OrreryWarning, "cluster_from_catalog"):
            o.Job("llama-3.1-8b", tp=4).run("h100-sxm:8")

    def test_everything_pickles(self):
        job = o.Job("llama-3.1-8b", tp=4, dp=2)
        self.assertEqual(pickle.loads(pickle.dumps(job)), job)
        run = simulated()
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual(again.document, run.document)
        self.assertEqual(again.step, run.step)
        self.assertIsInstance(again, o.Run)
        self.assertEqual(again.tables, [])

    def test_two_threads_answer_at_once(self):
        warnings.simplefilter("ignore", o.OrreryWarning)  # catch_warnings is not for threads
        self.addCleanup(warnings.resetwarnings)
        documents = {}

        def ask(tp):
            documents[tp] = o.call("run", {"model": "llama-3.1-8b", "tp": tp, "cluster": "h100-sxm:8"}).document

        threads = [threading.Thread(target=ask, args=(tp,)) for tp in (1, 2, 4, 8) * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for tp, document in documents.items():
            self.assertEqual(document, quiet("run", {"model": "llama-3.1-8b", "tp": tp, "cluster": "h100-sxm:8"}).document)

    def test_runs_compare(self):
        job = o.Job("llama-3.1-8b", tp=4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            first, second = job.run("h100-sxm:8"), job.set(tp=8).run("h100-sxm:8")
            compared = o.compare(first, second)
        self.assertAlmostEqual(compared["first_step_ns"], first["step_ns"], delta=1)
        self.assertAlmostEqual(compared["second_step_ns"], second["step_ns"], delta=1)

    def test_every_command_has_a_function(self):
        from orrery import _library

        there = {name for name in _library.command_names()}
        self.assertEqual(there - {"ui"}, set(o.commands.FUNCTIONS))  # a server needs the program
        with self.assertRaisesRegex(o.OrreryError, "program"):
            o.call("ui", {})
        for name, function in o.commands.FUNCTIONS.items():
            self.assertIn(f"`orrery {name}`", function.__doc__)

    def test_functions_take_options_by_name(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            answer = o.commands.run(model="llama-3.1-8b", tp=4, cluster="h100-sxm:8", keep_run=True)
        self.assertEqual(answer["step_ns"], quiet("run", {"model": "llama-3.1-8b", "tp": 4, "cluster": "h100-sxm:8"})["step_ns"])
        self.assertIn("rank", answer.tables)

    def test_a_name_that_python_has_taken_has_a_line_more(self):
        with tempfile.TemporaryDirectory() as folder:
            path, part = os.path.join(folder, "a.orrery"), os.path.join(folder, "part.json")
            simulated().save(path)
            answer = quiet("report", {"run": [path], "perfetto": part, "from": "1ms", "to": "2ms"})
            same = o.commands.report(run=path, perfetto=part, from_="1ms", to="2ms", force=True)
            self.assertEqual(answer.text, same.text)

    def test_many_questions_keep_their_order(self):
        questions = [("run", {"model": "llama-3.1-8b", "tp": tp, "cluster": "h100-sxm:8"}) for tp in (1, 2, 4, 8)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            answers = o.map(questions)
        self.assertEqual([answer.question["tp"] for answer in answers], [1, 2, 4, 8])

    def test_progress_reaches_a_function_and_its_exception_ends_the_call(self):
        seen = []
        quiet("search", {"model": "llama-3.1-8b", "cluster": "h100-sxm:8"}, progress=seen.append)
        self.assertTrue(seen)
        self.assertIsInstance(seen[0], o.Progress)

        def stop(progress):
            raise ValueError("enough")

        with self.assertRaisesRegex(ValueError, "enough"):
            quiet("search", {"model": "llama-3.1-8b", "cluster": "h100-sxm:8"}, progress=stop)

    def test_ctrl_c_ends_a_call(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(1000):
                quiet("search", {"model": "llama-3.1-70b", "cluster": "h100-sxm:512"}, progress=False)
        timer.join()

    @unittest.skipIf(os.environ.get("ORRERY_TEST_SANITIZED"), "the sanitizer keeps freed memory")
    def test_calls_do_not_grow(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        runs = 10000 if os.environ.get("ORRERY_TEST_EFFORT") == "full" else 150
        question = {"model": "gpt2", "tp": 1, "cluster": "h100-sxm:1", "global_batch": 1}
        for at in range(2 * runs):
            if at == runs:
                before = resident()
            quiet("run", question, keep_run=at % 10 == 0)
        self.assertLess(resident() - before, 2 << 20)

    def test_files_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.orrery")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", o.OrreryWarning)
                o.Job("llama-3.1-8b", tp=4).run("h100-sxm:8").save(path)
            self.assertTrue(quiet("report", {"run": path}).text)


if __name__ == "__main__":
    unittest.main()
