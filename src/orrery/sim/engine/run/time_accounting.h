// SPDX-License-Identifier: Apache-2.0
//
// Accounts for the time of ranks: unions of intervals per rank, totals per collective.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/lookup_cache.h"

namespace orrery::sim {

/// Tracks the current activities of each rank and sums their times. A rank that represents others
/// counts once for each.
class TimeAccounting {
 public:
  explicit TimeAccounting(EngineRun& run) : run_(run) {}

  /// A node of the rank begins (`step` 1), or ends (-1).
  void count_node(std::uint32_t rank, graph::NodeId node, int step);
  /// Adds the time since the last change to the activities of the rank.
  void account(std::uint32_t rank) {
    if (run_.shared.states[rank].since != run_.now()) account(rank, run_.now());
  }

  /// The rank waits for a message in flight since `begin`, which can be before the last accounted
  /// time, until receive_ends().
  void receive_begins(std::uint32_t rank, std::int64_t begin);
  void receive_ends(std::uint32_t rank, std::int64_t began);

  /// Bytes that one rank has sent for a collective, or by point-to-point messages.
  void sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes);
  void sent_message(std::uint32_t rank, std::uint64_t bytes);

  /// The communicator of a collective; that of all ranks if it names none.
  [[nodiscard]] const Communicator& meant_by(std::uint32_t rank, graph::NodeId node);
  /// The communicator number that the collective's name denotes at the rank (or
  /// Communicators::kUnknown, kOutside).
  [[nodiscard]] std::uint32_t meaning(std::uint32_t rank, graph::NodeId node) {
    return meaning_to_all(rank, node).of(run_.real(rank));
  }
  /// The communicator that the name denotes at each rank.
  [[nodiscard]] Communicators::Meaning meaning_to_all(std::uint32_t rank, graph::NodeId node) {
    const graph::Graph& graph = run_.graph_of(rank);
    return meaning_cache_.of(run_.communicators, graph, graph.collective(node).group);
  }

  [[nodiscard]] Totals& totals() { return totals_; }

  /// In parts: forgets spans, because no unknown message began before `time`.
  void forget_spans(std::int64_t time);
  /// Adds the counts of another part.
  void absorb(const TimeAccounting& other);

  /// Its state, for copies and checkpoints. The caches must be empty when it is read.
  static auto fields(auto& self) {
    auto& [run, totals, totals_cache, meaning_cache, spans, spans_retained] = self;
    return std::tie(totals, spans, spans_retained);
  }
  /// Continues from the state of `other`.
  void resume(const TimeAccounting& other) {
    fields(*this) = fields(other);
    totals_cache_ = {};
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
  std::size_t spans_retained_ = 0;  // after the last removal
};

}  // namespace orrery::sim
