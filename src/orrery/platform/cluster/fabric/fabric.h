// SPDX-License-Identifier: Apache-2.0
//
// A cluster whose network is a graph: its topology, who sits where, which way messages take, and
// what is broken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/platform/cluster/file/fabric_section.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// Links that have less than their bandwidth, from `start` to `end`; with `every`, for `duration`
/// from each multiple of it after `start`.
struct LinkFault {
  std::vector<LinkIndex> links;  ///< ascending
  double bandwidth = 0;          ///< what is left, as a share; 0: down
  Time start{};
  std::optional<Time> end;
  Time every{};  ///< 0: all the time
  Time duration{};

  /// It is there all the time.
  [[nodiscard]] bool is_permanent() const { return start == Time{} && !end && every == Time{}; }
  [[nodiscard]] bool is_active(Time at) const;
  /// When it next begins or ends after `at`; empty: never.
  [[nodiscard]] std::optional<Time> next_change(Time at) const;
};

/// A switch that can do collectives' work.
struct Reducer {
  NodeIndex node = 0;
  InNetwork figures;

  friend bool operator==(const Reducer&, const Reducer&) = default;
};

struct Fabric {
  FabricSection definition;
  Topology topology;
  std::vector<NodeIndex> rank_devices;  ///< by rank: the device that it sits on
  Routing routing;
  std::vector<LinkFault> faults;
  std::vector<Reducer> reducers;    ///< ascending
  std::vector<NodeIndex> memories;  ///< end points of the network, as they were named
  double efficiency = 1;  ///< share of the bandwidth that is payload, where headers are counted
  Bytes window{};         ///< 0: no limit

  /// Dimensions as collectives see them, where nothing else says: hosts of equal size within and
  /// between, or one.
  [[nodiscard]] std::vector<Dimension> logical_dims() const;
};

/// A fabric of a section; `where` names the cluster file, `path` the section in it. Links named are
/// looked up in the catalogue, files beside the cluster file.
/// Errc: config_*, input_*; everything that a simulation needs is checked: figures, and that every
/// rank reaches every other while those faults hold that always do.
[[nodiscard]] Result<Fabric> make_fabric(const FabricSection& section, const std::string& name,
                                         const std::string& where, const std::string& path,
                                         Findings& findings);

/// Faults that begin, end, or come and go are for flows alone. Errc: config_conflict.
[[nodiscard]] Result<void> check_faults(const Platform& platform, const std::string& where);

/// Memories that are end points of the network: the fabric's, or those of dimensions.
[[nodiscard]] std::uint32_t memory_count(const Platform& platform);

/// Accesses that go over the network need memories there, and a network that has them.
/// Errc: config_conflict, config_missing_key.
[[nodiscard]] Result<void> check_memories(const Platform& platform, const std::string& where);

/// By link: it is down from the first to the last moment.
[[nodiscard]] std::vector<bool> permanently_down(const Fabric& fabric);

/// Dimensions as a graph: devices, then switches, then memories, dimension by dimension and switch
/// by switch. Errc: limit_exceeded (too many links).
[[nodiscard]] Result<Topology> stack_dimensions(const std::vector<Dimension>& dims,
                                                const std::string& name);

/// Whether the network, as a graph, is within limits::kFabricLinks.
[[nodiscard]] bool has_room_for_flows(const Platform& platform);

/// All links of the network with so many times their bandwidth and latency.
void scale_network(Platform& platform, double bandwidth, double latency);

/// Fills in what `dims` leave open (bandwidth 0): what one message has along a dimension.
void complete_dims(std::vector<Dimension>& dims, const Fabric& fabric);

}  // namespace orrery::platform
