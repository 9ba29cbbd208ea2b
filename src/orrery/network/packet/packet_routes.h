// SPDX-License-Identifier: Apache-2.0
//
// Routes of packets, stored as link numbers in one array.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/packet/packet_types.h"

namespace orrery::model {

/// Finds a route for each pair of end points and each entropy value, when a packet first needs it.
/// If the fabric's policy is `spray`, the entropy value selects one of the shortest routes at each
/// node by a hash; otherwise all values have the one route of FabricRoutes::find().
class PacketRoutes {
 public:
  PacketRoutes(std::shared_ptr<FabricRoutes> routes, std::uint32_t entropies);

  /// The index of the routes of a new pair, for find().
  [[nodiscard]] std::uint32_t add_pair();
  /// Number of entropy values: 1 unless packets are sprayed.
  [[nodiscard]] std::uint32_t entropies() const { return entropies_; }
  /// The route of an entropy value of a pair.
  [[nodiscard]] PacketRoute find(std::uint32_t pair, std::uint32_t entropy, EndPoint from,
                                 EndPoint to) {
    const PacketRoute& known = known_[pair + entropy];
    return known.hops > 0 ? known : search(pair, entropy, from, to);
  }
  [[nodiscard]] const std::uint32_t* links() const { return links_.data(); }
  [[nodiscard]] FabricRoutes& fabric() const { return *fabric_; }

 private:
  [[nodiscard]] PacketRoute search(std::uint32_t pair, std::uint32_t entropy, EndPoint from,
                                   EndPoint to);

  std::shared_ptr<FabricRoutes> fabric_;
  std::uint32_t entropies_;
  std::vector<PacketRoute> known_;    // by pair and entropy value
  std::vector<std::uint32_t> links_;  // of all routes, one after another
};

}  // namespace orrery::model
