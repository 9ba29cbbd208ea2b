#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares CPU times of replays with those of the recorded programs: the process's CPU time of
collect/examples/benchmarks.py, and of `orrery bench run` of its recordings, alternately, with one thread.
ddp_mlp is ddp_benchmark.py: the mean of both ranks' processes, which communicate through gloo.
docs/bench.md contains the results.

    benchmarks/bench_fidelity.py --program build/release/apps/orrery/orrery --pairs 10

Needs Debian's python3-torch, and a program built with libtorch (./setup bench collect).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "collect" / "examples"
MODELS = ["cnn", "mlp", "transformer", "dlrm", "ddp_mlp"]
# The process retains freed memory. Otherwise each process returns and requests pages at different times.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_MMAP_THRESHOLD_": str(1 << 34)}


def run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout) if done.stdout else None


def example(what, model):
    script = "ddp_benchmark.py" if model == "ddp_mlp" else "benchmarks.py"
    return ["/usr/bin/python3", EXAMPLES / script, what] + ([] if model == "ddp_mlp" else [model])


def original(model, iterations, environment):
    return run(example("time", model) + ["--iterations", str(iterations)], environment)


def replay(program, traces, mode, iterations, environment):
    """`mode`: a level, and whether the replay repeats the recorded host time between operators (--think)."""
    level, thinks = mode
    inputs = [trace for trace in traces if thinks or not trace.name.endswith(".kineto.json")]
    command = [program, "bench", "run", *inputs, "--level", level, "--iterations", str(iterations), "--warm-up", "3",
               "--json"] + (["--think"] if thinks else [])
    if not any("rank1" in trace.name for trace in traces):
        return run(command, environment)["result"]
    ranks = run(command + ["--communication", "gloo"], environment)["result"]["per_rank"]
    ranks[0]["replay"]["cpu_time"]["median_ns"] = statistics.mean(rank["replay"]["cpu_time"]["median_ns"] for rank in ranks)
    return ranks[0]


def compare(program, model, traces, asked, environment):
    ratios = {(level, thinks): [] for thinks in (False, True) for level in ("top", "kernel")}
    there, here, last = [], {mode: [] for mode in ratios}, {}
    for _ in range(asked.pairs):
        first = original(model, asked.iterations, environment)
        memory = first["peak_bytes"]
        there.append(statistics.median(first["cpu_ns"]))
        for mode, differences in ratios.items():
            last[mode] = replay(program, traces, mode, asked.iterations, environment)
            here[mode].append(last[mode]["replay"]["cpu_time"]["median_ns"])
            differences.append(here[mode][-1] / there[-1] - 1)
    for mode, differences in ratios.items():
        result = last[mode]
        held = result["replay"]["peak_bytes"] - result["replay"]["external_bytes"]
        print(f"{model:12} {mode[0]:7} {'think' if mode[1] else '':6} original {statistics.median(there) / 1e6:7.2f} ms"
              f"  replay {statistics.median(here[mode]) / 1e6:7.2f} ms"
              f"  {statistics.median(differences):+7.1%} ({min(differences):+.1%} to {max(differences):+.1%})"
              f"  minima {min(here[mode]) / min(there) - 1:+.1%}"
              f"  operators {result['coverage']['operators']['count']}"
              f"  failed {result['replay']['failed_operators']}"
              f"  memory {memory / 1e6:.3f} MB, replay {held / 1e6:.3f} MB ({held / memory - 1:+.2%})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/apps/orrery/orrery"))
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--give-back", action="store_true", help="use the default memory management of the C library")
    parser.add_argument("models", nargs="*", default=MODELS)
    asked = parser.parse_args()
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if not asked.give_back:
        environment.update(KEEP_MEMORY)
    with tempfile.TemporaryDirectory() as folder:
        for model in asked.models:
            run(example("record", model) + [folder], environment)
            traces = sorted(pathlib.Path(folder).glob(f"{model}*.json"))
            compare(asked.program, model, traces, asked, environment)


if __name__ == "__main__":
    main()
