# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
"""A function for each command of the command line, with its options by their names.

A parameter that is not given has the default of the option. Each function returns an Answer, raises
OrreryError, and warns of findings (OrreryWarning). `keep_run` keeps the tables of a run; `progress`
shows a bar (True), none (False), or calls a function.
"""

from typing import Callable, Dict

from ..answer import Answer
from .accuracy import accuracy, calibrate, bench
from .collective import collective_compare, collective_check, collective_synthesize
from .dlrm import dlrm_shard, dlrm_lookup
from .goodput import goodput
from .infer import infer
from .job import job_generate, job_count, job_together
from .kernels import kernels
from .memory import memory
from .mfu import mfu
from .network import network_show, network_check, network_compare, network_split, network_noc
from .reports import report, compare, explain, critical_path
from .run import run
from .search import search
from .study import study_calculon, study_reproduce
from .tool import list, schema
from .trace import trace_info, trace_merge, trace_convert, trace_slice, trace_anonymize, trace_diff, trace_replay, trace_predict, trace_stragglers, trace_scale_down, trace_learn, trace_synthesize
from .trace_validate import trace_validate
from .whatif import whatif

#: The functions by the names of their commands.
FUNCTIONS: Dict[str, Callable[..., Answer]] = {
    "run": run,
    "search": search,
    "whatif": whatif,
    "memory": memory,
    "kernels": kernels,
    "mfu": mfu,
    "goodput": goodput,
    "infer": infer,
    "report": report,
    "compare": compare,
    "explain": explain,
    "critical-path": critical_path,
    "trace info": trace_info,
    "trace validate": trace_validate,
    "trace merge": trace_merge,
    "trace convert": trace_convert,
    "trace slice": trace_slice,
    "trace anonymize": trace_anonymize,
    "trace diff": trace_diff,
    "trace replay": trace_replay,
    "trace predict": trace_predict,
    "trace stragglers": trace_stragglers,
    "trace scale-down": trace_scale_down,
    "trace learn": trace_learn,
    "trace synthesize": trace_synthesize,
    "job generate": job_generate,
    "job count": job_count,
    "job together": job_together,
    "network show": network_show,
    "network check": network_check,
    "network compare": network_compare,
    "network split": network_split,
    "network noc": network_noc,
    "collective compare": collective_compare,
    "collective check": collective_check,
    "collective synthesize": collective_synthesize,
    "dlrm shard": dlrm_shard,
    "dlrm lookup": dlrm_lookup,
    "accuracy": accuracy,
    "calibrate": calibrate,
    "bench": bench,
    "study calculon": study_calculon,
    "study reproduce": study_reproduce,
    "list": list,
    "schema": schema,
}
