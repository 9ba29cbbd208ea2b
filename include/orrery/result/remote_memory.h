// SPDX-License-Identifier: Apache-2.0
//
// What crossed remote memories, level by level. Part of a run (run.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::result {

/// A remote memory, or a stage of links between it and devices: all that are alike together.
struct MemoryLevel {
  std::string name;          ///< "3 groups of memory", "2 links for each 8 devices"
  Bandwidth capacity{};      ///< of all that are alike, in one direction
  bool half_duplex = false;  ///< loads and stores share it
  std::uint64_t loaded = 0;  ///< bytes, of all devices
  std::uint64_t stored = 0;
  /// The same over time, in bins of RemoteMemory::bin; equally many. In a run that finished they
  /// sum to the two above.
  std::vector<std::uint64_t> loads, stores;

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

/// Levels from the memory to the devices; none where nothing was loaded or stored, or where one
/// access after another was served (ASTRA rules).
struct RemoteMemory {
  Time bin{};  ///< the length of a bin; 0: nothing crossed
  std::vector<MemoryLevel> levels;

  friend bool operator==(const RemoteMemory&, const RemoteMemory&) = default;
};

}  // namespace orrery::result
