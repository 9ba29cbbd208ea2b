# SPDX-License-Identifier: Apache-2.0
"""Records a few steps of a JAX training run for Orrery, as XPlane with HLO programs.

    import orrery_jax                                  # 1
    with orrery_jax.Recorder("profile") as recorder:   # 2
        for batch in batches:
            state = train_step(state, batch)
            recorder.step(state)                       # 3: at the end of every step

Each process (host) writes profile/plugins/profile/TIME/HOST.xplane.pb. This file needs the standard
library and jax alone: copy it next to your script. A failure in here never ends the training run: it
is reported once, on standard error, and training continues. docs/collect.md describes it.
"""

import os
import sys
from typing import Any, List, Optional

# What the recording needs, by the names of jax.profiler.ProfileOptions. Python frames (level 1)
# would take most of the file.
OPTIONS = {"host_tracer_level": 2, "device_tracer_level": 1, "python_tracer_level": 0,
           "enable_hlo_proto": True}
COMMAND_BUFFERS = "--xla_gpu_enable_command_buffer="


class Recorder:
    """Skips `warmup` steps, then records `record` steps into `folder`.

    `step(values)` waits for `values` (any arrays of the step's results) at the borders of the recorded
    part, so that the recording has complete steps. `done` is true after the last recorded step.
    """

    def __init__(self, folder: str, warmup: int = 3, record: int = 3) -> None:
        if warmup < 1 or record < 1:
            raise ValueError("warmup and record must be at least 1: the first step compiles")
        self._folder = os.fspath(folder)
        self._first, self._end = warmup, warmup + record
        self._steps = 0
        self._running = False
        self._over = False
        self._annotation: Optional[Any] = None
        self.notes: List[str] = []  # what the recording lacks

    @property
    def done(self) -> bool:
        """True once nothing is left to record."""
        return self._over

    def step(self, values: Any = None) -> None:
        """A step has ended, and the next begins."""
        if self._over:
            return
        self._steps += 1
        try:
            self._boundary(values)
        except Exception as error:  # pylint: disable=broad-except
            self._give_up(error)

    def stop(self) -> None:
        """Training is over. Writes what there is if it ended before the plan."""
        if self._over:
            return
        try:
            self._finish()
        except Exception as error:  # pylint: disable=broad-except
            self._give_up(error)
        self._over = True

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _boundary(self, values: Any) -> None:
        import jax  # pylint: disable=import-outside-toplevel
        self._end_step()
        if self._steps in (self._first, self._end) and values is not None:
            jax.block_until_ready(values)
        if self._steps == self._first:
            self._begin(jax)
        if self._steps == self._end:
            self._finish()
        elif self._running:
            self._annotation = jax.profiler.StepTraceAnnotation("train", step_num=self._steps)
            self._annotation.__enter__()

    def _begin(self, jax: Any) -> None:
        if jax.default_backend() == "gpu" and COMMAND_BUFFERS not in os.environ.get("XLA_FLAGS", ""):
            self._note("XLA may run kernels in command buffers, whose operations it does not record. "
                       f"XLA_FLAGS={COMMAND_BUFFERS} turns them off, which changes the step time")
        options = self._options(jax)
        if options is None:
            jax.profiler.start_trace(self._folder)
        else:
            jax.profiler.start_trace(self._folder, profiler_options=options)
        self._running = True

    def _options(self, jax: Any) -> Optional[Any]:
        if not hasattr(jax.profiler, "ProfileOptions"):
            self._note("this version of JAX has no ProfileOptions: its defaults apply, and Python "
                       "frames may take most of the file")
            return None
        options = jax.profiler.ProfileOptions()
        for name, value in OPTIONS.items():
            try:
                setattr(options, name, value)
            except (AttributeError, TypeError):
                self._note(f"this version of JAX has no option {name}")
        return options

    def _end_step(self) -> None:
        if self._annotation is not None:
            annotation, self._annotation = self._annotation, None
            annotation.__exit__(None, None, None)

    def _finish(self) -> None:
        self._end_step()
        if self._running:
            import jax  # pylint: disable=import-outside-toplevel
            self._running = False
            jax.profiler.stop_trace()
        elif not self._over:
            self._note(f"training ended after {self._steps} steps: nothing is recorded")
        self._over = True

    def _note(self, text: str) -> None:
        self.notes.append(text)
        print(f"orrery_jax: {text}", file=sys.stderr)

    def _give_up(self, error: Exception) -> None:
        self._note(f"recording ends: {type(error).__name__}: {error}")
        self._over = True
        if self._running:
            self._running = False
            try:
                import jax  # pylint: disable=import-outside-toplevel
                jax.profiler.stop_trace()
            except Exception:  # pylint: disable=broad-except
                pass  # the first failure is reported
