// SPDX-License-Identifier: Apache-2.0
//
// Where the time goes: unions of intervals per rank, totals per collective.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/lookup_cache.h"

namespace orrery::sim {

/// Knows of each rank what goes on there, and adds up how long. Ranks that stand for others are
/// counted once for each.
class TimeAccounting {
 public:
  explicit TimeAccounting(EngineRun& run) : run_(run) {}

  /// A node of the rank begins (`step` 1), or ends (-1).
  void count_node(std::uint32_t rank, graph::NodeId node, int step);
  /// Adds the time since the last change to whatever was going on at the rank.
  void account(std::uint32_t rank) {
    if (run_.shared.states[rank].since != run_.now()) account(rank, run_.now());
  }

  /// The rank waits for a message that is on its way since `begin`, which may be before what was
  /// accounted last; until receive_ends().
  void receive_begins(std::uint32_t rank, std::int64_t begin);
  void receive_ends(std::uint32_t rank, std::int64_t began);

  /// What one rank has put on the network for a collective, or by point-to-point messages.
  void sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes);
  void sent_message(std::uint32_t rank, std::uint64_t bytes);

  /// The communicator that a collective names; that of all ranks where it names none.
  [[nodiscard]] const Communicator& meant_by(std::uint32_t rank, graph::NodeId node);
  /// What the name means to the rank (Communicators::kUnknown, kOutside).
  [[nodiscard]] std::uint32_t meaning(std::uint32_t rank, graph::NodeId node) {
    return meaning_to_all(rank, node).of(run_.real(rank));
  }
  /// … and to all ranks.
  [[nodiscard]] Communicators::Meaning meaning_to_all(std::uint32_t rank, graph::NodeId node) {
    const graph::Graph& graph = run_.graph_of(rank);
    return meaning_cache_.of(run_.communicators, graph, graph.collective(node).group);
  }

  [[nodiscard]] Totals& totals() { return totals_; }

  /// Side by side: nothing that is not known yet began before `time`.
  void forget_spans(std::int64_t time);
  /// … and adds what another has counted.
  void absorb(const TimeAccounting& other);

  /// Goes on from where another has come to.
  void resume(const TimeAccounting& other) {
    totals_ = other.totals_;
    totals_cache_ = {};
    spans_ = other.spans_;
    spans_retained_ = other.spans_retained_;
  }

 private:
  void account(std::uint32_t rank, std::int64_t until);
  void communicates_since(std::uint32_t rank, std::int64_t begin);
  void keep_span(std::uint32_t rank, std::int64_t end);
  void add_time(CollectiveTotal& total, std::uint32_t rank, std::int64_t time) const;
  [[nodiscard]] Bytes buffer_of(const graph::Graph& graph, graph::NodeId node,
                                const Communicator& group) const;

  EngineRun& run_;
  Totals totals_;  // by type and group size
  TotalsCache totals_cache_;
  MeaningCache meaning_cache_;
  std::vector<AccountedSpan> spans_;
  std::size_t spans_retained_ = 0;  // when some were dropped last
};

}  // namespace orrery::sim
