# SPDX-License-Identifier: Apache-2.0
"""Answers of commands, and the call that makes them."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from . import _library
from ._progress import Progress, reporter
from .errors import OrreryError, OrreryWarning
from .models import KernelTime, Models, NetworkTime
from .table import Table
from .values import Interval, Record, Time

#: A value of a question: what the command line takes, as a Python value.
Value = Union[str, bool, int, float, "os.PathLike[str]"]
Values = Union[Value, Sequence[Value], None]
#: True shows a bar, False none; a function is called; None shows a bar if the call takes long.
ProgressOption = Union[bool, Callable[[Progress], None], None]


class Answer(Record):
    """The result of a command.

    It is the object `result` of the JSON that `orrery COMMAND --json` prints: `answer["step_ns"]`,
    or `answer.step` as a `Time`. `answer.ok` is False if the answer is no (a job that does not
    fit). `answer.text` is what the command prints. Answers pickle: without the tables of a run.
    """

    def __init__(self, command: str, question: Mapping[str, Any], document: str, text: str, status: int,
                 native: Optional[_library.Answer] = None) -> None:
        parsed: Dict[str, Any] = json.loads(document)
        result = parsed.get("result")
        super().__init__(result if isinstance(result, dict) else {})
        self._document = document
        self._parsed = parsed
        self._command = command
        self._question = dict(question)
        self._text = text
        self._status = status
        self._native = native
        self._models = Models()

    @property
    def ok(self) -> bool:
        """False: the answer is no (exit code 1 of the command line)."""
        return self._status == 0

    @property
    def command(self) -> str:
        """The command, as on the command line."""
        return self._command

    @property
    def question(self) -> Dict[str, Any]:
        """The question that was asked."""
        return self._question

    @property
    def document(self) -> str:
        """The whole JSON document, byte for byte as `--json` prints it."""
        return self._document

    @property
    def text(self) -> str:
        """What the command prints."""
        return self._text

    @property
    def findings(self) -> List[Dict[str, Any]]:
        """What the call noticed: code, severity, count, sentence, places."""
        found: List[Dict[str, Any]] = self._parsed.get("findings", [])
        return found

    @property
    def interval(self) -> Optional[Interval]:
        """The 80 % prediction interval of the step; None if too little is known for one."""
        given = self._values.get("prediction_interval")
        if not isinstance(given, dict):
            return None
        return Interval(Time(given["low_ns"] * 1e-9), Time(given["high_ns"] * 1e-9))

    @property
    def mfu(self) -> Optional[float]:
        """Model FLOPs utilization of the step; None if the job has no model FLOPs."""
        given = self._values.get("throughput")
        value = given.get("mfu") if isinstance(given, dict) else self._values.get("mfu")
        return None if value is None else float(value)

    @property
    def tables(self) -> List[str]:
        """The names of the run's tables; empty if the call did not keep them."""
        return self._native.tables if self._native is not None else []

    def table(self, name: str) -> Table:
        """A table of the run. Raises KeyError."""
        return Table(self._tables_of(name).table(name))

    def view(self, name: str, rank: Optional[int] = None) -> Table:
        """A view of the run, "event" or "critical_path": of one rank or of all. Raises KeyError."""
        if rank is not None and rank < 0:
            raise KeyError(f"{name} of rank {rank}")
        return Table(self._tables_of(name).view(name, -1 if rank is None else rank))

    def _tables_of(self, name: str) -> _library.Answer:
        if self._native is None or not self._native.tables:
            raise KeyError(f"{name}: this answer has no tables; call with keep_run=True, and do not pickle it")
        return self._native

    def __reduce__(self) -> Any:
        return type(self), (self._command, self._question, self._document, self._text, self._status)

    def __repr__(self) -> str:
        first = self._text.strip().splitlines()
        return f"<Answer of {self._command}: {first[0] if first else ''}>"

    def _repr_html_(self) -> str:
        from ._html import answer

        return answer(self)


Kind = TypeVar("Kind", bound=Answer)


def call(command: str, question: Mapping[str, Values], *, keep_run: bool = False,
         progress: ProgressOption = None, temporary_folder: str = "", kernel_time: Optional[KernelTime] = None,
         network_time: Optional[NetworkTime] = None) -> Answer:
    """Calls a command by its name on the command line, with its options by their names.

    `keep_run`: keep the tables of a run. `progress`: True shows a bar on a terminal or in a
    notebook, False shows none, a function is called; by default, a bar if the call takes long.
    `kernel_time`, `network_time`: functions that change predicted times, only for "run"
    (`orrery.models`); what they raise ends the call. Raises OrreryError; warns of findings
    (OrreryWarning). Releases the interpreter's lock. Ctrl-C ends a call of the main thread with
    KeyboardInterrupt.
    """
    return call_as(Answer, command, question, keep_run=keep_run, progress=progress,
                   temporary_folder=temporary_folder, models=Models(kernel_time, network_time))


def call_as(kind: Type[Kind], command: str, question: Mapping[str, Values], *, keep_run: bool = False,
            progress: ProgressOption = None, temporary_folder: str = "", models: Models = Models(),
            warn: bool = True) -> Kind:
    """As `call`, with an answer of a class of its own. `warn`: warn of findings."""
    asked = {key: _plain(value) for key, value in question.items() if value is not None}
    report = reporter(progress)
    try:
        native = _library.call(command, json.dumps(asked), progress=report.update if report else None,
                               keep_run=keep_run, temporary_folder=temporary_folder, **models.native())
    finally:
        if report:
            report.close()
    document = native.json
    if native.status not in (0, 1):
        parsed = json.loads(document)
        raise OrreryError.of(parsed.get("error", {}), native.status)
    answer = kind(command, asked, document, native.text, native.status, native)
    answer._models = models
    if warn:
        warn_of(answer, stacklevel=4)
    return answer


def warn_of(answer: Answer, stacklevel: int) -> None:
    """Warns of the findings of an answer."""
    for finding in answer.findings:
        places = "; ".join(finding.get("places", []))
        warnings.warn(f"{finding['code']}: {finding['sentence']} ({places})", OrreryWarning, stacklevel=stacklevel)


def question_of(parameters: Mapping[str, Any]) -> Dict[str, Values]:
    """The question in the parameters of a function of `orrery.commands`."""
    return {name.rstrip("_"): value for name, value in parameters.items() if name not in ("keep_run", "progress")}


def _plain(value: Values) -> Any:
    """A value as JSON: paths are texts, sequences lists."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return [_plain(each) for each in value]
