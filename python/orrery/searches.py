# SPDX-License-Identifier: Apache-2.0
"""Searches of plans, and of spaces on many machines."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .answer import Answer, ProgressOption, Values, call_as, warn_of
from .mapping import collect
from .values import Rows

if TYPE_CHECKING:
    from .job import ClusterLike, Job


class Search(Answer):
    """What a search found: `best` (plans, or points of a space), or `clusters`."""

    @property
    def rows(self) -> Rows:
        """The rows that were found, best first: plans, points or clusters."""
        return Rows(list(self._values.get("clusters") or self._values.get("best") or []))

    @property
    def pareto(self) -> Rows:
        """The Pareto front: those rows that no other row beats in everything.

        Of a space: in its objectives. Of several clusters: in step time and cost. Of plans on one
        cluster: in step time and memory, among those that the search shows (`top`).
        """
        rows = self.rows
        if any("front" in row for row in rows):
            return Rows([row.to_dict() for row in rows if row.get("front")])
        plans = [row.to_dict() for row in rows]
        return Rows([plan for plan in plans if not any(_beats(other, plan) for other in plans)])

    def _repr_html_(self) -> str:
        from ._html import space_front

        # Of plans on one cluster, every answer shows the front.
        return ("" if self._values.get("best") else space_front(self)) + super()._repr_html_()


def step_ns(plan: Mapping[str, Any]) -> float:
    """The step of a plan: simulated if it was, else estimated."""
    return float(plan.get("simulated_ns") or plan.get("estimate_ns") or 0)


def _beats(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    a, b = ((step_ns(plan), plan.get("memory_bytes", 0)) for plan in (one, other))
    return a[0] <= b[0] and a[1] <= b[1] and a != b


def search(job: "Optional[Job]" = None, *, cluster: "Union[ClusterLike, Sequence[ClusterLike], None]" = None,
           gpus: Union[int, Sequence[int], None] = None, gpu: Union[str, Sequence[str]] = "h100-sxm",
           space: "Union[str, os.PathLike[str], None]" = None, executor: Optional[Executor] = None, shares: int = 16,
           progress: ProgressOption = None, **options: Any) -> Search:
    """Finds the best plans of a job, or the best points of a space: `orrery search`.

    `cluster`, or `gpus` devices of the kind `gpu`; several of them are compared. `space`: a file of
    jobs and clusters instead (docs/search-space.md).

    `executor`: any of `concurrent.futures`, or a client of Dask or Ray with the same methods. The
    points of a space are then evaluated in `shares`, each on one worker, which must find the same
    files; a share whose worker dies is evaluated again. The points found are the same as without;
    the answer counts the points that workers evaluated as stored ones. A job is one question for one
    worker. Raises OrreryError.
    """
    question: Dict[str, Values] = dict(options)
    if space is not None:
        if job is not None or cluster is not None or gpus is not None:
            raise TypeError("give space=, or a job and cluster= or gpus=")
        question["space"] = os.fspath(space)
    else:
        question = {**_question_of(job, cluster, gpus, gpu), **options}
    if executor is None:
        return call_as(Search, "search", question, progress=progress)
    if space is None:
        found = collect(executor, _ask_search, [question], 3)[0]
        warn_of(found, stacklevel=3)
        return found
    return _search_in_shares(question, executor, shares, progress)


def _question_of(job: "Optional[Job]", cluster: Any, gpus: Any, gpu: Any) -> Dict[str, Values]:
    if job is None:
        raise TypeError("give a job, or space=")
    question = job.question
    if cluster is not None:
        one = isinstance(cluster, (str, os.PathLike))
        question["cluster"] = os.fspath(cluster) if one else [os.fspath(each) for each in cluster]
    elif isinstance(gpus, int) and isinstance(gpu, str):
        question["cluster"] = f"{gpu}:{gpus}"
    elif gpus is not None:
        question["gpu"] = [gpu] if isinstance(gpu, str) else list(gpu)
        question["gpus"] = [gpus] if isinstance(gpus, int) else list(gpus)
    else:
        raise TypeError("give cluster=, or gpus= and gpu=")
    return question


def _ask_search(question: Mapping[str, Values], attempt: int = 0) -> Search:
    return call_as(Search, "search", question, progress=False, warn=False)


#: A question, and which of how many shares.
_Share = Tuple[Mapping[str, Values], int, int]


def _evaluate(share: _Share, attempt: int = 0) -> bytes:
    """The stored points of one share; what workers run."""
    question, number, shares = share
    with tempfile.TemporaryDirectory() as folder:
        points = os.path.join(folder, "points.jsonl")
        part = f"{number}/{shares}"
        call_as(Search, "search", {**question, "output": points, "part": part}, progress=False, warn=False)
        with open(f"{points}.part-{number}-of-{shares}", "rb") as file:
            return file.read()


def _search_in_shares(question: Mapping[str, Values], executor: Executor, shares: int,
                      progress: ProgressOption) -> Search:
    if shares < 1:
        raise ValueError("shares must be at least 1")
    work: List[_Share] = [(question, number, shares) for number in range(1, shares + 1)]
    stored = collect(executor, _evaluate, work, 3)
    with tempfile.TemporaryDirectory() as folder:
        points = str(question.get("output") or os.path.join(folder, "points.jsonl"))
        parts = [f"{points}.part-{number}-of-{shares}" for number in range(1, shares + 1)]
        try:
            for part, content in zip(parts, stored):
                with open(part, "wb") as file:
                    file.write(content)
            return call_as(Search, "search", {**question, "output": points}, progress=progress)
        finally:
            for part in parts:
                if os.path.exists(part):
                    os.remove(part)
