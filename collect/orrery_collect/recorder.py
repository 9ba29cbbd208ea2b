# SPDX-License-Identifier: Apache-2.0
"""Counts steps: first some to warm up, then some timed and left alone, then some recorded."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch

from . import facts
from .facts import Json
from .session import Session

VERSION = 1


class Stretch:
    """The time of several steps: the device is waited for before the first and after the last only,
    so that the steps themselves go on as they always do."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._laps: List[float] = []
        facts.synchronize()
        self._began = self._last = time.perf_counter()

    def lap(self) -> None:
        if len(self._laps) + 1 == self._steps:
            facts.synchronize()
        now = time.perf_counter()
        self._laps.append(now - self._last)
        self._last = now

    def result(self) -> Json:
        """Seconds: of all of it, and how far apart the host's ends of steps were."""
        return {"steps": len(self._laps), "seconds": round(self._last - self._began, 9),
                "each_seconds": [round(lap, 9) for lap in self._laps],
                "device_waited_for": "before the first step and after the last"}


class Recorder:
    """Records some steps of this process's training into `folder`.

    `warmup` steps go by; `clean` ones are timed with no profiler anywhere; one more goes by while
    the profiler gets ready; `record` ones are recorded. Then the files are written, and every
    further call does nothing. `ranks`: only these take part (None: all).
    """

    def __init__(self, folder: str, *, warmup: int = 3, clean: int = 3, record: int = 2,
                 ranks: Optional[Sequence[int]] = None) -> None:
        if warmup < 0 or clean < 0 or record < 1:
            raise ValueError("warmup and clean must be 0 or more, record 1 or more")
        self._folder = os.fspath(folder)
        self._plan = {"warmup": warmup, "clean": clean, "record": record}
        self._first_clean = warmup
        self._ready_at = warmup + clean
        self._first_recorded = self._ready_at + 1
        self._end = self._first_recorded + record
        self._ranks = None if ranks is None else set(ranks)
        self._steps = -1  # finished ones; not started yet
        self._over = False
        self._session: Optional[Session] = None
        self._annotation: Optional[Any] = None
        self._stretches: Dict[str, Stretch] = {}
        self._missing: List[Json] = []
        self._files: Dict[str, str] = {}
        self._rank = 0

    @property
    def done(self) -> bool:
        """True once nothing is left to record: training may stop here."""
        return self._over

    def start(self) -> None:
        """The first step begins. Called again, does nothing."""
        if self._steps < 0:
            self._steps = 0
            self._guarded("starting", self._begin)

    def step(self) -> None:
        """A step has ended, and the next begins."""
        if self._over:
            return
        if self._steps < 0:  # start() was not called: this is the first step
            self.start()
            return
        self._steps += 1
        self._guarded(f"step {self._steps}", self._boundary)

    def stop(self) -> None:
        """Training is over. Writes what there is if it ended before the plan."""
        if not self._over and self._steps >= 0:
            self._guarded("stopping", self._finish)
        self._over = True

    def __enter__(self) -> "Recorder":
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _begin(self) -> None:
        self._rank, _, _ = facts.rank_and_size()
        if self._ranks is not None and self._rank not in self._ranks:
            self._over = True
            return
        os.makedirs(self._folder, exist_ok=True)
        self._boundary()

    def _boundary(self) -> None:
        """What is due between one step and the next."""
        done = self._steps
        if self._annotation is not None:
            self._annotation.__exit__(None, None, None)
            self._annotation = None
        for stretch, first, last in (("clean", self._first_clean, self._ready_at),
                                     ("recorded", self._first_recorded, self._end)):
            if first < done <= last:
                self._stretches[stretch].lap()
        if done == self._first_clean and self._ready_at > done:
            self._stretches["clean"] = Stretch(self._ready_at - done)
        if done == self._ready_at:
            self._session = Session(os.path.join(self._folder, f"rank{self._rank}"), self._missing)
            self._session.prepare()
        if done == self._first_recorded and self._session is not None:
            self._session.start()
            self._stretches["recorded"] = Stretch(self._end - done)
        if done == self._end:
            self._finish()
        elif done >= self._first_recorded:
            self._annotation = torch.profiler.record_function(f"ProfilerStep#{done}")
            self._annotation.__enter__()

    def _finish(self) -> None:
        if self._annotation is not None:  # the training loop ended within a step: no step then
            self._annotation.__exit__(None, None, None)
            self._annotation = None
        if self._steps < self._end:
            self._missing.append({"what": "steps", "why": f"training ended after {self._steps} "
                                                          f"steps; {self._end} were asked for; the "
                                                          "trace's last ProfilerStep is cut short"})
        if self._session is not None and self._steps > self._first_recorded:
            facts.synchronize()
            self._session.stop()
            self._session.save(self._files)
        elif self._session is not None:
            self._session.abandon()
        self._session = None
        self._write_facts()
        self._over = True
        if self._steps < self._end:
            self._say(f"training ended after {self._steps} of {self._end} steps; "
                      f"{'the trace is shorter' if self._files else 'nothing was recorded'}")

    def _write_facts(self) -> None:
        rank, size, source = facts.rank_and_size()
        known: Json = {
            "orrery_facts": VERSION, "rank": rank, "world_size": size, "rank_from": source,
            "versions": facts.versions(), "host": facts.host(), "devices": facts.devices(),
            "process_groups": facts.process_groups(), "plan": self._plan,
            "first_recorded_step": self._first_recorded, "files": self._files,
            "missing": self._missing}
        for name, stretch in self._stretches.items():
            known[name] = stretch.result()
        path = os.path.join(self._folder, f"rank{self._rank}.facts.json")
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1)
            file.write("\n")
        os.replace(path + ".part", path)

    def _guarded(self, when: str, action: Callable[[], None]) -> None:
        """Training goes on whatever happens in here."""
        if self._over:
            return
        try:
            action()
        except Exception as error:
            self._over = True
            self._say(f"stopped while {when}: {type(error).__name__}: {error}; training continues")
            self._missing.append({"what": "the rest", "why": f"{type(error).__name__}: {error}"})
            session, self._session = self._session, None
            if session is not None:
                session.abandon()
            try:
                self._write_facts()
            except Exception:  # said already
                pass

    def _say(self, message: str) -> None:
        print(f"orrery_collect: rank {self._rank}: {message}", file=sys.stderr)
