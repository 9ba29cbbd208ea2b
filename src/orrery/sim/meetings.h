// SPDX-License-Identifier: Apache-2.0
//
// Recorded communication: waiting for the others again, the transfer as it was.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "orrery/sim/agendas.h"
#include "orrery/sim/communicators.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

/// Collectives and messages that have durations, in a replay (Options::replay). What a rank was
/// recorded to take is the wait for the others and the transfer; whoever came last did not wait, so
/// the shortest is the transfer. All end so long after the last one has come.
///
/// Who meets whom does not depend on time: the n-th collective of a group in the order of a rank's
/// nodes meets the n-th of each other member, the n-th send to a rank under a tag the n-th receive
/// there. Every rank is simulated, in one part.
class Meetings {
 public:
  Meetings(Run& run, Agendas& agendas) : run_(run), agendas_(agendas) {}

  /// Whether a node meets others: it communicates, takes time, and is not alone.
  [[nodiscard]] bool meets(std::uint32_t rank, graph::NodeId node) const;
  /// The rank comes; it, or if it is the last all of them, will be done later.
  void come(std::uint32_t rank, graph::NodeId node);

  /// Goes on from where another has come to.
  void resume(const Meetings& other) {
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
  struct Meeting {
    std::vector<Member> here;
    Time shortest = kTimeMax;
  };

  [[nodiscard]] std::uint32_t communicator(std::uint32_t rank, graph::NodeId node) const;
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> line_of(std::uint32_t rank,
                                                                graph::NodeId node) const;
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank, graph::NodeId node);

  Run& run_;
  Agendas& agendas_;
  std::vector<std::unordered_map<graph::NodeId, std::uint32_t>> numbers_;  // by rank; all its nodes
  std::map<Key, Meeting> open_;
};

}  // namespace orrery::sim
