// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_routes.h"

#include <utility>

#include "orrery/core/check.h"

namespace orrery::model {

PacketRoutes::PacketRoutes(std::shared_ptr<FabricRoutes> routes, std::uint32_t entropies)
    : fabric_(std::move(routes)), entropies_(fabric_->sprays() ? entropies : 1) {}

std::uint32_t PacketRoutes::add_pair() {
  const auto pair = static_cast<std::uint32_t>(known_.size());
  known_.resize(known_.size() + entropies_);
  return pair;
}

PacketRoute PacketRoutes::search(std::uint32_t pair, std::uint32_t entropy, EndPoint from,
                                 EndPoint to) {
  std::vector<platform::LinkIndex> found;
  ORRERY_CHECK(fabric_->find_by_entropy(fabric_->initial_state(), from, to, entropy, found));
  const PacketRoute route{static_cast<std::uint32_t>(links_.size()),
                          static_cast<std::uint32_t>(found.size())};
  links_.insert(links_.end(), found.begin(), found.end());
  known_[pair + entropy] = route;
  return route;
}

}  // namespace orrery::model
