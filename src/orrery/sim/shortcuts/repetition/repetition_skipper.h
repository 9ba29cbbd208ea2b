// SPDX-License-Identifier: Apache-2.0
//
// Skips iterations that equal the previous one (see repetition_skipper.cc).
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/state/findings_state.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/engine/run/lookup_cache.h"
#include "orrery/sim/engine/state/jump.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/shortcuts/repetition/periodic_segments.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Everything that affects the future of a run, at the end of a tick. Times are relative to now,
/// nodes to the first unfinished one of their rank, and tags to those of the lead's period. Two
/// equal snapshots have the same future, shifted in time and in the graphs.
struct Snapshot {
  bool is_valid = false;
  std::int64_t time = 0;
  std::uint64_t marker = 0;
  std::vector<graph::NodeId> fronts;   ///< by rank: first unfinished node
  std::vector<graph::NodeId> reaches;  ///< by rank: last node that has been touched
  std::vector<std::int64_t> words;
  std::vector<std::uint32_t> waits;  ///< by rank and node from front to reach
  /// By rank and lane of capacity one: the last node that released it, and when.
  std::vector<std::pair<graph::NodeId, std::int64_t>> lasts;
  std::vector<model::HostClock> hosts;  ///< by rank; empty: no device waits for its host
  // Not compared: counters.
  std::vector<std::uint32_t> chunks;  ///< by communicator: chunks that a member has issued
  std::vector<RankResult> results;
  std::vector<std::int64_t> gpu_time;
  Totals totals;
  std::uint64_t messages = 0;
  std::uint64_t phases_by_closed_form = 0;
  std::uint64_t phases_by_messages = 0;
  Findings findings;
};

class TimeAccounting;
class LocalEvents;
class ChunkPool;
class CollectiveRunner;
class P2pMessages;
class Nodes;
class Phases;
class CollectivePlanner;
struct EngineRun;
struct Chunk;

/// Skips repetitions in a run of the engine. One rank is the lead: a marker is passed whenever the
/// lead starts the first node of a period.
class RepetitionSkipper {
 public:
  /// The components that it reads and changes.
  struct Parts {
    EngineRun& run;
    const CollectivePlanner& planner;
    Nodes& nodes;
    LocalEvents& local_events;
    TimeAccounting& accounts;
    P2pMessages& messages;
    ChunkPool& chunks;
    CollectiveRunner& collectives;
    const Phases& phases;
  };
  explicit RepetitionSkipper(const Parts& parts) : parts_(parts), run_(parts.run) {}

  /// Finds the repetitions in the graphs. Call it once, before any node starts.
  void set_up();
  /// Whether there are repetitions that can be skipped.
  [[nodiscard]] bool has_candidates() const { return marker_ != graph::kNoNode; }
  /// The lead has started the node that marks the next period.
  void pass_marker();
  /// Whether a marker was passed, so that end_tick() must be called at the end of this tick.
  [[nodiscard]] bool is_due() const { return is_due_; }
  void end_tick();

  /// Continues from the state of `other`.
  void resume(const RepetitionSkipper& other) {
    segments_by_graph_ = other.segments_by_graph_;
    lead_ = other.lead_;
    segment_ = other.segment_;
    marker_ = other.marker_;
    is_due_ = other.is_due_;
    markers_ = other.markers_;
    spent_ = other.spent_;
    last_mismatch_ = other.last_mismatch_;
    before_ = other.before_;
    present_ = other.present_;
    live_index_ = other.live_index_;
  }
  /// Its state, for checkpoints; set_up() finds the segments.
  static auto fields(auto& self) {
    auto& [parts, run, segments, lead, segment, marker, is_due, markers, spent, last_mismatch,
           before, present, live_index] = self;
    return std::tie(lead, segment, marker, is_due, markers, spent, last_mismatch, before, present,
                    live_index);
  }

 private:
  // repetition_skipper.cc: when to compare, and whether to jump
  [[nodiscard]] const std::vector<PeriodicSegment>& segments_of(std::uint32_t rank) const;
  void move_marker(graph::NodeId nodes);
  [[nodiscard]] bool is_affordable(std::uint64_t numbers) const;
  [[nodiscard]] bool resembles(const Snapshot& before);
  [[nodiscard]] bool same_state() const;
  [[nodiscard]] bool same_lanes() const;
  [[nodiscard]] bool same_hosts() const;
  [[nodiscard]] bool jump();

  // repetition_skipper_snapshot.cc
  [[nodiscard]] bool take(Snapshot& to);
  [[nodiscard]] std::int64_t relative(std::uint32_t rank, graph::NodeId node) const;
  [[nodiscard]] std::int64_t tag_base() const;
  void take_rank(std::uint32_t rank, Snapshot& to);
  void take_interference(std::uint32_t rank, Snapshot& to);
  [[nodiscard]] bool take_local_events(std::uint32_t rank, Snapshot& to);
  void take_queues(std::uint32_t rank, Snapshot& to);
  [[nodiscard]] bool take_blocks(Snapshot& to);
  [[nodiscard]] bool take_block(const Chunk& block, Snapshot& to);
  [[nodiscard]] bool take_streams(const Chunk& block, Snapshot& to);
  [[nodiscard]] bool take_events(Snapshot& to);
  void take_mailboxes(Snapshot& to);

  // The jump
  void count_repeats(const Jump& jump);
  void move_nodes(const Jump& jump);
  void move_node(std::uint32_t rank, graph::NodeId from, const Jump& jump);
  void repeat_node(std::uint32_t rank, graph::NodeId node, const Jump& jump);
  void repeat_arrival(std::uint32_t rank, graph::NodeId node, const Jump& jump, std::int64_t times);
  void move_messages(const Jump& jump);
  void move_times(const Jump& jump);

  Parts parts_;
  EngineRun& run_;
  std::vector<std::vector<PeriodicSegment>> segments_by_graph_;  // by graph number in the workload
  std::uint32_t lead_ = 0;
  std::size_t segment_ = 0;                // index of the current segment of the lead's graph
  graph::NodeId marker_ = graph::kNoNode;  // next marker; kNoNode: no more
  bool is_due_ = false;                    // a marker was started in this tick
  std::uint64_t markers_ = 0;              // in this segment, since the last jump
  std::uint64_t spent_ = 0;                // numbers read for comparisons
  std::uint32_t last_mismatch_ = 0;        // rank that differed in the last comparison
  Snapshot before_, present_;
  std::vector<std::uint32_t> live_index_;  // by block: index among those in use
};

}  // namespace orrery::sim
