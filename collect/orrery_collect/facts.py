# SPDX-License-Identifier: Apache-2.0
"""Facts about this process: its rank, process groups, devices and versions."""

from __future__ import annotations

import os
import platform
from typing import Any, Dict, List, Optional, Tuple

import torch

Json = Dict[str, Any]


def distributed() -> Optional[Any]:
    """torch.distributed once a process group exists, else None."""
    dist = getattr(torch, "distributed", None)
    if dist is None or not dist.is_available() or not dist.is_initialized():
        return None
    return dist


def rank_and_size() -> Tuple[int, int, str]:
    """This process's rank, the number of ranks, and the source of both."""
    dist = distributed()
    if dist is not None:
        return dist.get_rank(), dist.get_world_size(), "torch.distributed"
    for rank, size in (("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS"),
                       ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")):
        if os.environ.get(rank, "").isdigit() and os.environ.get(size, "").isdigit():
            return int(os.environ[rank]), int(os.environ[size]), rank
    return 0, 1, "a single process"


def process_groups() -> List[Json]:
    """The process groups this rank is in, as PyTorch names them and as Kineto writes them."""
    dist = distributed()
    if dist is None:
        return []
    c10d = dist.distributed_c10d
    # Stored in the module itself before PyTorch 2.0
    world = getattr(c10d, "_world", None)
    names = getattr(world, "pg_names", None) or getattr(c10d, "_pg_names", {})
    members = getattr(world, "pg_group_ranks", None) or getattr(c10d, "_pg_group_ranks", {})
    found = []
    for group, name in names.items():
        places = members.get(group, {})
        ranks = sorted(places, key=places.get)
        description = getattr(group, "group_desc", "")
        found.append({"pg_name": str(name), "pg_desc": str(description or ""),
                      "backend_config": str(dist.get_backend(group)), "pg_size": len(ranks),
                      "ranks": ranks})
    return found


def distributed_info() -> Optional[Json]:
    """What Kineto calls distributedInfo."""
    dist = distributed()
    if dist is None:
        return None
    groups = process_groups()
    return {"backend": str(dist.get_backend()), "rank": dist.get_rank(),
            "world_size": dist.get_world_size(), "pg_count": len(groups), "pg_config": groups}


def uses_cuda() -> bool:
    """True if this process has initialized CUDA (or ROCm). Further queries would initialize it."""
    cuda: Any = torch.cuda
    return bool(cuda.is_available() and cuda.is_initialized())


def devices() -> List[Json]:
    """The visible CUDA or ROCm devices if any is used; "current" is the device of this process."""
    if not uses_cuda():
        return []
    current = torch.cuda.current_device()
    found = []
    for index in range(torch.cuda.device_count()):
        known = torch.cuda.get_device_properties(index)
        found.append({"id": index, "name": known.name, "memory_bytes": known.total_memory,
                      "processors": known.multi_processor_count, "current": index == current})
    return found


def nccl_version() -> Optional[str]:
    """"2.21.5", or None in a build without NCCL."""
    try:
        nccl: Any = getattr(torch.cuda, "nccl")
        version = nccl.version()
        return str(version) if isinstance(version, int) else ".".join(map(str, version))
    except Exception:  # without NCCL, each version raises a different exception
        return None


def versions() -> Json:
    return {"torch": torch.__version__, "python": platform.python_version(),
            "cuda": torch.version.cuda, "hip": getattr(torch.version, "hip", None),
            "nccl": nccl_version() if torch.cuda.is_available() else None}


def host() -> Json:
    """Facts about the host that affect speed. Contains nothing that identifies its owner."""
    return {"machine": platform.machine(), "processors": os.cpu_count(),
            "torch_threads": torch.get_num_threads()}


def synchronize() -> None:
    """Waits until the device is idle."""
    accelerator = getattr(torch, "accelerator", None)
    if torch.cuda.is_available():
        if uses_cuda():
            torch.cuda.synchronize()
    elif accelerator is not None and accelerator.is_available():
        accelerator.synchronize()
