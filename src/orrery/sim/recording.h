// SPDX-License-Identifier: Apache-2.0
//
// The recording of a simulation (Options::record): the start and end of every node and their
// causes, the nodes of each collective, and the traffic of links over time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/packet_record.h"
#include "orrery/core/time_source.h"
#include "orrery/graph/graph.h"

namespace orrery::model {
class Network;
}  // namespace orrery::model

namespace orrery::sim {

inline constexpr std::uint32_t kNone = ~0u;
inline constexpr std::uint32_t kAstraTags =
    500'000'000;  ///< under ASTRA rules tags are taken modulo this

/// Start and end of a node (picoseconds; -1: not yet), and the node whose completion released it.
struct NodeTimes {
  std::int64_t start = -1;
  std::int64_t end = -1;
  graph::NodeId released_by = graph::kNoNode;
  /// Receives that waited: index of the sender in MessageState::senders. Collectives with known
  /// arrivals: their number in Arrivals.
  std::uint32_t sender = kNone;
};

/// The parts of the time of a DetailedNodes that are neither work nor transfer, in picoseconds.
struct NodeDetail {
  std::int64_t queue = 0;            ///< waiting for a dimension's queue, a link or a shared memory
  std::int64_t latency = 0;          ///< hops and end points (collectives)
  std::uint32_t collective = kNone;  ///< index in Recording::collectives
};

/// The nodes of a graph that communicate or access memory. Recordings store details of these only:
/// most nodes compute.
class DetailedNodes {
 public:
  DetailedNodes() = default;
  explicit DetailedNodes(const graph::Graph& graph);

  /// Ascending.
  [[nodiscard]] const std::vector<graph::NodeId>& all() const { return nodes_; }
  /// Index of one of them in all(); kNone for other nodes.
  [[nodiscard]] std::uint32_t number(graph::NodeId node) const { return numbers_[node]; }

 private:
  std::vector<graph::NodeId> nodes_;
  std::vector<std::uint32_t> numbers_;  // by node
};

/// One collective across its ranks, in each group of a class.
struct CollectiveInstance {
  std::uint32_t group_class = 0;  ///< see GroupMembership
  std::uint64_t order = 0;        ///< order among the collectives of its group (can have gaps)
  std::uint32_t members = 0;      ///< that have arrived
  std::int64_t last_start = 0;    ///< arrival of the last member
  std::int64_t bytes = 0;         ///< size as its nodes state it; the largest
  std::uint64_t sent = 0;         ///< bytes that its members sent
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::uint32_t predicted = kNone;  ///< index in SimResult::predicted of its longest library phase
};

/// Ranks that communicate with each other: a communicator, or those of its members that a
/// collective over some of the dimensions connects. Number 0 is all ranks.
struct RecordedGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< in ring order; empty: all
};

/// A group of a rank. Groups of one class have the same collectives at the same times, started by
/// equivalent ranks. Without folding, each group is a class.
struct GroupMembership {
  std::uint32_t group_class = 0;
  std::uint32_t group = 0;  ///< index in Recording::groups
};

/// The traffic of a link or, on an uncontended network, of a rank's port into a dimension. If there
/// are more than kMaxLinks, one entry represents an entire dimension: `from` is kNone.
struct RecordedLink {
  std::uint32_t dim = 0;
  std::uint32_t from = kNone;
  std::uint32_t to = kNone;    ///< kNone: a port
  bool down = false;           ///< from a switch to the rank `from`
  double share = 1;            ///< share of the dimension's bandwidth at the port of `from`
  std::string name{}, kind{};  ///< of a fabric's link
  double capacity = 0;         ///< of a fabric's link, in bytes per second
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> bins;  ///< bytes, in bins of Recording::bin
};

/// The traffic of a level of remote memory (SimResult::memory), in bins of Recording::memory_bin.
struct RecordedLevel {
  std::vector<std::uint64_t> loads, stores;  ///< bytes; equally many bins
};

/// One phase of a chunk at a rank.
struct ChunkPhase {
  std::uint32_t rank = 0;
  graph::NodeId node = 0;
  std::uint32_t chunk = 0;  ///< distinguishes the chunks of a node
  std::uint32_t queue = 0;
  std::int64_t begin = 0, end = 0;
};

/// The times of every node of a simulation, their causes, and the traffic of the network. The nodes
/// of equivalent ranks, which were simulated once, are stored once.
struct Recording {
  static constexpr std::size_t kMaxLinks = 65'536;

  /// By rank: the number of its class of equivalent ranks. Empty: no two ranks share nodes.
  std::vector<std::uint32_t> class_of;
  /// Indices of a rank's nodes in `times`: node n is at first + n * step. Nodes of ranks with one
  /// graph can alternate. Ranks with the same graph, times and releases share them.
  struct NodeIndices {
    std::size_t first = 0;
    std::size_t step = 1;
  };
  std::vector<NodeIndices> nodes_of;  ///< by rank
  std::vector<NodeTimes> times;
  /// By distinct graph of the workload; empty for graphs of which no rank was simulated.
  std::vector<DetailedNodes> detailed;
  /// The details of a rank: those of `detailed[graph]`, from index `first` on.
  struct RankDetails {
    std::size_t first = 0;
    std::uint32_t graph = 0;
  };
  std::vector<RankDetails> details_of;  ///< by rank; the same for equivalent ranks
  std::vector<NodeDetail> details;
  std::vector<CollectiveInstance> collectives;
  std::vector<ChunkPhase> chunk_phases;  ///< in the order of their ends: Options::record_chunks
  std::vector<RecordedGroup> groups;
  std::vector<std::size_t> first_membership;      ///< by rank, and the end
  std::vector<GroupMembership> memberships;       ///< groups of ranks that ran collectives
  std::int64_t bin = 0;                           ///< picoseconds
  std::vector<RecordedLink> links;                ///< links with traffic
  std::int64_t memory_bin = 0;                    ///< picoseconds
  std::vector<RecordedLevel> memory;              ///< in the order of SimResult::memory
  std::optional<PacketRecord> packets;            ///< `link`: an index in `links`
  std::vector<std::vector<TimeSource>> timed_by;  ///< by distinct graph of the workload and node
  bool uncontended = true;                        ///< the network's trait: messages never contend
  std::shared_ptr<const model::Network> network;  ///< used by uncontended_time()

  /// Duration of a message without contention, in picoseconds.
  [[nodiscard]] std::int64_t uncontended_time(std::uint32_t from, std::uint32_t to,
                                              std::int64_t bytes) const;

  /// The group of a class that contains the rank, which must have one.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t rank, std::uint32_t group_class) const {
    std::size_t at = first_membership[rank];
    while (memberships[at].group_class != group_class) ++at;
    return memberships[at].group;
  }
  [[nodiscard]] std::size_t index(std::uint32_t rank, graph::NodeId node) const {
    return nodes_of[rank].first + node * nodes_of[rank].step;
  }
  [[nodiscard]] const NodeTimes& at(std::uint32_t rank, graph::NodeId node) const {
    return times[index(rank, node)];
  }
  /// The nodes of the rank that have details.
  [[nodiscard]] const std::vector<graph::NodeId>& detailed_nodes(std::uint32_t rank) const {
    return detailed[details_of[rank].graph].all();
  }
  /// Index in `details` of a node that communicates or accesses memory.
  [[nodiscard]] std::size_t detail_index(std::uint32_t rank, graph::NodeId node) const {
    const RankDetails& of = details_of[rank];
    return of.first + detailed[of.graph].number(node);
  }
  [[nodiscard]] const NodeDetail& detail(std::uint32_t rank, graph::NodeId node) const {
    return details[detail_index(rank, node)];
  }
};

}  // namespace orrery::sim
