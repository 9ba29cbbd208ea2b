# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def study_calculon(
    *,
    devices: Optional[int] = None,
    max_batch: Optional[int] = None,
    datatype: Optional[Value] = None,
    top: Optional[int] = None,
    threads: Optional[int] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    model: Optional[Value] = None,
    system: Optional[Value] = None,
    execution: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Predict a step, or search its plan, with Calculon's rules: `orrery study calculon`.

    devices: Search plans for this number of devices. Default: 0.
    max_batch: Maximum samples per step; rounded down to a multiple of the data-parallel replicas.
        Default: 0.
    datatype: float8, float16, float32 or bfloat16. One of float8, float16, float32, bfloat16.
        Default: float16.
    top: Number of plans to show. Default: 10.
    threads: Number of threads; 0: all cores. Default: 0.
    output: Write the best plan, as an execution file.
    force: Overwrite FILE.
    model: Calculon's application file.
    system: Calculon's system file.
    execution: Calculon's execution file.
    """
    question = question_of(locals())
    return call_as(Answer, "study calculon", question, keep_run=keep_run, progress=progress)


def study_reproduce(
    *,
    list_studies: Optional[bool] = None,
    threads: Optional[int] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    name: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Reproduce a case study and compare it with its publication: `orrery study reproduce`.

    list_studies: List the built-in case studies.
    threads: Runs that are simulated concurrently; 0: one per core. Default: 0.
    output: Store the results in DIR, with a table and a plot.
    force: Overwrite FILE.
    name: A built-in case study, or a file (study.yaml).
    """
    question = question_of(locals())
    return call_as(Answer, "study reproduce", question, keep_run=keep_run, progress=progress)

