// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the time of a collective on a fabric under any schedule, and the binding cut.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

using graph::CollectiveType;

/// What switches can do with data between the participating ranks.
enum class SwitchCapability : std::uint8_t {
  forwards,  ///< switches forward each message once; only devices copy and reduce
  reduces,   ///< switches also copy and reduce (NVLink SHARP, SHARP, multicast)
};

struct BoundQuestion {
  CollectiveType type = CollectiveType::all_gather;
  Bytes bytes{};  ///< the full buffer (graph::full_buffer): an all-gather's output, an all-to-all's
                  ///< buffer of each rank
  std::vector<std::uint32_t> ranks;  ///< participating ranks; empty: all
  std::uint32_t root = 0;            ///< broadcast and reduce: index of the root in `ranks`
  SwitchCapability in_network = SwitchCapability::forwards;
  /// All-to-all: its bytes are copies of tokens, which any node may copy and sum.
  graph::ExpertExchange exchange{};
  /// All-to-all: also searches for link weights, which needs up to a second.
  bool thorough = false;
};

/// A set of links that together must carry a number of bytes.
struct BindingCut {
  std::string name;     ///< "traffic into npu3", "traffic out of host 2", "traffic out of ranks
                        ///< 0-15"
  double capacity = 0;  ///< of all links, in bytes per second
  double bytes = 0;     ///< minimum bytes that must cross them
  Time latency{};       ///< the smallest latency of one of them
  std::uint32_t links = 0;
  std::vector<std::uint32_t> wires;  ///< the links, as ascending indices into FabricState::wires
};

struct Bound {
  Time bandwidth{};  ///< bytes / capacity of the binding cut
  Time latency{};    ///< the largest shortest-path latency between ranks that exchange data
  Time total{};      ///< the larger of `latency` and, over all cuts, bytes / capacity plus the
                     ///< smallest link latency of the cut
  BindingCut binding_cut;
  /// The binding cut is the tightest of all cuts. False: there may be a tighter one, but the bound
  /// is valid.
  bool exact = false;
};

/// Computes a bound for every schedule in which a link is busy for bytes / capacity and delivers
/// them after its latency. Let S be a set of nodes with m of the p ranks, and n the bytes. At least
/// this leaves S:
///
///   all-gather      n m / p: the shards of S, which a rank outside lacks (0 < m < p)
///   reduce-scatter  n (p - m) / p: a partial sum of every shard that ends outside
///   all-reduce      n, a partial sum of everything
///   all-to-all      n m (p - m) / p: all pairs
///   dispatch        m t hit(p - m): tokens of S, t bytes in each rank, with an expert outside
///   combine         (p - m) t hit(m): one sum in S for each token of outside (ExpertExchange)
///   broadcast       n if the root is inside; reduce: n if it is outside
///
/// The time is at least these bytes over the capacity of the links that leave S (Chan et al.,
/// "Collective communication", 2007). This holds regardless of the nodes that copy or reduce.
///
/// If only ranks reduce (SwitchCapability::forwards), an all-reduce needs more. Divide the devices
/// into k disjoint sets with ranks, and others without ranks, which may help. For each byte there
/// are at least 2 (k - 1) messages from one set to another. Before the first set knows all
/// contributions, each of the k - 1 other sets with a rank has sent one. Afterwards each of them
/// receives the result in a later message. So 2 n (k - 1) bytes leave the sets in total, and enter
/// them (Patarasuk and Yuan, 2009, where each set is a rank: 2 n (p - 1) / (p B)).
///
/// All-to-alls also have a bound by volume. The bytes of each pair cross at least as many links of
/// a kind as the route with the fewest, and the sum over pairs cannot exceed what these links
/// carry. Any link weights are possible instead of kinds; with `thorough`, a search finds the best
/// weights.
///
/// On small fabrics (limits in bounds.cc) the bound uses the tightest of all cuts (min_cut.h),
/// except for all-to-alls, for which this is a hard problem. Otherwise it tries single nodes,
/// hosts, the nodes below leaves and pods, and halves. Errc: usage (ranks, root, or a collective
/// without bounds), config_conflict (a rank that does not reach another).
[[nodiscard]] Result<Bound> lower_bound_of(const FabricState& fabric,
                                           const BoundQuestion& question);

/// The lower bound of several groups (at least one; the ranks of `question` are ignored) that each
/// run one collective of its bytes, all concurrently. Cuts carry the bytes of all groups, so the
/// bound may exceed the largest bound of one group. Evaluates the cuts of the function above, the
/// tightest cut of each group and of all as one group, and improves the best of these by moving
/// single nodes in and out. Never `exact` for several groups. Errc: as above.
[[nodiscard]] Result<Bound> joint_lower_bound(const FabricState& fabric,
                                              const BoundQuestion& question,
                                              std::span<const std::vector<std::uint32_t>> groups);

/// As above, on a cluster's fabric or on its dimensions. Errc: also those of make_fabric_state().
[[nodiscard]] Result<Bound> lower_bound_of(const platform::Platform& platform,
                                           const BoundQuestion& question);

}  // namespace orrery::synthesis
