// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/switch_streams.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::sim {

void SwitchStreams::ask(const Asked& one) {
  const auto earlier = [](const Asked& a, const Asked& b) {
    return std::tie(a.since, a.order, a.communicator, a.base) <
           std::tie(b.since, b.order, b.communicator, b.base);
  };
  line_.insert(std::upper_bound(line_.begin(), line_.end(), one, earlier), one);
  unsettled_ = true;
}

std::vector<std::uint32_t> SwitchStreams::admit() {
  std::vector<std::uint32_t> begin;
  if (!std::exchange(unsettled_, false)) return begin;
  std::map<model::EndPoint, std::uint32_t> retained;  // by those that wait
  std::vector<Asked> waiting;
  for (const Asked& one : line_) {
    const auto& limited = one.tree->limited;
    const bool free = std::all_of(limited.begin(), limited.end(), [&](const auto& at) {
      return busy_[at.at] + retained[at.at] < at.streams;
    });
    for (const auto& at : limited) ++(free ? busy_ : retained)[at.at];
    if (free)
      begin.push_back(one.number);
    else
      waiting.push_back(one);
  }
  line_ = std::move(waiting);
  return begin;
}

void SwitchStreams::leave(const model::SwitchTree& tree) {
  for (const auto& at : tree.limited) {
    ORRERY_CHECK(busy_[at.at] > 0);
    --busy_[at.at];
  }
  unsettled_ = true;
}

}  // namespace orrery::sim
