// SPDX-License-Identifier: Apache-2.0
//
// What a simulation remembers of itself when asked to (Options::record): when every node ran and
// why then, which nodes were one collective, what the links carried over time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/time_source.h"
#include "orrery/graph/graph.h"

namespace orrery::model {
class Network;
}  // namespace orrery::model

namespace orrery::sim {

inline constexpr std::uint32_t kNone = ~0u;
inline constexpr std::uint32_t kAstraTags =
    500'000'000;  ///< under ASTRA rules tags are taken modulo this

/// When a node ran (picoseconds; -1: not yet), and whose completion let it start.
struct NodeTimes {
  std::int64_t start = -1;
  std::int64_t end = -1;
  graph::NodeId released_by = graph::kNoNode;
  /// A receive that had to wait: who sent, in MessageState::senders. A collective whose members are
  /// known when they come: which one, in Comings.
  std::uint32_t sender = kNone;
};

/// Where a node's time went, as far as it did not simply work or transfer.
struct NodeDetail {
  std::int64_t queue = 0;      ///< for a dimension's queue, a link, a shared memory (after `wait`)
  std::int64_t latency = 0;    ///< hops and end points (collectives)
  std::uint32_t join = kNone;  ///< in Recording::joins
};

/// One collective across its ranks.
struct CollectiveInstance {
  std::uint32_t group = 0;  ///< in Recording::groups
  std::uint64_t order = 0;  ///< among those of its group (not without gaps)
  std::uint32_t members = 0;
  std::int64_t first_start = 0;
  std::int64_t last_start = 0;
  std::uint32_t last_rank = 0;  ///< who came last; of several the lowest
  graph::NodeId last_node = 0;
  std::int64_t bytes = 0;  ///< as its nodes state it
  std::uint64_t sent = 0;  ///< what its members put on the network
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::uint32_t predicted = kNone;  ///< in SimResult::told: the longest of its phases by a library
};

/// Ranks that communicate with each other: a communicator, or those of its members that a
/// collective over some of the dimensions joins. Number 0 is all ranks.
struct RecordedGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< in ring order; empty: all
};

/// What a link or, where the network is uncontended, a rank's port into a dimension carried. Beyond
/// kMaxLinks one entry stands for a whole dimension: `from` is kNone.
struct RecordedLink {
  std::uint32_t dim = 0;
  std::uint32_t from = kNone;
  std::uint32_t to = kNone;    ///< kNone: a port
  bool down = false;           ///< from a switch to the rank `from`
  double share = 1;            ///< of the dimension's bandwidth that the port of `from` has
  std::string name{}, kind{};  ///< of a fabric's link
  double capacity = 0;         ///< likewise: bytes per second
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> bins;  ///< bytes, in bins of Recording::bin
};

/// What crossed a level of remote memory (SimResult::memory), in bins of Recording::memory_bin.
struct RecordedLevel {
  std::vector<std::uint64_t> loads, stores;  ///< bytes; equally many bins
};

/// One phase of a chunk at one rank, as the simulation numbers ranks.
struct ChunkPhase {
  std::uint32_t rank = 0;
  graph::NodeId node = 0;
  std::uint32_t chunk = 0;  ///< tells apart those of a node
  std::uint32_t queue = 0;
  std::int64_t begin = 0, end = 0;
};

/// Which model said how long a compute node takes.
/// What a simulation did, node by node, and on what network.
struct Recording {
  static constexpr std::size_t kMaxLinks = 65'536;

  std::vector<std::size_t> first_node;  ///< by rank: where its nodes begin in the next two
  std::vector<NodeTimes> times;
  std::vector<NodeDetail> details;
  std::vector<CollectiveInstance> joins;
  std::vector<ChunkPhase> chunk_phases;  ///< in the order of their ends: Options::record_chunks
  std::vector<RecordedGroup> groups;
  std::int64_t bin = 0;                           ///< picoseconds
  std::vector<RecordedLink> links;                ///< those that carried something
  std::int64_t memory_bin = 0;                    ///< picoseconds
  std::vector<RecordedLevel> memory;              ///< in the order of SimResult::memory
  std::vector<std::vector<TimeSource>> timed_by;  ///< by distinct graph of the workload and node
  bool uncontended = true;  ///< the network's trait: messages are never in each other's way
  std::shared_ptr<const model::Network> network;  ///< what alone() asks

  /// Picoseconds that a message takes when nobody is in its way.
  [[nodiscard]] std::int64_t alone(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const;

  [[nodiscard]] const NodeTimes& at(std::uint32_t rank, graph::NodeId node) const {
    return times[first_node[rank] + node];
  }
  [[nodiscard]] const NodeDetail& detail(std::uint32_t rank, graph::NodeId node) const {
    return details[first_node[rank] + node];
  }
};

}  // namespace orrery::sim
