// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/switch_streams.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::sim {

void SwitchStreams::request(const Request& one) {
  const auto earlier = [](const Request& a, const Request& b) {
    return std::tie(a.since, a.order, a.communicator, a.base) <
           std::tie(b.since, b.order, b.communicator, b.base);
  };
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), one, earlier), one);
  unsettled_ = true;
}

std::vector<std::uint32_t> SwitchStreams::admit() {
  std::vector<std::uint32_t> begin;
  if (!std::exchange(unsettled_, false)) return begin;
  std::map<model::EndPoint, std::uint32_t> retained;  // streams that waiting requests hold back
  std::vector<Request> waiting;
  for (const Request& one : waiting_) {
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
  waiting_ = std::move(waiting);
  return begin;
}

void SwitchStreams::release(const model::SwitchTree& tree) {
  for (const auto& at : tree.limited) {
    ORRERY_CHECK(busy_[at.at] > 0);
    --busy_[at.at];
  }
  unsettled_ = true;
}

}  // namespace orrery::sim
