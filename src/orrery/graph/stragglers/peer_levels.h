// SPDX-License-Identifier: Apache-2.0
//
// What a rank's work and a recorded communication would take if it were like its peers'.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Work beside that of peers: ranks whose devices do as many works of each name. The n-th work of a
/// name is held against the n-th of the others, and is level at the median; of an even number at
/// the lower of the two in the middle. A rank without peers is held against all works of that name
/// of all ranks. Work of hosts is level where all peers have as many of that name.
class PeerLevels {
 public:
  /// O(nodes log nodes)
  explicit PeerLevels(const Workload& workload);

  /// By node: what it would take; of communication, waits and what has no peers what it takes.
  [[nodiscard]] std::span<const Time> of(std::uint32_t rank) const { return level_[rank]; }
  /// Ranks with the same number are peers.
  [[nodiscard]] std::uint32_t peers(std::uint32_t rank) const { return peers_[rank]; }
  [[nodiscard]] std::uint32_t peer_count(std::uint32_t rank) const { return counts_[peers_[rank]]; }

 private:
  void level_peers(const Workload& workload, const std::vector<std::uint32_t>& ranks);
  void level_without_peers(const Workload& workload, std::uint32_t rank);

  std::vector<std::vector<Time>> level_;
  std::vector<std::uint32_t> peers_, counts_;
};

/// A node of a rank.
struct RankNode {
  std::uint32_t rank = 0;
  NodeId node = 0;
};

/// One recorded communication of several ranks.
struct RecordedComm {
  std::vector<RankNode> members;
  Time transfer{};  ///< the shortest of what they took: who came last did not wait
  Time level{};     ///< the n-th of this kind and size on the median of equal lines; on a line
                    ///< without equals the median of its own
};

/// Who communicate with each other: a process group, or a sender and a receiver.
struct CommLine {
  std::string name;  ///< "dp (ranks 0,8)", "rank 3 to rank 7"
  std::vector<std::uint32_t> ranks;
  bool messages = false;
  std::uint32_t equals = 0;  ///< lines with as many communications of each kind, itself among them
  std::vector<RecordedComm> met;  ///< in their order
};

/// Every line whose ranks are all there, and that has times. Which communications belong together
/// is as in a replay (sim::Meetings): the n-th of a group in the order of nodes. O(nodes log nodes)
[[nodiscard]] std::vector<CommLine> comm_lines(const Workload& workload);

/// The same ranks with other durations, by rank and node. Ranks whose durations are as they were
/// keep their graphs.
[[nodiscard]] Workload with_times(const Workload& workload,
                                  const std::vector<std::vector<Time>>& durations);

}  // namespace orrery::graph
