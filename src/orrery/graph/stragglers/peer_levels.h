// SPDX-License-Identifier: Apache-2.0
//
// Reference durations of work and of recorded communication: medians over peers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Reference durations (levels) of a rank's own work, derived from its peers. Peers are ranks whose
/// devices run the same number of work nodes of each name. The level of the n-th work node of a
/// name is the median of the peers' n-th nodes; with an even number, the lower of the two middle
/// values. For a rank without peers, it is the median over all nodes of that name on all ranks.
/// Host work has a level only if all peers have the same number of host nodes of that name.
class PeerLevels {
 public:
  /// O(nodes log nodes)
  explicit PeerLevels(const Workload& workload);

  /// By node: its level. Communication, waits and nodes without a level: the node's own duration.
  [[nodiscard]] std::span<const Time> of(std::uint32_t rank) const { return level_[rank]; }
  /// Ranks of the same class are peers.
  [[nodiscard]] std::uint32_t peer_class(std::uint32_t rank) const { return classes_[rank]; }
  [[nodiscard]] std::uint32_t peer_count(std::uint32_t rank) const {
    return counts_[classes_[rank]];
  }

 private:
  void level_peers(const Workload& workload, const std::vector<std::uint32_t>& ranks);
  void level_without_peers(const Workload& workload, std::uint32_t rank);

  std::vector<std::vector<Time>> level_;
  std::vector<std::uint32_t> classes_, counts_;
};

/// A node of a rank.
struct RankNode {
  std::uint32_t rank = 0;
  NodeId node = 0;
};

/// One recorded communication of several ranks.
struct CommInstance {
  std::vector<RankNode> members;
  Time transfer{};  ///< shortest duration of a member: the last to arrive did not wait
  Time level{};     ///< median transfer of equivalent groups at the n-th of this kind and size;
                    ///< without equivalents, the median of the group
};

/// Ranks that communicate with each other: a process group, or a sender and a receiver.
struct CommGroup {
  std::string name;  ///< "dp (ranks 0,8)", "rank 3 to rank 7"
  std::vector<std::uint32_t> ranks;
  bool is_point_to_point = false;
  std::uint32_t equivalents = 0;  ///< groups with equally many of each kind, including this one
  std::vector<CommInstance> communications;  ///< in node order
};

/// All groups whose communications have durations on all of their ranks. The n-th collective of a
/// group at one rank matches the n-th at the others, in the order of nodes, as in a replay
/// (sim::RecordedCollectives). O(nodes log nodes)
[[nodiscard]] std::vector<CommGroup> comm_groups(const Workload& workload);

/// The workload with these durations, by rank and node. Ranks with unchanged durations keep their
/// graphs.
[[nodiscard]] Workload with_times(const Workload& workload,
                                  const std::vector<std::vector<Time>>& durations);

}  // namespace orrery::graph
