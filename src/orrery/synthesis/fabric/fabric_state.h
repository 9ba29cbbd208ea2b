// SPDX-License-Identifier: Apache-2.0
//
// The fabric for which collectives are generated: its working links, and the device of each rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::synthesis {

using platform::LinkIndex;
using platform::NodeIndex;
using platform::Topology;

/// A link in one direction, with its remaining capacity.
struct Wire {
  NodeIndex from = 0, to = 0;
  LinkIndex link = 0;   ///< link of the topology
  double capacity = 0;  ///< bytes per second
  Time latency{};

  /// `capacity` in whole bytes per second.
  [[nodiscard]] std::int64_t rate() const {
    return static_cast<std::int64_t>(std::min(capacity, 0x1p62));
  }
};

/// A fabric without links that are down (or have less than a byte per second), with the remaining
/// capacity of the others. Wires are in the order of their links. Those that leave node i have
/// indices from out_offsets[i] to out_offsets[i + 1]; those that lead to it are
/// in_wires[in_offsets[i]] to in_wires[in_offsets[i + 1]].
struct FabricState {
  std::shared_ptr<const Topology> topology;
  std::vector<NodeIndex> rank_devices;  ///< device of each rank
  std::vector<std::int64_t> sizes;      ///< sizes of a grid of ranks, innermost first; empty: no
                                        ///< grid
  std::vector<Wire> wires;
  std::vector<std::uint32_t> out_offsets, in_offsets, in_wires;

  [[nodiscard]] NodeIndex node_count() const { return topology->node_count(); }
  [[nodiscard]] std::span<const Wire> outgoing_wires(NodeIndex node) const {
    return std::span(wires).subspan(out_offsets[node], out_offsets[node + 1] - out_offsets[node]);
  }
  /// Indices of the wires that lead to `node`.
  [[nodiscard]] std::span<const std::uint32_t> incoming_wires(NodeIndex node) const {
    return std::span(in_wires).subspan(in_offsets[node], in_offsets[node + 1] - in_offsets[node]);
  }
};

/// The first wire from a node to another. Empty if there is none.
[[nodiscard]] std::optional<std::uint32_t> wire_between(const FabricState& fabric, NodeIndex from,
                                                        NodeIndex to);

/// Builds the state of a fabric. `usable_share`: the share of each link's capacity that faults
/// leave; empty: all. `where` names the fabric. Errc: config_missing_key (a link without bandwidth
/// or latency).
[[nodiscard]] Result<FabricState> make_fabric_state(std::shared_ptr<const Topology> topology,
                                                    std::vector<NodeIndex> rank_devices,
                                                    std::span<const double> usable_share,
                                                    const std::string& where);

/// As above, for a cluster: its fabric, with permanent faults and the payload share of bandwidth,
/// or its dimensions as a graph. Errc: as above; limit_exceeded.
[[nodiscard]] Result<FabricState> make_fabric_state(const platform::Platform& platform);

/// The devices of `ranks`; of all ranks if `ranks` is empty. Errc: usage (a rank that does not
/// exist or occurs twice, or fewer than two ranks).
[[nodiscard]] Result<std::vector<NodeIndex>> members_of(const FabricState& fabric,
                                                        std::span<const std::uint32_t> ranks);

}  // namespace orrery::synthesis
