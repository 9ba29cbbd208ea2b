# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def report(
    *,
    html: Optional[Value] = None,
    page: Optional[Value] = None,
    perfetto: Optional[Value] = None,
    chrome: Optional[Value] = None,
    ranks: Optional[Value] = None,
    from_: Optional[Value] = None,
    to: Optional[Value] = None,
    split: Optional[Value] = None,
    all: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    run: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Show a run as a summary, a web page or a timeline: `orrery report`.

    html: One self-contained web page.
    page: Web page to fill, instead of the built-in one.
    perfetto: A timeline for ui.perfetto.dev.
    chrome: A timeline as Chrome's trace-event JSON.
    ranks: Only these ranks: 0-7, or 3; all: every rank of a large run.
    from_: Only events that end after this time: 1ms. A time: 10us.
    to: Only events that begin before this time: 2ms. A time: 10us.
    split: Several files of about this size: 500MB. A size: 64MB.
    all: Show every kind of collective in the summary.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    run: A run file ('orrery run ... -o RUN.orrery'), or two.
    """
    question = question_of(locals())
    return call_as(Answer, "report", question, keep_run=keep_run, progress=progress)


def compare(
    *,
    max_slowdown: Optional[Value] = None,
    html: Optional[Value] = None,
    page: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    a: Optional[Value] = None,
    b: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Compare two runs, and show the causes of the difference: `orrery compare`.

    max_slowdown: Exit code 1 if the second step is longer by more than this.
    html: Write both runs, side by side, as one web page.
    page: Web page to fill, instead of the built-in one.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    a: The first run file, the baseline.
    b: The second run file.
    """
    question = question_of(locals())
    return call_as(Answer, "compare", question, keep_run=keep_run, progress=progress)


def explain(
    *,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    words: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Explain a figure: its meaning, formula and source: `orrery explain`.

    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    words: [RUN.orrery] [METRIC | NODE | COLLECTIVE].
    """
    question = question_of(locals())
    return call_as(Answer, "explain", question, keep_run=keep_run, progress=progress)


def critical_path(
    *,
    all: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    run: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Show the critical path of a step: `orrery critical-path`.

    all: Show every segment in order of time, not only the longest.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    run: A run file ('orrery run ... -o RUN.orrery').
    """
    question = question_of(locals())
    return call_as(Answer, "critical-path", question, keep_run=keep_run, progress=progress)

