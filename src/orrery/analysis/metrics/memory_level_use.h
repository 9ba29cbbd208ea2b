// SPDX-License-Identifier: Apache-2.0
//
// How busy remote memories and the links to them were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// A level of remote memory over a step. Shares are of what it can carry; where loads and stores
/// have a direction each, of the busier one.
struct MemoryLevelUse {
  std::string name;
  std::uint64_t loaded = 0;  ///< bytes
  std::uint64_t stored = 0;
  double in_use = 0;   ///< over the whole step
  double busiest = 0;  ///< in the bin in which it carries most, the first such; 0: no curve
  Time from{};         ///< where that bin begins
};

/// From the memory to devices, as Run::remote_memory has them. O(bins).
[[nodiscard]] std::vector<MemoryLevelUse> memory_level_use(const result::Run& run);

}  // namespace orrery::analysis
