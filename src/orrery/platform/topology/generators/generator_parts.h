// SPDX-License-Identifier: Apache-2.0
//
// Shared by all generators. Private to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/platform/topology/generators/topology_generator.h"

namespace orrery::platform::generators {

/// A node that a network joins: a NIC or a device; for blocks, any node.
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

/// An error at a key; the place is relative to the fabric.
struct KeyError {
  std::string place, what, hint;
};

/// Routes dimension by dimension, ascending; devices are nodes 0, 1, … of the grid.
[[nodiscard]] std::shared_ptr<const FormulaRoutes> grid_routes(std::vector<GridDim> dims);

/// Sizes with the product `count`, as equal as possible, ascending.
[[nodiscard]] std::vector<std::int64_t> even_sizes(std::int64_t count, std::size_t dims);

/// Joins ports to each other along every dimension, as a NetworkPlan says.
void join_grid(TopologyBuilder& builder, std::span<const Port> ports, std::span<const GridDim> dims,
               const NetworkPlan& plan);
/// The same without twists and dies.
void join_grid(TopologyBuilder& builder, std::span<const Port> ports, std::span<const GridDim> dims,
               const LinkFigures& figures);
void join_all(TopologyBuilder& builder, std::span<const Port> ports, const LinkFigures& figures);

/// Joins two nodes by an optical circuit: a node of that name, with half of the latency on each
/// side.
void join_optically(TopologyBuilder& builder, NodeIndex from, NodeIndex to, std::string name,
                    const LinkFigures& figures);

/// Checks the limits on the size of the fabric, and that the levels join all groups.
[[nodiscard]] std::optional<KeyError> check_size(const std::vector<BlockPlan>& blocks,
                                                 const std::vector<LevelPlan>& levels,
                                                 TopologyBuilder& builder);

/// Adds `times` copies of the hosts, devices first. Returns the nodes that the network joins.
[[nodiscard]] std::vector<Port> add_hosts(TopologyBuilder& builder,
                                          const std::vector<HostShape>& hosts, std::int64_t times);

/// The dimensions of a ring, mesh or torus with `count` members, or an error.
[[nodiscard]] tl::expected<std::vector<GridDim>, KeyError> grid_of(const NetworkPlan& plan,
                                                                   std::int64_t count);
/// Whether closing a dimension shifts another, so that routes dimension by dimension can miss.
[[nodiscard]] bool is_twisted(const NetworkPlan& plan);

/// Joins ports by a network of any shape. Returns an error, if there is one.
[[nodiscard]] std::optional<KeyError> join(TopologyBuilder& builder, std::span<const Port> ports,
                                           const NetworkPlan& plan);

/// The same for networks of one kind of shape.
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
