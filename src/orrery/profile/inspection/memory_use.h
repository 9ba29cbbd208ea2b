// SPDX-License-Identifier: Apache-2.0
//
// Tensor memory of a recorded rank over time, from the profiler's "[memory]" events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Memory at one time.
struct MemorySample {
  Time at{};
  std::int64_t allocated = 0;  ///< bytes of tensors
  std::int64_t reserved = -1;  ///< bytes of the allocator; -1: not recorded
};

/// The allocations of one operator.
struct OperatorMemory {
  /// The innermost operator that does more than to create or resize tensors (aten::empty…,
  /// aten::resize…, aten::new_…); without one, the innermost annotation; "": neither.
  std::string name;
  std::string outermost;        ///< the outermost operator; "": none
  std::uint64_t count = 0;      ///< allocations
  std::int64_t bytes = 0;       ///< their sum
  std::int64_t largest = 0;     ///< the largest of them
  std::int64_t peak_bytes = 0;  ///< of those alive at the peak
  std::uint64_t peak_count = 0;
};

/// The memory of the host or of one device.
struct MemoryUse {
  bool device = false;
  std::int32_t device_id = -1;
  std::uint64_t allocations = 0, releases = 0;
  std::int64_t allocated_bytes = 0;  ///< sum of all allocations
  /// False: the recording lacks totals. They are then counted from 0 at its start, and can be
  /// negative.
  bool has_totals = false;
  MemorySample first, last;        ///< after the first and the last change
  MemorySample peak;               ///< where `allocated` is largest, for the first time
  MemorySample peak_reserved;      ///< where `reserved` is largest, for the first time
  std::int64_t known_at_peak = 0;  ///< bytes of recorded allocations that are alive at the peak
  /// At most kMemorySamples: of equal parts of the time, the sample with the most allocated memory,
  /// with the largest `reserved` of the part.
  std::vector<MemorySample> curve;
  std::vector<OperatorMemory> operators;  ///< by peak_bytes, then by bytes, descending
};
inline constexpr std::size_t kMemorySamples = 100;

/// The host first, then devices, ascending. Empty if there are no such events. O(events log
/// events).
[[nodiscard]] std::vector<MemoryUse> memory_use(const Profile& profile);

}  // namespace orrery::profile
