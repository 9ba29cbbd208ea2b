// SPDX-License-Identifier: Apache-2.0
//
// Memory of tensors on the host: counted, and never more than was allowed.
#pragma once

#include <cstdint>

namespace orrery::replay {

/// From now on every tensor's memory is counted. What would be more than `limit` bytes at a time is
/// refused with an exception before anything is allocated.
void count_memory(std::int64_t limit);
[[nodiscard]] std::int64_t memory_now();
[[nodiscard]] std::int64_t memory_peak();
/// The peak begins anew at what is there now.
void restart_peak();

}  // namespace orrery::replay
