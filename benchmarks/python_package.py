#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_package.py [BUILD]: speed of the Python package: importing it, tables as pandas, threads.

Each figure is the best of several tries. The ratios compare figures of this one run, so that they
hold on other machines, too. BUILD: a build folder with the package, build/release by default.
"""

import json
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
BUILD = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE / "build/release"
sys.path.insert(0, str(BUILD / "python"))
TRIES = 7


def best(work):
    """The shortest of several tries, in ms."""
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1e3 * min(times)


def start(code):
    """A process of Python that runs `code`."""
    return lambda: subprocess.run([sys.executable, "-B", "-c", code], check=True,
                                  env={**os.environ, "PYTHONPATH": str(BUILD / "python")})


def imports():
    empty, numpy, ours = best(start("")), best(start("import numpy")), best(start("import orrery"))
    return {"import_ms": ours - empty, "import_numpy_ms": numpy - empty, "import_to_numpy": (ours - empty) / (numpy - empty)}


def tables(o):
    """A run with at least a million spans; its spans as a DataFrame, and the nodes of all ranks."""
    run = o.call("run", {"model": "gpt3-175b", "tp": 8, "pp": 8, "global_batch": 512, "cluster": "h100-sxm:64"}, keep_run=True)
    table = run.table("span")
    rows = len(table)
    to_pandas = best(table.to_pandas)
    copied = best(lambda: {name: table[name].copy() for name in table.columns})
    return {"rows": rows, "columns": len(table.columns), "build_ms": best(lambda: run.table("span")), "to_pandas_ms": to_pandas,
            "to_pandas_per_1e6_rows_ms": to_pandas * 1e6 / rows, "to_pandas_to_copy": to_pandas / copied}


def threads(o):
    """The same simulations one after another, and on two threads."""
    question = {"model": "llama-3.1-70b", "tp": 4, "pp": 4, "global_batch": 64, "cluster": "h100-sxm:64"}

    def ask():
        for _ in range(5):
            o.call("run", question)

    def at_once():
        both = [threading.Thread(target=ask) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()

    def in_turn():
        ask()
        ask()

    one, two = best(in_turn), best(at_once)
    return {"in_turn_ms": one, "two_threads_ms": two, "threads_speedup": one / two, "cores": len(os.sched_getaffinity(0))}


def main():
    import orrery as o

    warnings.simplefilter("ignore", o.OrreryWarning)
    for part in (imports(), tables(o), threads(o)):
        print(json.dumps({key: round(value, 3) for key, value in part.items()}))


if __name__ == "__main__":
    main()
