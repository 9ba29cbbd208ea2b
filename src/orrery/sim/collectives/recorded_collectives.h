// SPDX-License-Identifier: Apache-2.0
//
// Recorded communication: waiting for the others again, the transfer as it was.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/state/communicators.h"

namespace orrery::sim {

/// Collectives and messages that have durations, in a replay (Options::replay). What a rank was
/// recorded to take is the wait for the others and the transfer; whoever came last did not wait, so
/// the shortest is the transfer. All end so long after the last one has come.
///
/// Who meets whom does not depend on time: the n-th collective of a group in the order of a rank's
/// nodes meets the n-th of each other member, the n-th send to a rank under a tag the n-th receive
/// there. Every rank is simulated, in one part.
class RecordedCollectives {
 public:
  RecordedCollectives(EngineRun& run, LocalEvents& local_events)
      : run_(run), local_events_(local_events) {}

  /// Whether a node meets others: it communicates, takes time, and is not alone.
  [[nodiscard]] bool waits_for_others(std::uint32_t rank, graph::NodeId node) const;
  /// The rank comes; it, or if it is the last all of them, will be done later.
  void come(std::uint32_t rank, graph::NodeId node);

  /// Goes on from where another has come to.
  void resume(const RecordedCollectives& other) {
    numbers_ = other.numbers_;
    open_ = other.open_;
  }

 private:
  /// A group or a connection (sender, receiver, tag), and which one of it.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  struct Member {
    std::uint32_t rank = 0;
    graph::NodeId node = 0;
  };
  struct OpenCollective {
    std::vector<Member> here;
    Time shortest = kTimeMax;
  };

  [[nodiscard]] std::uint32_t communicator(std::uint32_t rank, graph::NodeId node) const;
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> line_of(std::uint32_t rank,
                                                                graph::NodeId node) const;
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank, graph::NodeId node);

  EngineRun& run_;
  LocalEvents& local_events_;
  std::vector<std::unordered_map<graph::NodeId, std::uint32_t>> numbers_;  // by rank; all its nodes
  std::map<Key, OpenCollective> open_;
};

}  // namespace orrery::sim
