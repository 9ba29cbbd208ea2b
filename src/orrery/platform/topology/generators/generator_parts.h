// SPDX-License-Identifier: Apache-2.0
//
// What generators share. Private to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/platform/topology/generators/topology_generator.h"

namespace orrery::platform::generators {

/// What a network is joined to: a NIC or a device; of a block, any node.
struct Port {
  NodeIndex node = 0;
  std::int64_t host = 0;
  std::int64_t rail = 0;
};

/// One dimension of a grid.
struct GridDim {
  StackedDim::Block block = StackedDim::Block::ring;
  std::int64_t size = 1;
  bool wrap = true;        ///< a ring; else a line
  NodeIndex switches = 0;  ///< `switched`: its first switch
};

/// Something is wrong with the key, relative to the fabric.
struct KeyError {
  std::string place, what, hint;
};

/// Dimension by dimension, ascending; devices are nodes 0, 1, … of the grid.
[[nodiscard]] std::shared_ptr<const FormulaRoutes> grid_routes(std::vector<GridDim> dims);

/// Sizes whose product is `count`, as even as can be, ascending.
[[nodiscard]] std::vector<std::int64_t> even_sizes(std::int64_t count, std::size_t dims);

/// Joins ports to each other along every dimension. `twists` as in NetworkPlan.
void join_grid(TopologyBuilder& builder, std::span<const Port> ports, std::span<const GridDim> dims,
               std::span<const std::int64_t> twists, const LinkFigures& figures);
void join_all(TopologyBuilder& builder, std::span<const Port> ports, const LinkFigures& figures);

/// Joins two nodes by an optical circuit of that name, which is half of the way.
void join_optically(TopologyBuilder& builder, NodeIndex from, NodeIndex to, std::string name,
                    const LinkFigures& figures);

/// Whether there may be that much: blocks, and as many copies of them as levels make; and whether
/// levels join all groups.
[[nodiscard]] std::optional<KeyError> check_size(const std::vector<BlockPlan>& blocks,
                                                 const std::vector<LevelPlan>& levels,
                                                 TopologyBuilder& builder);

/// Adds the hosts so many times over, devices first, and answers what the network is joined to.
[[nodiscard]] std::vector<Port> add_hosts(TopologyBuilder& builder,
                                          const std::vector<HostShape>& hosts, std::int64_t times);

/// The dimensions of a ring, mesh or torus of so many, or what is wrong with it.
[[nodiscard]] tl::expected<std::vector<GridDim>, KeyError> grid_of(const NetworkPlan& plan,
                                                                   std::int64_t count);
/// Closing a dimension shifts another: going dimension by dimension may miss.
[[nodiscard]] bool is_twisted(const NetworkPlan& plan);

/// Joins ports to a network, or says what is wrong; whatever `plan` is.
[[nodiscard]] std::optional<KeyError> join(TopologyBuilder& builder, std::span<const Port> ports,
                                           const NetworkPlan& plan);

/// Each adds its switches and links; or says what is wrong.
[[nodiscard]] std::optional<KeyError> join_grid_network(TopologyBuilder& builder,
                                                        std::span<const Port> ports,
                                                        const NetworkPlan& plan);
[[nodiscard]] std::optional<KeyError> join_tpu(TopologyBuilder& builder,
                                               std::span<const Port> ports,
                                               const NetworkPlan& plan);
[[nodiscard]] std::optional<KeyError> join_circuits(TopologyBuilder& builder,
                                                    std::span<const Port> ports,
                                                    const NetworkPlan& plan);
[[nodiscard]] std::optional<KeyError> join_tree(TopologyBuilder& builder,
                                                std::span<const Port> ports,
                                                const NetworkPlan& plan);
[[nodiscard]] std::optional<KeyError> join_rails(TopologyBuilder& builder,
                                                 std::span<const Port> ports,
                                                 const NetworkPlan& plan);
[[nodiscard]] std::optional<KeyError> join_dragonfly(TopologyBuilder& builder,
                                                     std::span<const Port> ports,
                                                     const NetworkPlan& plan);

}  // namespace orrery::platform::generators
