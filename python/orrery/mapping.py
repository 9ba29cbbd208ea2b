# SPDX-License-Identifier: Apache-2.0
"""Many questions on many processors or machines."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar

from .answer import Answer, Values, call_as, warn_of
from .errors import OrreryError

#: A command and its question.
Question = Tuple[str, Mapping[str, Values]]
Asked = TypeVar("Asked")
Got = TypeVar("Got")


def ask(question: Question, attempt: int = 0) -> Answer:
    """Answers one question; what workers of an executor run.

    Warns of nothing: `map` warns where it collects the answers. `attempt`: how often it was asked
    before; some executors answer the same call from a cache.
    """
    command, values = question
    return call_as(Answer, command, values, progress=False, warn=False)


def map(questions: Iterable[Question], *, executor: Optional[Executor] = None, tries: int = 3) -> List[Answer]:  # noqa: A001
    """Answers questions in their order.

    `executor`: any of `concurrent.futures`, or a client of Dask or Ray with the same methods; by
    default threads of this process. A question whose worker dies is asked again, `tries` times at
    most. Answers are the same bytes wherever they are made. Findings are warnings of this process.
    Raises OrreryError of the first question that fails; what the executor raises if it is broken,
    as a ProcessPoolExecutor is after one of its processes died.
    """
    asked = list(questions)
    if executor is None:
        with ThreadPoolExecutor() as threads:
            answers = collect(threads, ask, asked, tries)
    else:
        answers = collect(executor, ask, asked, tries)
    for answer in answers:
        warn_of(answer, stacklevel=3)
    return answers


def collect(executor: Any, work: Callable[[Asked, int], Got], asked: Sequence[Asked], tries: int) -> List[Got]:
    """work(each, attempt) of all, in order. An error of the library ends it; others are tried again."""
    futures: "List[Future[Got]]" = [executor.submit(work, each, 0) for each in asked]
    results: List[Got] = []
    try:
        for each, future in zip(asked, futures):
            for attempt in range(1, tries + 1):
                try:
                    results.append(future.result())
                    break
                except OrreryError:
                    raise
                except Exception:
                    if attempt == tries:
                        raise
                    future = executor.submit(work, each, attempt)
    finally:
        for future in futures:
            future.cancel()
    return results
