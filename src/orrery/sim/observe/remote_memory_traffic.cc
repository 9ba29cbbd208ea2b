// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/remote_memory_traffic.h"

namespace orrery::sim {

RecordedLevel RemoteMemoryTraffic::level(std::uint64_t sharing) const {
  const auto curve = [&](bool store) {
    const auto apart = use_.curve(slot(store, false)), together = use_.curve(slot(store, true));
    std::vector<std::uint64_t> bins(apart.begin(), apart.end());
    std::uint64_t all = 0,
                  parts = 0;  // divides the running sum, so that the bins sum to the divided total
    for (std::size_t i = 0; i < bins.size(); ++i) {
      all += together[i];
      bins[i] += all / sharing - parts;
      parts = all / sharing;
    }
    return bins;
  };
  return {curve(false), curve(true)};
}

}  // namespace orrery::sim
