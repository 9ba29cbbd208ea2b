// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/observe/traffic_bins.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Bytes of loads and stores of remote memory over time. All levels carry the same bytes, except
/// for accesses that switches gather or reduce: of these, a level carries one sharer's part.
class RemoteMemoryTraffic {
 public:
  void add(const model::MemoryPools::TransferSpan& moved) {
    use_.add(slot(moved.store, moved.together), moved.from, moved.until, moved.bytes,
             moved.devices);
  }
  /// Length of a bin in picoseconds.
  [[nodiscard]] std::int64_t bin() const { return use_.bin(); }
  /// Traffic of a level with `sharing` devices per unit. The bins sum to
  /// model::MemoryPools::traffic() if every access has ended.
  [[nodiscard]] RecordedLevel level(std::uint64_t sharing) const;

 private:
  static std::size_t slot(bool store, bool together) {
    return (store ? 1u : 0u) + (together ? 2u : 0u);
  }

  TrafficBins use_{4};
};

}  // namespace orrery::sim
