# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def list(
    *,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    list: Optional[Value] = None,
    filter: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """List models, devices, links, clusters and collectives by name: `orrery list`.

    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    list: The list: models, devices, links, clusters, collectives.
    filter: Only entries with this text in their name or title.
    """
    question = question_of(locals())
    return call_as(Answer, "list", question, keep_run=keep_run, progress=progress)


def schema(
    *,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    format: Optional[Value] = None,
    command: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Print the JSON Schema of a file format: `orrery schema`.

    output: Write the schema to FILE ('-' for stdout).
    force: Overwrite FILE.
    format: The format: cluster, workload, variability, space, together, case-study, question,
        output.
    command: With question or output: only this command.
    """
    question = question_of(locals())
    return call_as(Answer, "schema", question, keep_run=keep_run, progress=progress)

