// SPDX-License-Identifier: Apache-2.0
//
// The memory that a process needs on its device, and whether the device has it.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/quantity.h"

namespace orrery {

/// The memory of one process: its tensors, what its allocator reserves beyond them, the driver's
/// context and the buffers of communicators.
struct MemoryNeed {
  Bytes total{};           ///< estimate
  Bytes lower{}, upper{};  ///< bounds, if each part deviates by its maximum in one direction

  friend bool operator==(const MemoryNeed&, const MemoryNeed&) = default;
};

enum class MemoryFit : std::uint8_t {
  yes,
  uncertain,  ///< the capacity is between the bounds
  no,
};
/// "fits", "may_not_fit", "does_not_fit".
[[nodiscard]] std::string_view name(MemoryFit fit);
/// "fits", "may not fit", "does not fit".
[[nodiscard]] std::string_view text(MemoryFit fit);

/// Whether `capacity`, the memory that a process can allocate, is enough.
[[nodiscard]] MemoryFit memory_fit(const MemoryNeed& need, Bytes capacity);

}  // namespace orrery
