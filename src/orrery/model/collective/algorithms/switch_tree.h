// SPDX-License-Identifier: Apache-2.0
//
// Collectives that switches do: which switches, and how long it takes when nobody is in the way.
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

/// What switches are to do.
struct SwitchCollective {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t data = 0;           ///< bytes that each member holds when it begins
  graph::ExpertExchange exchange;  ///< of an all-to-all: tokens, for each expert a copy in `data`
};

/// What goes up towards the root of a tree and comes down from it.
struct LinkBytes {
  std::int64_t up = 0, down = 0;

  friend bool operator==(const LinkBytes&, const LinkBytes&) = default;
};

/// Over the link above `below` of so many members. A dispatch or combine of d bytes has d / k bytes
/// of tokens in each member, k experts for each, and experts of E spread evenly over p members.
/// With hit(m) = any_reached(E m / p), that one of the experts of m members is among the k of a
/// token,
///
///   dispatch  up b d/k hit(p - b): each token of those below once, if an expert is elsewhere;
///             down (p - b) d/k hit(b): each token from elsewhere once, if an expert is below
///   combine   the same with up and down changed: what returns is summed where ways meet
///
/// (experts drawn evenly, without replacement). End points send d (p - 1) / p.
[[nodiscard]] LinkBytes link_bytes(const SwitchCollective& asked, std::uint32_t members,
                                   std::uint32_t below);

/// Members and the switches that join them. Switches sum what comes from below them and hand the
/// sum on; what the root has goes down again, to all that want it at once. Nothing is stored on the
/// way: a byte leaves a switch when its last summand has come, so that all links are busy at the
/// same time and
///
///   time = 2 x latency to the root + the longest that a link is busy,
///
/// which for an all-reduce of n bytes over l levels of links of B is 2 l alpha + n / B.
/// Source: Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP)", COMHPC 2016,
/// section 3; NVLink SHARP likewise with one level (NCCL 2.18, src/transport/nvls.cc).
struct SwitchTree {
  struct Edge {
    EndPoint child = 0;        ///< a member's rank, or a switch
    EndPoint parent = 0;       ///< a switch (FabricRoutes::reducers())
    std::uint32_t below = 1;   ///< members that are reached by it
    std::int64_t latency = 0;  ///< of the way up, picoseconds
    std::int64_t latency_down = 0;
    std::int64_t passing = 0;  ///< what the parent adds
  };
  std::vector<Edge> edges;  ///< of members in their order, then of switches
  std::uint32_t members = 0;
  std::uint32_t levels = 1;  ///< of switches
  std::int64_t latency = 0;  ///< picoseconds from the farthest member to the root
  std::int64_t latency_down = 0;
  double window = 0;  ///< bytes per nanosecond that buffers let over an edge; infinite: all
  /// Its switches that do only so many collectives at once.
  struct Limited {
    EndPoint at = 0;
    std::uint32_t streams = 0;
  };
  std::vector<Limited> limited;  ///< ascending

  /// Over an edge.
  [[nodiscard]] LinkBytes link_bytes(const SwitchCollective& asked, const Edge& edge) const {
    return model::link_bytes(asked, members, edge.below);
  }
  /// Picoseconds that a collective takes at least by what its switches buffer, whatever links carry
  /// of others. MultiDimFabric::kTooLong: beyond the clock.
  [[nodiscard]] std::int64_t buffered(const SwitchCollective& asked) const;
  /// The same alone, with its links.
  [[nodiscard]] std::int64_t duration(const SwitchCollective& asked) const;

 private:
  [[nodiscard]] std::int64_t with_latency(double flows_ns) const;

  friend class SwitchTrees;
  /// What crosses a link upwards or downwards (edges may share one), by how much it carries.
  struct Busy {
    double bytes_per_ns = 0;
    std::vector<std::pair<std::uint32_t, bool>> edges;  ///< number, and whether downwards
  };
  std::vector<Busy> links_;
};

/// Whether switches can do it: all-reduce, reduce-scatter, all-gather, and all-to-alls that take
/// tokens to experts or back.
[[nodiscard]] bool switches_can_run(graph::CollectiveType type,
                                    const graph::ExpertExchange& exchange);

/// Whether collectives by switches may have to wait for each other (InNetwork::streams).
[[nodiscard]] bool has_stream_limits(const platform::Platform& platform);

/// Finds trees, each once. Of a dimension the tree is its switch; on a fabric the root is the
/// switch that the members (64 of them, where there are more) reach with the least latency, then
/// the fewest hops, then the lowest number; each member goes there by the way that messages take,
/// and joins the tree at the first switch that is in it. Not thread-safe.
class SwitchTrees {
 public:
  explicit SwitchTrees(const platform::Platform& platform);

  /// Of ranks that differ in one dimension only, or of any on a fabric.
  /// Errc: config_conflict (no switch that can do it reaches all, or one has more below it than it
  /// can sum).
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
  std::vector<std::uint32_t> reducer_at_;  // by node; kNone
  std::map<std::vector<std::uint32_t>, SwitchTree> known_;
};

}  // namespace orrery::model
