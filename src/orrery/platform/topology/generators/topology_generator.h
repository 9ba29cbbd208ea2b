// SPDX-License-Identifier: Apache-2.0
//
// Generators of regular fabrics: hosts, and a network between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The network of the devices of one host.
enum class HostInterconnect : std::uint8_t {
  none,      ///< only by what is outside
  switched,  ///< by switches, each device to each of them
  fully_connected,
  ring,
  mesh,  ///< as square as can be
  torus,
};

/// Identical hosts.
struct HostShape {
  std::int64_t count = 1;
  std::int64_t devices = 8;
  HostInterconnect inside = HostInterconnect::switched;
  std::int64_t switches = 1;  ///< `switched`: so many share the bandwidth of a device
  LinkFigures scale_up;       ///< of a device (switched) or of a link between two
  /// 0: devices are joined to the network directly. NIC i serves devices [i × devices / nics, …),
  /// behind a PCIe switch if there are several.
  std::int64_t nics = 0;
  LinkFigures pcie;  ///< between a device (or PCIe switch) and a NIC
  /// More than 1: number of devices that are dies of one package, each joined to its hub. Networks
  /// and NICs then join hubs instead of devices.
  std::int64_t per_package = 1;
  LinkFigures package;  ///< between a die and its package's hub
};

enum class NetworkShape : std::uint8_t {
  none,      ///< hosts stand alone
  switched,  ///< one switch
  ring,
  mesh,
  torus,
  fully_connected,
  fat_tree,        ///< leaves, spines and, with 3 tiers, cores
  rail_optimized,  ///< a leaf has one rail of several hosts; spines join all leaves
  rail_only,       ///< … and nothing joins rails (Wang et al., arXiv 2307.12169)
  dual_plane,      ///< rails in two planes, a port of every NIC in each (Alibaba HPN)
  dragonfly,       ///< groups of routers, full inside, links between groups (Kim et al., ISCA 2008)
  dragonfly_plus,  ///< groups of leaves and spines, links between spines (Shpiner et al., 2017)
  tpu,             ///< cubes of 4 x 4 x 4, joined by optical circuits into a torus
  circuits,        ///< as many optical circuits between each two (Poutievski et al., SIGCOMM 2022)
};

/// A network between hosts. Each shape uses only its own members.
struct NetworkPlan {
  NetworkShape shape = NetworkShape::none;
  LinkFigures port;                   ///< of a device or NIC into the network
  LinkFigures trunk;                  ///< between switches
  std::vector<std::int64_t> sizes;    ///< ring, mesh, torus, tpu; empty: one dimension of all
  std::vector<std::int64_t> wraps;    ///< torus: 1 where a dimension is closed; empty: all are
  std::vector<std::int64_t> twists;   ///< torus: closing dimension d shifts the next one by so many
  std::vector<std::int64_t> dies;     ///< mesh, torus, ring: positions of a die; empty: no dies
  LinkFigures die_link;               ///< between dies
  std::int64_t per_leaf = 0;          ///< ports below a leaf or router; 0: by `radix`
  std::int64_t radix = 64;            ///< ports of a switch
  std::int64_t tiers = 2;             ///< fat_tree and rails: 2 or 3
  double oversubscription = 1;        ///< ports below a leaf for each above
  double upper_oversubscription = 1;  ///< with 3 tiers: the same of spines
  std::int64_t leaves_per_pod = 0;    ///< 3 tiers; 0: as many as a spine's radix has room for
  std::int64_t group = 0;             ///< dragonfly: routers (leaves) of a group
  std::int64_t spines = 0;            ///< dragonfly_plus: of a group; 0: as many as leaves
  std::int64_t global_links = 0;      ///< dragonfly: of a router (or spine) to other groups
  std::string prefix = {};            ///< of what it adds: "block3."
};

/// Identical blocks of hosts and their network.
struct BlockPlan {
  std::vector<HostShape> hosts;
  NetworkPlan network;
  std::int64_t count = 1;
  std::string place = {};  ///< of its keys, relative to the fabric: "/groups/2"
};

/// A level joins `count` copies of everything below it.
struct LevelPlan {
  std::int64_t count = 2;
  /// Class of the nodes of a block that are joined. Empty: the highest switches inside the block;
  /// without switches, the nodes joined inside it.
  std::optional<NodeClass> ports;
  std::int64_t uplinks = 1;  ///< links of each
  /// Rings, meshes, tori and `fully_connected` join the i-th ports of all blocks; other shapes join
  /// all ports of all blocks. Not `tpu`.
  NetworkPlan network;
};

/// One dimension of a stacked network; see Dimension.
struct StackedDim {
  enum class Block : std::uint8_t { ring, fully_connected, switched } block = Block::ring;
  std::int64_t size = 2;
  LinkFigures figures;
};

/// Adds hosts, with ranks host by host, and their network; then level by level, innermost first.
/// The first level joins all blocks of different kinds: its `count` is their number. Formula routes
/// exist if all networks are grids of all devices: dimension by dimension. Errc: config_conflict
/// (place: a pointer below `where`), limit_exceeded.
[[nodiscard]] Result<Topology> generate_blocks(const std::string& name,
                                               const std::vector<BlockPlan>& blocks,
                                               const std::vector<LevelPlan>& levels,
                                               const std::string& where);
/// The same for identical blocks.
[[nodiscard]] Result<Topology> generate(const std::string& name,
                                        const std::vector<HostShape>& hosts,
                                        const NetworkPlan& network,
                                        const std::vector<LevelPlan>& levels,
                                        const std::string& where);
/// Without levels.
[[nodiscard]] Result<Topology> generate(const std::string& name,
                                        const std::vector<HostShape>& hosts,
                                        const NetworkPlan& network, const std::string& where);

/// Dimensions of a cluster file, rank = a0 + n0 * (a1 + ...). Routes cross them in ascending order,
/// and rings in the shorter direction (equal: clockwise). Every link of a dimension has its
/// bandwidth and latency.
[[nodiscard]] Result<Topology> stack_dimensions(const std::string& name,
                                                const std::vector<StackedDim>& dims,
                                                const std::string& where);

}  // namespace orrery::platform
