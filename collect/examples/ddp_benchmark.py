# SPDX-License-Identifier: Apache-2.0
"""A small training step with DDP over gloo in two processes, to be recorded and to be timed.

    python3 collect/examples/ddp_benchmark.py record traces
    python3 collect/examples/ddp_benchmark.py time --iterations 10

The first writes what `orrery bench run --communication gloo` replays (ddp_mlp.rank0.json, ddp_mlp.rank1.json, and
next to each the times of further steps, ddp_mlp.rank0.kineto.json …); the second prints, as JSON, the CPU time of each
step, the mean of the ranks' processes, and the most memory that its tensors took at rank 0 (docs/bench.md).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch import nn

from benchmarks import Mlp, Step, peak_bytes, record, times


def data_parallel(width: int, layers: int, batch: int) -> Step:
    # Small buckets: several all-reduces a step, most of them while the backward pass goes on
    dist._DEFAULT_FIRST_BUCKET_BYTES = 64 << 10
    model = nn.parallel.DistributedDataParallel(Mlp(width, layers), bucket_cap_mb=0.25)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    x = torch.rand(batch, width)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        shown = loss.detach().clone()
        dist.all_reduce(shown)  # the mean loss, as a log would show it

    return step


def work(rank: int, meeting: str, asked: argparse.Namespace) -> None:
    torch.manual_seed(1 + rank)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=asked.ranks)
    step = data_parallel(128, 6, 64)
    for _ in range(3):
        step()
    if asked.what == "record":
        record(step, pathlib.Path(asked.folder) / f"ddp_mlp.rank{rank}.json")
    else:
        taken = torch.tensor(times(step, asked.iterations))
        held = peak_bytes(step)
        dist.all_reduce(taken)
        if rank == 0:
            print(json.dumps({"cpu_ns": (taken // asked.ranks).tolist(), "peak_bytes": held}), flush=True)
    dist.barrier()
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "time"])
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=10)
    asked = parser.parse_args()
    pathlib.Path(asked.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        processes.spawn(work, (os.path.join(scratch, "meeting"), asked), nprocs=asked.ranks)


if __name__ == "__main__":
    main()
