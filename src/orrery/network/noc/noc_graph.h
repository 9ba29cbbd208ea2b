// SPDX-License-Identifier: Apache-2.0
//
// Routers, links between their ports, and the nodes that send and receive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/network/noc/noc_types.h"

namespace orrery::noc {

/// One direction of a link. A flit arrives `cycles` of the sender's clock and `extra` after it has
/// left the sender.
struct NocLink {
  std::uint32_t from = 0, from_port = 0;
  std::uint32_t to = 0, to_port = 0;
  std::int64_t cycles = 1;
  std::int64_t extra = 0;  ///< picoseconds, as for a crossing between dies
  /// Time of a flit on a link that is narrower than a flit, in picoseconds; 0: a cycle.
  std::int64_t flit_time = 0;
  bool is_down = false;  ///< no route by tables uses it
  /// Between routers with different clocks: cycles of the receiver until it sees a flit, and of the
  /// sender until it sees a credit.
  std::int64_t synchronizer = 0;
};

/// Sends into an input port of a router and receives from the output port of the same number.
struct NocNode {
  std::uint32_t router = 0, port = 0;
};

/// A graph of routers. Port p of a router has an input and an output; in cubes, both lead to the
/// same neighbor: 2d to the next router of dimension d, 2d + 1 to the previous one, then the nodes.
struct NocGraph {
  std::vector<std::uint32_t> ports;   ///< by router: number of its ports
  std::vector<std::uint32_t> domain;  ///< by router: its clock
  std::vector<std::int64_t> periods;  ///< by clock, in picoseconds
  std::vector<NocLink> links;
  std::vector<NocNode> nodes;
  std::int64_t node_cycles = 1;  ///< delay of the links of nodes
  /// Cubes: routers per dimension, the first dimension fastest. Empty: another graph.
  std::vector<std::uint32_t> extents;
  std::vector<bool> wraps;          ///< cubes: by dimension: it is a ring
  std::uint32_t concentration = 1;  ///< cubes: nodes per router

  [[nodiscard]] std::uint32_t router_count() const {
    return static_cast<std::uint32_t>(ports.size());
  }
  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(nodes.size());
  }
  [[nodiscard]] bool has_ring() const {
    return std::find(wraps.begin(), wraps.end(), true) != wraps.end();
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const;
};

/// The ports of all routers in one list, router by router, and the links that leave them.
struct NocPorts {
  explicit NocPorts(const NocGraph& graph);
  [[nodiscard]] std::size_t at(std::uint32_t router, std::uint32_t port) const {
    return first[router] + port;
  }
  /// kNone: the port leads to a node or nowhere.
  [[nodiscard]] std::uint32_t link_at(std::uint32_t router, std::uint32_t port) const {
    return link[at(router, port)];
  }

  std::vector<std::size_t> first;   ///< by router, and the number of all ports
  std::vector<std::uint32_t> link;  ///< by port
};

inline constexpr std::uint32_t kMostRouters = 65536;
inline constexpr std::uint32_t kMostDimensions = 4;
inline constexpr std::int64_t kMostDelay = 1 << 15;  ///< of a link, in cycles of its receiver

/// Dimensions of routers: a mesh, or a torus if `wraps` (a ring if there is one dimension); several
/// nodes per router make it concentrated, and one router is a crossbar. Errc::config_range: more
/// than kMostRouters, or an extent of 0.
struct CubeShape {
  std::vector<std::uint32_t> extents;
  bool wraps = false;
  std::uint32_t concentration = 1;
  std::int64_t link_cycles = 1;
  std::int64_t period = 1000;  ///< picoseconds
};
[[nodiscard]] Result<NocGraph> make_cube(const CubeShape& shape);
/// The same, with rings in some dimensions.
[[nodiscard]] Result<NocGraph> make_cube(const CubeShape& shape, const std::vector<bool>& wraps);

/// `routers` routers with one node each, and a link from each to each.
[[nodiscard]] Result<NocGraph> make_fully_connected(std::uint32_t routers,
                                                    std::int64_t link_cycles = 1,
                                                    std::int64_t period = 1000);

/// Adds a link between new ports of two routers, in one direction.
void add_link(NocGraph& graph, std::uint32_t from, std::uint32_t to, std::int64_t cycles = 1,
              std::int64_t extra = 0, std::int64_t flit_time = 0);
/// Adds a node at a new port of a router.
void add_node(NocGraph& graph, std::uint32_t router);

/// Errc::config_range, with the place in the graph: a port that is used twice or does not exist, a
/// delay below 1 or above kMostDelay, a clock without a period.
[[nodiscard]] Result<void> check_graph(const NocGraph& graph);

}  // namespace orrery::noc
