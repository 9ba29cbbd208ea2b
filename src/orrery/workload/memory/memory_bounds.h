// SPDX-License-Identifier: Apache-2.0
//
// The uncertainty of a memory estimate.
#pragma once

#include <cstdint>

#include "orrery/core/memory_need.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::workload {

/// Bounds of an estimate in bytes, if each part deviates by its maximum, all in the same direction.
struct MemoryRange {
  std::int64_t lower = 0, upper = 0;
};

struct MemoryBounds {
  MemoryRange allocated;                            ///< bounds of RoleMemory::peak
  MemoryRange total;                                ///< bounds of RoleMemory::total
  MemoryKind widest_kind = MemoryKind::weights;     ///< the kind with the largest deviation
  std::int64_t widest_below = 0, widest_above = 0;  ///< its deviation in bytes, below and above
};

/// Relative deviation of a kind, e.g. 0.06.
struct MemoryDeviation {
  double below = 0, above = 0;
};

/// Returns the maximum relative deviation of a kind. Weights, gradients and moments are exact
/// counts. The others:
///
///  - activations, 6 %: one tensor of 2 s b h bytes more or less among the 34 s b h of a layer. The
///    same job of Megatron-LM's tests keeps one such tensor more on one GPU type than on another;
///  - working and communication, half: which of the short-lived tensors are alive at the peak;  -
/// workspace, half: one per thread and stream, of which some programs have more;  - fragmentation,
/// from none (expandable segments) to three times the allowance: PyTorch's
///    allocator rounds to 512 bytes below 1 MiB, and allocates blocks of 2 MiB, 20 MiB or, from
///    10 MiB on, multiples of 2 MiB from the device (c10/cuda/CUDACachingAllocator.cpp); the unused
///    part of them depends on the order of sizes;
///  - context, half: kernels are loaded when they are first used;  - communicators, three fifths:
/// channels and connections depend on topology, library and
///    algorithm (NVIDIA/nccl issues 864, 964, 1685).
[[nodiscard]] MemoryDeviation memory_deviation(MemoryKind kind);

[[nodiscard]] MemoryBounds memory_bounds(const RoleMemory& memory);

/// The memory that a process with these tensors and buffers needs.
[[nodiscard]] MemoryNeed memory_need(const RoleMemory& memory);

}  // namespace orrery::workload
