# SPDX-License-Identifier: Apache-2.0
"""Orrery simulates machine-learning jobs on clusters: step time, its breakdown, what-if.

    import orrery as o

    job = o.Job("llama-3.1-8b", tp=4, dp=2, sp=True, global_batch=8)
    run = job.run("h100-sxm:8")
    run.step.ms, run.interval, run.mfu
    run.nodes(rank=0).to_pandas()
    o.replay("rank*.json.gz").whatif("host=0.5").gain
    o.search(job, gpus=64).pareto.to_pandas()

Every command of the command line is a function in `orrery.commands`, with its options by their
names; `orrery.call` takes any command by its name.
"""

from . import commands
from ._library import version as _version
from ._progress import Progress
from .answer import Answer, call
from .errors import OrreryError, OrreryWarning
from .job import Cluster, Job, Replay, Run, Traces, WhatIf, compare, infer, memory, replay, traces
from .mapping import ask, map  # noqa: A004
from .plan import Plan, Send
from .searches import Search, search
from .table import Sums, Table
from .values import Bytes, Interval, Record, Rows, Time

__version__ = _version()
__all__ = [
    "Answer",
    "Bytes",
    "Cluster",
    "Interval",
    "Job",
    "OrreryError",
    "OrreryWarning",
    "Plan",
    "Progress",
    "Record",
    "Replay",
    "Rows",
    "Run",
    "Search",
    "Send",
    "Sums",
    "Table",
    "Time",
    "Traces",
    "WhatIf",
    "ask",
    "call",
    "commands",
    "compare",
    "infer",
    "map",
    "memory",
    "replay",
    "search",
    "traces",
]
