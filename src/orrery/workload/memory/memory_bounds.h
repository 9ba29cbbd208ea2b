// SPDX-License-Identifier: Apache-2.0
//
// How sure an account of memory is.
#pragma once

#include <cstdint>

#include "orrery/workload/memory/memory_report.h"

namespace orrery::workload {

/// Bytes between which a figure lies, if each part is as far off as it may be, all in one
/// direction.
struct MemoryRange {
  std::int64_t lower = 0, upper = 0;
};

struct MemoryBounds {
  MemoryRange allocated;                            ///< of RoleMemory::peak
  MemoryRange total;                                ///< of RoleMemory::total
  MemoryKind widest_kind = MemoryKind::weights;     ///< the part that makes `total` widest
  std::int64_t widest_below = 0, widest_above = 0;  ///< and how far off it may be: below, above
};

/// Share of a part that may be too much or too little.
struct MemoryDeviation {
  double below = 0, above = 0;
};

/// How far off each part may be. Weights, gradients and moments are counted, not estimated. Of the
/// rest:
///
///  - activations, 6 %: one tensor of 2 s b h bytes more or less among the 34 of a layer, which is
///    what the same job of Megatron-LM's tests keeps more on one GPU type than on another;
///  - working and communication, half: which of the short-lived tensors meet at the peak;
///  - workspace, half: one per thread and stream, of which some programs have more;
///  - fragmentation, from none (expandable segments) to three times the allowance: PyTorch's
///    allocator rounds to 512 bytes below 1 MiB, and takes whole blocks of 2 MiB, 20 MiB or, from
///    10 MiB on, multiples of 2 MiB from the device (c10/cuda/CUDACachingAllocator.cpp); how much
///    of them is left over depends on the order of sizes;
///  - context, half: kernels are loaded when they are first used;
///  - communicators, three fifths: channels and connections depend on topology, library and
///    algorithm (NVIDIA/nccl issues 864, 964, 1685).
[[nodiscard]] MemoryDeviation memory_deviation(MemoryKind kind);

[[nodiscard]] MemoryBounds memory_bounds(const RoleMemory& memory);

/// Whether a device of `capacity` bytes can hold it.
enum class MemoryFit : std::uint8_t {
  yes,
  uncertain,  ///< `capacity` lies in the band of the total
  no,
};
[[nodiscard]] MemoryFit fits(const RoleMemory& memory, std::int64_t capacity);

}  // namespace orrery::workload
