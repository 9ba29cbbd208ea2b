# SPDX-License-Identifier: Apache-2.0
"""Many questions on many processors or machines."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Iterable, List, Mapping, Optional, Tuple

from .answer import Answer, Values, call

#: A command and its question.
Question = Tuple[str, Mapping[str, Values]]


def ask(question: Question) -> Answer:
    """Answers one question; what workers of an executor run."""
    command, values = question
    return call(command, values, progress=False)


def map(questions: Iterable[Question], *, executor: Optional[Executor] = None, tries: int = 3) -> List[Answer]:  # noqa: A001
    """Answers questions in their order.

    `executor`: any of `concurrent.futures`, or a client of Dask or Ray with the same methods; by
    default threads of this process. A question whose worker dies is asked again, `tries` times at
    most. Answers are the same bytes wherever they are made. Raises OrreryError of the first
    question that fails.
    """
    asked = list(questions)
    if executor is None:
        with ThreadPoolExecutor() as threads:
            return _collect(threads, asked, tries)
    return _collect(executor, asked, tries)


def _collect(executor: Any, asked: List[Question], tries: int) -> List[Answer]:
    from .errors import OrreryError

    futures: "List[Future[Answer]]" = [executor.submit(ask, question) for question in asked]
    answers: List[Answer] = []
    for question, future in zip(asked, futures):
        for left in range(tries - 1, -1, -1):
            try:
                answers.append(future.result())
                break
            except OrreryError:
                raise
            except Exception:
                if left == 0:
                    raise
                future = executor.submit(ask, question)
    return answers
