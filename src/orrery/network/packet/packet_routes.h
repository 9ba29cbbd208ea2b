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
/// node by a hash of both ends, the value and the node; otherwise all values have the one route of FabricRoutes::find().
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
  /// The last links to an end point, as long as they are the only ones. Routes to end points of one
  /// class differ only in these links.
  struct Approach {
    platform::NodeIndex gate = 0;  ///< where they begin
    std::uint32_t class_number = 0;
    std::uint32_t first = 0;  ///< in `last_links_`
    std::uint32_t count = 0;
  };
  /// From a node to the gate of a class: the links that may come next, as a part of `choices_`. If
  /// that is one link, the links after it follow, as long as there is no choice.
  struct Choices {
    std::uint64_t key = kUnused;  ///< node and class
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    std::uint16_t links = 0;
  };
  static constexpr std::uint64_t kUnused = ~std::uint64_t{0};
  [[nodiscard]] PacketRoute search(std::uint32_t pair, std::uint32_t entropy, EndPoint from,
                                   EndPoint to);
  void append_sprayed(std::uint32_t entropy, EndPoint from, EndPoint to);
  [[nodiscard]] Choices choices(platform::NodeIndex at, EndPoint to);
  [[nodiscard]] Choices find_choices(platform::NodeIndex at, EndPoint to);
  void find_approaches();
  [[nodiscard]] Approach find_approach(platform::NodeIndex to);
  void append_first_links(platform::NodeIndex& at, platform::NodeIndex gate);
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const;
  void grow_table();

  std::shared_ptr<FabricRoutes> fabric_;
  std::uint32_t entropies_;
  std::vector<PacketRoute> known_;    // by pair and entropy value
  std::vector<std::uint32_t> links_;  // of all routes, one after another
  std::vector<Approach> approaches_;  // by end point
  std::vector<platform::LinkIndex> last_links_;
  std::vector<Choices> table_;  // by node and class: open addressing, size a power of 2
  std::size_t entries_ = 0;
  std::vector<platform::LinkIndex> choices_, found_;
};

}  // namespace orrery::model
