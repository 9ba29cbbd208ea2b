// SPDX-License-Identifier: Apache-2.0
//
// Below what time no collective is done on a fabric, whoever schedules it, and which cut says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

using graph::CollectiveType;

/// What is done to data on its way, between the ranks that take part.
enum class SwitchCapability : std::uint8_t {
  forwards,  ///< switches hand on what they get, once; devices copy and reduce
  reduces,   ///< anything may copy and reduce (NVLink SHARP, SHARP, multicast)
};

struct BoundQuestion {
  CollectiveType type = CollectiveType::all_gather;
  Bytes bytes{};  ///< the whole buffer (graph::full_buffer): an all-gather's output, an
                  ///< all-to-all's buffer of each rank
  std::vector<std::uint32_t> ranks;  ///< that take part; empty: all
  std::uint32_t root = 0;            ///< of broadcast and reduce: its place in `ranks`
  SwitchCapability in_network = SwitchCapability::forwards;
  /// Of an all-to-all: its bytes are copies of tokens, which anything may make and sum on the way.
  graph::ExpertExchange exchange{};
  /// Of an all-to-all: also weigh links against each other, which takes up to a second.
  bool thorough = false;
};

/// Links that have to carry something together.
struct BindingCut {
  std::string name;     ///< "what enters npu3", "what leaves host 2", "what leaves ranks 0-15"
  double capacity = 0;  ///< of the links, in bytes per second
  double bytes = 0;     ///< that have to pass them, at least
  Time latency{};       ///< the least of one of them
  std::uint32_t links = 0;
  std::vector<std::uint32_t> wires;  ///< those links: numbers in FabricState::wires, ascending
};

struct Bound {
  Time bandwidth{};  ///< bytes / capacity of the cut that binds
  Time latency{};    ///< the longest of the least ways that data must take
  Time total{};      ///< the larger of `latency` and `bandwidth` with the cut's own latency
  BindingCut binding_cut;
  /// The tightest of all cuts is among those that were tried. False: a bound all the same.
  bool exact = false;
};

/// A bound that holds for every schedule in which a link needs bytes / capacity to pass them on and
/// its latency until they are there. Of each set of nodes S with m of the p ranks, what leaves S is
/// at least, of n bytes,
///
///   all-gather      n m / p: what starts in S, which someone outside lacks (0 < m < p)
///   reduce-scatter  n (p - m) / p: a partial sum of every shard that ends outside
///   all-reduce      n, a partial sum of everything
///   all-to-all      n m (p - m) / p: all pairs
///   dispatch        m t hit(p - m): tokens of S, t bytes in each rank, with an expert outside
///   combine         (p - m) t hit(m): one sum in S for each token of outside (ExpertExchange)
///   broadcast       n where the root is inside; reduce: n where it is outside
///
/// and over what leaves S that takes bytes / capacity, which is textbook (Chan et al.,
/// "Collective communication", 2007). Nothing of it depends on who copies or reduces on the way.
///
/// Where only ranks reduce (SwitchCapability::forwards), an all-reduce needs more: cut the devices
/// into k disjoint sets that have ranks (and others that have none, but may help). For each byte
/// there are at least 2 (k - 1) messages from a set to another: before some set first knows all
/// contributions, each of the k - 1 others with a rank has sent one, and after that each of them
/// learns the result by one that comes to it later. So 2 n (k - 1) bytes leave the sets in all, and
/// enter them (Patarasuk and Yuan, 2009, where each set is a rank: 2 n (p - 1) / (p B)).
///
/// All-to-alls also have a bound by volume: each pair's bytes cross at least as many links of a
/// kind as the way with the fewest, so their sum is no more than these links carry. Any weights of
/// links will do instead of kinds: where the question is `thorough`, the best that a search finds.
///
/// Where the fabric is small enough (limits in bounds.cc) the tightest cut of all is found
/// (min_cut.h), but for all-to-alls, for which that is hard; else single nodes, hosts, what hangs
/// on leaves and pods, and halves are tried. Errc: usage (ranks, root, or a kind of collective
/// without bounds), config_conflict (some rank does not reach another).
[[nodiscard]] Result<Bound> lower_bound_of(const FabricState& fabric,
                                           const BoundQuestion& question);

/// Of several groups (one at least; those of `question` are not looked at) that do one each, all at
/// once, with its bytes: cuts carry what all of them need, so that it may be more than the largest
/// of theirs. Tried are the sets of above, the tightest cut of each group and of all as one
/// group, and what comes of the best of these by taking nodes in and out; of several groups it is
/// never `exact`. Errc: as above.
[[nodiscard]] Result<Bound> joint_lower_bound(const FabricState& fabric,
                                              const BoundQuestion& question,
                                              std::span<const std::vector<std::uint32_t>> groups);

/// The same on a cluster's fabric, or on its dimensions. Errc: also what make_fabric_state() says.
[[nodiscard]] Result<Bound> lower_bound_of(const platform::Platform& platform,
                                           const BoundQuestion& question);

}  // namespace orrery::synthesis
