// SPDX-License-Identifier: Apache-2.0
//
// What collectives are made for: the links of a fabric that carry something, and who sits where.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::synthesis {

using platform::LinkIndex;
using platform::NodeIndex;
using platform::Topology;

/// A link, in one direction, with what is left of it.
struct Wire {
  NodeIndex from = 0, to = 0;
  LinkIndex link = 0;   ///< of the topology
  double capacity = 0;  ///< bytes per second
  Time latency{};
};

/// A fabric as it is: without the links that are down (or have less than a byte a second), with
/// what others have left. Wires are in the order of their links; those that leave node i are
/// `out_offsets[i]` to `out_offsets[i + 1]`, those that lead to it `in[in_offsets[i]]` to
/// `in[in_offsets[i
/// + 1]]`.
struct FabricState {
  std::shared_ptr<const Topology> topology;
  std::vector<NodeIndex> rank_devices;  ///< by rank
  std::vector<std::int64_t> sizes;      ///< of a grid of ranks, the first innermost; empty: none
  std::vector<Wire> wires;
  std::vector<std::uint32_t> out_offsets, in_offsets, in;

  [[nodiscard]] NodeIndex node_count() const { return topology->node_count(); }
  [[nodiscard]] std::span<const Wire> out(NodeIndex node) const {
    return std::span(wires).subspan(out_offsets[node], out_offsets[node + 1] - out_offsets[node]);
  }
  /// Numbers of wires.
  [[nodiscard]] std::span<const std::uint32_t> into(NodeIndex node) const {
    return std::span(in).subspan(in_offsets[node], in_offsets[node + 1] - in_offsets[node]);
  }
};

/// `left`: what faults leave of each link, as a share; empty: all of all. `where` names the fabric.
/// Errc: config_missing_key (a link states no bandwidth or no latency).
[[nodiscard]] Result<FabricState> make_fabric_state(std::shared_ptr<const Topology> topology,
                                                    std::vector<NodeIndex> rank_devices,
                                                    std::span<const double> left,
                                                    const std::string& where);

/// The same of a cluster: its fabric with the faults that always hold and the share of bandwidth
/// that is payload, or its dimensions as a graph. Errc: as above; limit_exceeded.
[[nodiscard]] Result<FabricState> make_fabric_state(const platform::Platform& platform);

/// The seats of `ranks`; all where that is empty.
/// Errc: usage (a rank that is not there, or twice, or fewer than two).
[[nodiscard]] Result<std::vector<NodeIndex>> members_of(const FabricState& fabric,
                                                        std::span<const std::uint32_t> ranks);

}  // namespace orrery::synthesis
