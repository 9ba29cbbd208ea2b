// SPDX-License-Identifier: Apache-2.0
//
// Replays recorded communication: recalculates the wait for other ranks, keeps the transfer time.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Collectives and messages with durations, in a replay (Options::replay). The recorded duration of
/// a rank is its wait for the others plus the transfer. The last rank to arrive does not wait, so
/// the shortest duration is the transfer. For all ranks, the communication ends that long after the
/// last arrival.
///
/// Matching does not depend on time: the n-th collective of a group in the order of a rank's nodes
/// matches the n-th of each other member, and the n-th send to a rank under a tag matches the n-th
/// receive there. Every rank is simulated, in one part.
class RecordedCollectives {
 public:
  RecordedCollectives(EngineRun& run, LocalEvents& local_events)
      : run_(run), local_events_(local_events) {}

  /// Whether the node waits for others: it communicates, has a duration, and has at least one peer.
  [[nodiscard]] bool waits_for_others(std::uint32_t rank, graph::NodeId node) const;
  /// The rank arrives at the node. When the last rank arrives, the ends of all are scheduled.
  void arrive(std::uint32_t rank, graph::NodeId node);

  /// Continues from the state of `other`.
  void resume(const RecordedCollectives& other) {
    numbers_ = other.numbers_;
    open_ = other.open_;
  }
  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [run, local_events, numbers, open] = self;
    return std::tie(open);
  }

 private:
  /// A group or a connection (sender, receiver, tag), and the number of the communication in it.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  struct Member {
    std::uint32_t rank = 0;
    graph::NodeId node = 0;
  };
  struct OpenCollective {
    std::vector<Member> members;
    Time shortest = kTimeMax;
  };

  [[nodiscard]] std::uint32_t communicator(std::uint32_t rank, graph::NodeId node) const;
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> channel_of(std::uint32_t rank,
                                                                   graph::NodeId node) const;
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank, graph::NodeId node);

  EngineRun& run_;
  LocalEvents& local_events_;
  std::vector<std::unordered_map<graph::NodeId, std::uint32_t>> numbers_;  // by rank, all nodes
  std::map<Key, OpenCollective> open_;
};

}  // namespace orrery::sim
