# SPDX-License-Identifier: Apache-2.0
"""Jobs, clusters and recordings as objects."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .answer import Answer, ProgressOption, Values, call, call_as
from .models import KernelTime, Models, NetworkTime
from .searches import Search, search
from .table import Table
from .values import Time

#: A cluster: its file, a name of the catalog with a number of devices ("h100-sxm:64"), or a Cluster.
ClusterLike = Union[str, "os.PathLike[str]", "Cluster"]
#: Recordings: files or patterns.
Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


class Cluster:
    """A number of devices of the catalog, or a cluster file."""

    def __init__(self, name: Union[str, "os.PathLike[str]"], devices: Optional[int] = None) -> None:
        self._text = os.fspath(name) if devices is None else f"{os.fspath(name)}:{devices}"

    def __str__(self) -> str:
        return self._text

    def __fspath__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cluster) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Cluster({self._text!r})"

    def show(self) -> Answer:
        """Its devices, links and bounds: `orrery network show`."""
        return call("network show", {"file": self._text})


class Job:
    """A training job: a model and how it is split, with the options of the command line.

    `Job("llama-3.1-8b", tp=4, dp=2, sp=True, global_batch=8)`. Jobs do not change; `set` makes
    another one. Jobs pickle.
    """

    def __init__(self, model: Optional[str] = None, **options: Values) -> None:
        self._question: Dict[str, Values] = dict(options)
        if model is not None:
            self._question["model"] = model

    @classmethod
    def from_file(cls, *paths: Union[str, "os.PathLike[str]"], **options: Values) -> "Job":
        """A job that files of this or another tool describe (docs/reference/importers.md)."""
        return cls(None, spec=[os.fspath(path) for path in paths], **options)

    def set(self, **options: Values) -> "Job":
        """The same job with other options; None removes one."""
        merged: Dict[str, Values] = {**self._question, **options}
        job = Job()
        job._question = {key: value for key, value in merged.items() if value is not None}
        return job

    @property
    def question(self) -> Dict[str, Values]:
        """The options."""
        return dict(self._question)

    def run(self, cluster: ClusterLike, *, keep_run: bool = True, progress: ProgressOption = None,
            kernel_time: Optional[KernelTime] = None, network_time: Optional[NetworkTime] = None,
            **options: Values) -> "Run":
        """Simulates a step: `orrery run`.

        `keep_run`: keep the tables of the run in memory. `kernel_time`, `network_time`: functions
        that change predicted times (`orrery.models`).
        """
        question: Dict[str, Values] = {**self._question, **options, "cluster": str(_cluster(cluster))}
        return call_as(Run, "run", question, keep_run=keep_run, progress=progress,
                       models=Models(kernel_time, network_time))

    def count(self, **options: Values) -> Answer:
        """Counts FLOPs, bytes and messages of a step: `orrery job count`."""
        return call("job count", {**self._question, **options})

    def memory(self, **options: Values) -> Answer:
        """Predicts the memory of a step: `orrery memory`; `ok` is False if it does not fit."""
        return call("memory", {**self._question, **_plain_cluster(options)})

    def search(self, **options: Any) -> Search:
        """Finds the best plans: `orrery search`."""
        return search(self, **options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self._question == other._question

    def __repr__(self) -> str:
        return f"Job({', '.join(f'{key}={value!r}' for key, value in self._question.items())})"


class Run(Answer):
    """A simulated step."""

    def nodes(self, rank: Optional[int] = None) -> Table:
        """Every node that ran, of one rank or of all: names, lanes, times in ps, waits, peers.

        It is the view `event` of the run file (docs/reference/run-file.md). Raises KeyError if there is
        no such rank, or the run was not kept.
        """
        return self.view("event", rank)

    @property
    def critical_path(self) -> Table:
        """The segments of the critical path, in order of time: the view `critical_path`. Raises KeyError."""
        return self.view("critical_path")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Simulates again and writes the run file, which `orrery report` and others read.

        Raises ValueError if functions changed its times, and it was pickled since.
        """
        if not self._models and any(finding["code"] == "time_from_callable" for finding in self.findings):
            raise ValueError("save: a pickled run has lost the functions that changed its times")
        call_as(Run, "run", {**self.question, "output": os.fspath(path)}, models=self._models)


class Traces:
    """Recorded traces of a job."""

    def __init__(self, paths: Paths) -> None:
        many = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        self._paths: List[str] = [os.fspath(path) for path in many]

    def inspect(self, **options: Values) -> Answer:
        """What they hold: `orrery trace info`."""
        return call("trace info", {"traces": self._paths, **options})

    def replay(self, **options: Values) -> "Replay":
        """Simulates them as recorded: `orrery trace replay`."""
        return call_as(Replay, "trace replay", {"traces": self._paths, **options})

    def whatif(self, *changes: str, **options: Values) -> "WhatIf":
        """Predicts the effect of changes ("host=0.5", "gpu=h200-sxm"): `orrery whatif`."""
        given: Dict[str, Values] = {"traces": self._paths, **options}
        if changes:
            given["change"] = list(changes)
        return call_as(WhatIf, "whatif", given)

    def __repr__(self) -> str:
        return f"Traces({self._paths!r})"


class Replay(Answer):
    """Recordings, simulated as they were recorded."""

    def whatif(self, *changes: str, **options: Values) -> "WhatIf":
        """Predicts the effect of changes on the same recordings: `orrery whatif`."""
        return Traces(self.question["traces"]).whatif(*changes, **options)


class WhatIf(Answer):
    """A step, and the same step with changes."""

    @property
    def gain(self) -> Time:
        """The time that the changes save per step; negative: they cost time. Raises ValueError without changes."""
        values = self._values
        if "changed_step_ns" not in values:
            raise ValueError("gain: no change was given")
        return Time((values["base_step_ns"] - values["changed_step_ns"]) * 1e-9)

    @property
    def speedup(self) -> float:
        """The step without the changes, divided by the step with them. Raises ValueError without changes."""
        if "changed_step_ns" not in self._values:
            raise ValueError("speedup: no change was given")
        return float(self._values["base_step_ns"] / self._values["changed_step_ns"])


def replay(paths: Paths, **options: Values) -> Replay:
    """Simulates recordings as they were recorded: `orrery trace replay`."""
    return Traces(paths).replay(**options)


def infer(model: Optional[str] = None, *, gpu: Optional[str] = None, tp: Optional[int] = None,
          progress: ProgressOption = None, **options: Values) -> Answer:
    """Predicts latencies, throughput and cost of serving a model: `orrery infer`.

    `tp`: devices over which each layer is split (`tensor_parallel_size`). `answer.ttft.p99` is a
    time. Other options are those of `orrery.commands.infer`.
    """
    given: Dict[str, Values] = {"model": model, "gpu": gpu, "tensor_parallel_size": tp, **options}
    return call("infer", given, progress=progress)


def traces(paths: Paths) -> Traces:
    """Recordings by their files or patterns ("rank*.json.gz")."""
    return Traces(paths)


def memory(job: Job, **options: Values) -> Answer:
    """Predicts the memory of a job's step: `orrery memory`."""
    return job.memory(**options)


def compare(first: Union[Run, str, "os.PathLike[str]"], second: Union[Run, str, "os.PathLike[str]"],
            **options: Values) -> Answer:
    """Compares two runs, or run files: `orrery compare`. Runs in memory are simulated again."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, run in (("first", first), ("second", second)):
            path = os.path.join(folder, name + ".orrery")
            if isinstance(run, Run):
                run.save(path)
            paths.append(path if isinstance(run, Run) else os.fspath(run))
        return call("compare", {"a": paths[0], "b": paths[1], **options})


def _cluster(cluster: ClusterLike) -> Union[str, Cluster]:
    return cluster if isinstance(cluster, (str, Cluster)) else os.fspath(cluster)


def _plain_cluster(options: Mapping[str, Values]) -> Dict[str, Values]:
    return {key: str(value) if isinstance(value, Cluster) else value for key, value in options.items()}
