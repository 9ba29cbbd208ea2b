// SPDX-License-Identifier: Apache-2.0
//
// The traffic of remote memories, by level. Part of a run (run.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::result {

/// A level of remote memory, or of links between it and the devices; identical units are one level.
struct MemoryLevel {
  std::string name;          ///< "3 groups of memory", "2 links for each 8 devices"
  Bandwidth capacity{};      ///< of all units together, in one direction
  bool half_duplex = false;  ///< loads and stores share the capacity
  std::uint64_t loaded = 0;  ///< bytes, all devices together
  std::uint64_t stored = 0;
  /// Traffic over time, in bins of RemoteMemory::bin; both have the same number of bins. In a run
  /// that finished, they sum to `loaded` and `stored`.
  std::vector<std::uint64_t> loads, stores;

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

/// Levels in order from the memory to the devices. Empty if there were no loads or stores, or if
/// accesses were served one after another (ASTRA rules).
struct RemoteMemory {
  Time bin{};  ///< length of a bin; 0: no traffic
  std::vector<MemoryLevel> levels;

  friend bool operator==(const RemoteMemory&, const RemoteMemory&) = default;
};

}  // namespace orrery::result
