// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/observe/traffic_bins.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// What loads and stores of remote memory move over time. All levels carry the same, but for what
/// switches gather and reduce, of which a level has each sharer's part.
class RemoteMemoryTraffic {
 public:
  void add(const model::MemoryPools::TransferSpan& moved) {
    use_.add(slot(moved.store, moved.together), moved.from, moved.until, moved.bytes);
  }
  /// The length of a bin, in picoseconds.
  [[nodiscard]] std::int64_t bin() const { return use_.bin(); }
  /// At a level of which each place is shared by so many devices. Bins sum to
  /// model::MemoryPools::traffic() where every access has ended.
  [[nodiscard]] RecordedLevel level(std::uint64_t sharing) const;

 private:
  static std::size_t slot(bool store, bool together) {
    return (store ? 1u : 0u) + (together ? 2u : 0u);
  }

  TrafficBins use_{4};
};

}  // namespace orrery::sim
