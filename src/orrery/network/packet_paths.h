// SPDX-License-Identifier: Apache-2.0
//
// Routes of packets over a fabric.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/packet/packet_route_pool.h"

namespace orrery::model {

/// If the fabric's policy is `spray`, the entropy value of a packet selects one of the shortest
/// routes at each node, by a hash of both ends, the value, the seed and the node. Otherwise all
/// values have the one route of FabricRoutes::find(). If links on all routes are down, there is
/// none. Not thread-safe.
class PacketPaths final : public PacketRouter {
 public:
  explicit PacketPaths(std::shared_ptr<FabricRoutes> fabric) : fabric_(std::move(fabric)) {}

  [[nodiscard]] std::uint32_t node_of(EndPoint at) const override { return fabric_->node(at); }
  [[nodiscard]] bool sprays() const override { return fabric_->sprays(); }
  void append_route(std::uint32_t state, EndPoint from, EndPoint to, std::uint32_t entropy,
                    std::vector<platform::LinkIndex>& links) override;
  void append_next(std::uint32_t state, std::uint32_t node, EndPoint to,
                   std::vector<platform::LinkIndex>& links) override;

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
  /// By node and class: open addressing, size a power of 2.
  struct Table {
    std::vector<Choices> slots;
    std::size_t entries = 0;
  };
  [[nodiscard]] Choices choices(std::uint32_t state, platform::NodeIndex at, EndPoint to);
  [[nodiscard]] Choices find_choices(std::uint32_t state, platform::NodeIndex at, EndPoint to);
  void find_approaches();
  [[nodiscard]] Approach find_approach(platform::NodeIndex to);
  void append_first_links(platform::NodeIndex& at, platform::NodeIndex gate,
                          std::vector<platform::LinkIndex>& links) const;
  [[nodiscard]] static std::size_t slot_of(const Table& table, std::uint64_t key);
  static void grow(Table& table);

  std::shared_ptr<FabricRoutes> fabric_;
  std::vector<Approach> approaches_;  // by end point
  std::vector<platform::LinkIndex> last_links_;
  std::vector<Table> tables_;  // by state of faults
  std::vector<platform::LinkIndex> choices_, found_;
};

}  // namespace orrery::model
