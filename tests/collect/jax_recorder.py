# SPDX-License-Identifier: Apache-2.0
"""collect/orrery_jax.py against a made-up jax module: JAX is no package of Debian."""

import contextlib
import io
import os
import pathlib
import sys
import types
import unittest
from typing import Any, List
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "collect"))
import orrery_jax  # noqa: E402  pylint: disable=wrong-import-position


class FakeOptions:
    """ProfileOptions with the names of JAX 0.8."""
    __slots__ = ("host_tracer_level", "device_tracer_level", "python_tracer_level",
                 "enable_hlo_proto")


def fake_jax(calls: List[Any], options: Any = FakeOptions, backend: str = "cpu",
             fails: bool = False) -> types.ModuleType:
    jax = types.ModuleType("jax")
    jax.profiler = types.SimpleNamespace()

    def start(folder: str, **more: Any) -> None:
        if fails:
            raise RuntimeError("only one profile at a time")
        set_options = more.get("profiler_options")
        names = getattr(set_options, "__slots__", ())
        calls.append(("start", folder, {name: getattr(set_options, name) for name in names}))

    @contextlib.contextmanager
    def annotation(name: str, step_num: int) -> Any:
        calls.append((name, step_num))
        yield
        calls.append(("end", step_num))

    jax.profiler.start_trace = start
    jax.profiler.stop_trace = lambda: calls.append("stop")
    jax.profiler.StepTraceAnnotation = annotation
    if options is not None:
        jax.profiler.ProfileOptions = options
    jax.default_backend = lambda: backend
    jax.block_until_ready = lambda values: calls.append(("wait", values))
    return jax


class JaxRecorder(unittest.TestCase):
    def record(self, steps: int, **more: Any) -> Any:
        calls: List[Any] = []
        errors = io.StringIO()
        with mock.patch.dict(sys.modules, {"jax": fake_jax(calls, **more)}), \
                contextlib.redirect_stderr(errors), \
                orrery_jax.Recorder("profile", warmup=2, record=2) as recorder:
            for step in range(steps):
                recorder.step(step)
        self.assertTrue(recorder.done)
        return calls, errors.getvalue()

    def test_records_whole_steps_with_hlo(self) -> None:
        calls, errors = self.record(6)
        self.assertEqual(calls, [
            ("wait", 1), ("start", "profile", orrery_jax.OPTIONS), ("train", 2), ("end", 2),
            ("train", 3), ("end", 3), ("wait", 3), "stop"])
        self.assertEqual(errors, "")

    def test_training_that_ends_early_writes_what_there_is(self) -> None:
        calls, _ = self.record(3)
        self.assertEqual(calls[-1], "stop")
        calls, errors = self.record(1)
        self.assertEqual(calls, [])
        self.assertIn("nothing is recorded", errors)

    def test_failures_are_reported_and_do_not_end_training(self) -> None:
        calls, errors = self.record(6, fails=True)
        self.assertIn("only one profile at a time", errors)
        self.assertNotIn("stop", calls)

    def test_names_what_the_version_lacks(self) -> None:
        _, errors = self.record(6, options=None)
        self.assertIn("no ProfileOptions", errors)

        class Older:
            __slots__ = ("host_tracer_level",)
        _, errors = self.record(6, options=Older)
        self.assertIn("no option enable_hlo_proto", errors)

    def test_command_buffers_lack_operations(self) -> None:
        with mock.patch.dict(os.environ, {"XLA_FLAGS": ""}):
            self.assertIn("command buffers", self.record(6, backend="gpu")[1])
        with mock.patch.dict(os.environ, {"XLA_FLAGS": orrery_jax.COMMAND_BUFFERS}):
            self.assertEqual(self.record(6, backend="gpu")[1], "")

    def test_refuses_to_record_the_first_step(self) -> None:
        with self.assertRaises(ValueError):
            orrery_jax.Recorder("profile", warmup=0)


if __name__ == "__main__":
    unittest.main()
