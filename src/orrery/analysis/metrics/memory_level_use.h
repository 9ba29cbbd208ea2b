// SPDX-License-Identifier: Apache-2.0
//
// Utilization of remote memories and of the links to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// A level of remote memory over a step. Utilizations are relative to its capacity; if loads and
/// stores use separate directions, that of the busier direction.
struct MemoryLevelUse {
  std::string name;
  std::uint64_t loaded = 0;  ///< bytes
  std::uint64_t stored = 0;
  double in_use = 0;   ///< mean utilization over the step
  double busiest = 0;  ///< utilization in the busiest bin (ties: the first); 0: no curve
  Time from{};         ///< start of that bin
};

/// All levels in the order of Run::remote_memory, from the memory to the devices. O(bins).
[[nodiscard]] std::vector<MemoryLevelUse> memory_level_use(const result::Run& run);

}  // namespace orrery::analysis
