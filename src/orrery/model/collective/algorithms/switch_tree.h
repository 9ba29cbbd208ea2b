// SPDX-License-Identifier: Apache-2.0
//
// In-network collectives: the switches that take part, and the duration without contention.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"
#include "orrery/network/fabric_routes.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// A collective that switches run.
struct SwitchCollective {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t data = 0;           ///< bytes that each member holds at the begin
  graph::ExpertExchange exchange;  ///< all-to-all: `data` contains one copy of a token per expert
};

/// Bytes that cross a link up, towards the root of a tree, and down.
struct LinkBytes {
  std::int64_t up = 0, down = 0;

  friend bool operator==(const LinkBytes&, const LinkBytes&) = default;
};

/// The bytes over the link above `below` (b) of `members` (p) members. In a dispatch or combine of
/// d bytes, each member has d / k bytes of tokens; each token goes to k of E experts, which are
/// spread evenly over the members. hit(m) = probability_any_expert_reached(E m / p) is the
/// probability that at least one of the k experts of a token is in a group of m members.
///
///   dispatch  up b d/k hit(p - b): each token from below once, if one of its experts is elsewhere;
///             down (p - b) d/k hit(b): each token from elsewhere once, if an expert is below
///   combine   the same with up and down exchanged: switches sum results where routes meet
///
/// (experts sampled uniformly, without replacement). Without switches, end points would send
/// d (p - 1) / p.
[[nodiscard]] LinkBytes link_bytes(const SwitchCollective& collective, std::uint32_t members,
                                   std::uint32_t below);

/// Members and the switches that connect them. A switch sums the data from below and sends the sum
/// up; the root multicasts the result down. Switches do not store complete messages: a byte leaves
/// a switch when its last summand has arrived. So all links are busy at the same time and
///
///   time = 2 x latency to the root + busy time of the busiest link,
///
/// which for an all-reduce of n bytes over l levels of links of B is 2 l alpha + n / B.
/// Source: Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP)", COMHPC 2016,
/// section 3; NVLink SHARP is the case of one level (NCCL 2.18, src/transport/nvls.cc).
struct SwitchTree {
  struct Edge {
    EndPoint child = 0;        ///< a member's rank, or a switch
    EndPoint parent = 0;       ///< a switch (FabricRoutes::reducers())
    std::uint32_t below = 1;   ///< number of members below it
    std::int64_t latency = 0;  ///< up, picoseconds
    std::int64_t latency_down = 0;
    std::int64_t switch_latency = 0;  ///< latency that the parent adds
  };
  std::vector<Edge> edges;  ///< of members in their order, then of switches
  std::uint32_t members = 0;
  std::uint32_t levels = 1;  ///< of switches
  std::int64_t latency = 0;  ///< picoseconds from the farthest member to the root
  std::int64_t latency_down = 0;
  double window = 0;  ///< maximum rate of an edge by the buffers, bytes/ns; infinite: no limit
  /// A switch with a limited number of concurrent collectives.
  struct Limited {
    EndPoint at = 0;
    std::uint32_t streams = 0;
  };
  std::vector<Limited> limited;  ///< ascending

  /// The bytes that cross an edge.
  [[nodiscard]] LinkBytes link_bytes(const SwitchCollective& collective, const Edge& edge) const {
    return model::link_bytes(collective, members, edge.below);
  }
  /// Lower bound of the duration by the buffers of the switches, in picoseconds.
  /// MultiDimFabric::kTooLong: beyond the clock.
  [[nodiscard]] std::int64_t buffered(const SwitchCollective& collective) const;
  /// Duration without contention: the larger of buffered() and the bound by the links.
  [[nodiscard]] std::int64_t duration(const SwitchCollective& collective) const;

 private:
  [[nodiscard]] std::int64_t with_latency(double flows_ns) const;

  friend class SwitchTrees;
  /// A link and the edges that cross it (several edges may share one).
  struct SharedLink {
    double bytes_per_ns = 0;
    std::vector<std::pair<std::uint32_t, bool>> edges;  ///< index in `edges`, and whether down
  };
  std::vector<SharedLink> links_;
};

/// Whether switches can run the collective: all-reduce, reduce-scatter, all-gather, and all-to-alls
/// that carry tokens to experts or back.
[[nodiscard]] bool switches_can_run(graph::CollectiveType type,
                                    const graph::ExpertExchange& exchange);

/// Whether collectives in switches may have to wait for each other (InNetwork::streams).
[[nodiscard]] bool has_stream_limits(const platform::Platform& platform);

/// Finds trees and caches them. In a dimension, the tree is the switch of the dimension. On a
/// fabric, the root is the switch with the lowest latency from its farthest member, then the fewest
/// hops, then the lowest number; of more than 64 members only 64 count. Each member is connected to
/// the root along the route of its messages, up to the first switch that is already in the tree.
/// Not thread-safe.
class SwitchTrees {
 public:
  explicit SwitchTrees(const platform::Platform& platform);

  /// The tree of ranks that differ in only one dimension, or of any ranks on a fabric.
  /// Errc: config_conflict (no reducing switch reaches all ranks, or a switch has more inputs than
  /// it can reduce).
  [[nodiscard]] Result<const SwitchTree*> of(std::span<const std::uint32_t> ranks);

 private:
  [[nodiscard]] Result<EndPoint> root_of(std::span<const std::uint32_t> ranks);
  [[nodiscard]] Result<EndPoint> switch_of_dim(std::span<const std::uint32_t> ranks) const;
  [[nodiscard]] Result<SwitchTree> grow(std::span<const std::uint32_t> ranks, EndPoint root);
  [[nodiscard]] Result<void> finish(SwitchTree& tree, EndPoint root);
  [[nodiscard]] Result<void> apply_switch_limits(
      SwitchTree& tree, const std::map<EndPoint, std::int64_t>& children) const;
  [[nodiscard]] std::string name_of(EndPoint reducer) const;

  FabricRoutes routes_;
  std::vector<platform::Dimension> dims_;  // empty: a fabric
  std::vector<std::uint32_t> reducer_at_;  // by node; kNone: not a reducer
  std::map<std::vector<std::uint32_t>, SwitchTree> cache_;
};

}  // namespace orrery::model
