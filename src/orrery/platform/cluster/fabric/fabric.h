// SPDX-License-Identifier: Apache-2.0
//
// A cluster whose network is a graph: its topology, the devices of ranks, the routing of messages,
// and faults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/platform/cluster/file/fabric_section.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// Links with reduced bandwidth from `start` to `end`; with `every`, only for `duration` from each
/// multiple of `every` after `start`.
struct LinkFault {
  std::vector<LinkIndex> links;  ///< ascending
  double bandwidth = 0;          ///< remaining share; 0: the links are down
  Time start{};
  std::optional<Time> end;  ///< empty: never
  Time every{};             ///< 0: permanently from `start` to `end`
  Time duration{};

  /// Whether it is active all the time.
  [[nodiscard]] bool is_permanent() const { return start == Time{} && !end && every == Time{}; }
  [[nodiscard]] bool is_active(Time at) const;
  /// The next time after `at` at which it begins or ends; empty: none.
  [[nodiscard]] std::optional<Time> next_change(Time at) const;
};

/// A switch that reduces and multicasts.
struct Reducer {
  NodeIndex node = 0;
  InNetwork figures;

  friend bool operator==(const Reducer&, const Reducer&) = default;
};

struct Fabric {
  FabricSection definition;
  Topology topology;
  std::vector<NodeIndex> rank_devices;  ///< by rank
  Routing routing;
  std::vector<LinkFault> faults;
  std::vector<Reducer> reducers;    ///< ascending
  std::vector<NodeIndex> memories;  ///< end points of the network, in the order of the file
  double efficiency = 1;            ///< payload / (payload + header) of a packet
  Bytes window{};                   ///< maximum unacknowledged bytes of a message; 0: no limit

  /// The default dimensions of collectives: inside and between hosts of equal size, or one
  /// dimension of all ranks.
  [[nodiscard]] std::vector<Dimension> logical_dims() const;
};

/// `where` is the cluster file, `path` the section in it. Named links come from the catalog;
/// paths of files are relative to the cluster file. Checks that all links have values, and that
/// there are paths between all ranks in spite of permanent faults. Errc: config_*, input_*.
[[nodiscard]] Result<Fabric> make_fabric(const FabricSection& section, const std::string& name,
                                         const std::string& where, const std::string& path,
                                         Findings& findings);

/// Some network models do not support faults that begin, end or recur. Errc: config_conflict.
[[nodiscard]] Result<void> check_faults(const Platform& platform, const std::string& where);

/// The number of memories in the network: of the fabric, or of all dimensions.
[[nodiscard]] std::uint32_t memory_count(const Platform& platform);

/// Remote memory of kind `network` needs memories in the network and a model that supports them.
/// Errc: config_conflict, config_missing_key.
[[nodiscard]] Result<void> check_memories(const Platform& platform, const std::string& where);

/// Nodes with that name; for `leaf*`, nodes whose names begin with `leaf`. O(nodes).
[[nodiscard]] std::vector<NodeIndex> nodes_named(const Topology& topology,
                                                 std::string_view pattern);

/// By link: whether it is down all the time.
[[nodiscard]] std::vector<bool> permanently_down(const Fabric& fabric);

/// Dimensions as a graph: devices, then switches, then memories, dimension by dimension and switch
/// by switch. Errc: limit_exceeded (too many links).
[[nodiscard]] Result<Topology> stack_dimensions(const std::vector<Dimension>& dims,
                                                const std::string& name);

/// Whether the network, as a graph, is within limits::kFabricLinks and the available memory.
[[nodiscard]] bool has_room_for_flows(const Platform& platform);

/// Multiplies the bandwidth and latency of all links by factors.
void scale_network(Platform& platform, double bandwidth, double latency);

/// Sets the bandwidth and latency of dimensions without them (bandwidth 0): those of one message
/// along the dimension.
void complete_dims(std::vector<Dimension>& dims, const Fabric& fabric);

}  // namespace orrery::platform
