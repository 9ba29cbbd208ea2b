// SPDX-License-Identifier: Apache-2.0
//
// Counts and limits the memory of tensors on the host.
#pragma once

#include <cstdint>

namespace orrery::bench {

/// From this call on, counts the memory of all tensors. An allocation beyond `limit` bytes in total
/// throws an exception before it allocates.
void count_memory(std::int64_t limit);
[[nodiscard]] std::int64_t memory_now();
[[nodiscard]] std::int64_t memory_peak();
/// Resets the peak to the current allocation.
void reset_peak();

}  // namespace orrery::bench
