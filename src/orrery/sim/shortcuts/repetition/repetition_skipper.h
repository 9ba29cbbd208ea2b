// SPDX-License-Identifier: Apache-2.0
//
// Iterations that are like the one before (see repetition_skipper.cc).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/engine/run/lookup_cache.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/shortcuts/repetition/periodic_segments.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Everything that the future of a run depends on, at the end of a tick: times are counted from
/// now, nodes from the first one of their rank that is not done, tags from those of the lead's
/// period. Two that are equal have the same future, later and further on in the graphs.
struct Snapshot {
  bool taken = false;
  std::int64_t time = 0;
  std::uint64_t marker = 0;
  std::vector<graph::NodeId> fronts;   ///< by rank: its first node that is not done
  std::vector<graph::NodeId> reaches;  ///< by rank: its last node that has been touched
  std::vector<std::int64_t> words;
  std::vector<std::uint32_t> waits;  ///< by rank and node from front to reach
  /// By rank and lane of capacity one: the node that left it last, and when.
  std::vector<std::pair<graph::NodeId, std::int64_t>> lasts;
  std::vector<model::HostClock> hosts;  ///< by rank, where devices wait for them
  // Not part of the comparison: what has been counted so far.
  std::vector<std::uint32_t> chunks;  ///< by communicator: those that a member has issued
  std::vector<RankResult> results;
  std::vector<std::int64_t> gpu_time;
  Totals totals;
  std::uint64_t messages = 0;
  std::uint64_t worked_out = 0;
  std::uint64_t by_messages = 0;
  Findings findings;
};

/// How far everything moves when a number of repetitions is skipped.
struct Jump {
  std::int64_t times = 0;                 ///< repetitions
  std::int64_t step = 0;                  ///< picoseconds of one
  std::int64_t tag_step = 0;              ///< of one
  std::vector<graph::NodeId> node_step;   ///< by rank: nodes of one
  std::vector<std::uint32_t> chunk_step;  ///< by communicator: chunks of one

  [[nodiscard]] std::int64_t delay() const { return times * step; }
  [[nodiscard]] graph::NodeId nodes(std::uint32_t rank) const {
    return static_cast<graph::NodeId>(times) * node_step[rank];
  }
  [[nodiscard]] std::uint64_t tag(std::uint64_t tag) const {
    return tag + static_cast<std::uint64_t>(times * tag_step);
  }
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

/// Skips what repeats in a run of the engine. One rank leads: whenever it starts the first node of
/// a period, that is a marker.
class RepetitionSkipper {
 public:
  /// What it looks at and changes.
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

  /// Finds what the graphs repeat. To be called once, before any node starts.
  void set_up();
  /// Whether there is anything that may be skipped.
  [[nodiscard]] bool has_candidates() const { return marker_ != graph::kNoNode; }
  /// The lead has started the node that marks the next period.
  void pass_marker();
  /// Whether a marker was passed, so that end_tick() is to be called at the end of this tick.
  [[nodiscard]] bool due() const { return due_; }
  void end_tick();

  /// Goes on from where another has come to.
  void resume(const RepetitionSkipper& other) {
    of_graph_ = other.of_graph_;
    lead_ = other.lead_;
    stretch_ = other.stretch_;
    marker_ = other.marker_;
    due_ = other.due_;
    markers_ = other.markers_;
    spent_ = other.spent_;
    suspect_ = other.suspect_;
    before_ = other.before_;
    present_ = other.present_;
    place_ = other.place_;
  }

 private:
  // repetition_skipper.cc: when to compare, and whether to jump
  [[nodiscard]] const std::vector<PeriodicSegment>& stretches_of(std::uint32_t rank) const;
  void move_marker(graph::NodeId nodes);
  [[nodiscard]] bool affordable(std::uint64_t numbers) const;
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
  void repeat_node(std::uint32_t rank, graph::NodeId node, const Jump& jump);
  void repeat_arrival(std::uint32_t rank, graph::NodeId node, const Jump& jump, std::int64_t times);
  void move_messages(const Jump& jump);
  void move_times(const Jump& jump);

  Parts parts_;
  EngineRun& run_;
  std::vector<std::vector<PeriodicSegment>> of_graph_;  // by number in the workload
  std::uint32_t lead_ = 0;
  std::size_t stretch_ = 0;                // of the lead's graph
  graph::NodeId marker_ = graph::kNoNode;  // the node that is next; kNoNode: no more
  bool due_ = false;                       // it has been started in this tick
  std::uint64_t markers_ = 0;              // in this stretch, since the last jump
  std::uint64_t spent_ = 0;                // on comparing: numbers looked at
  std::uint32_t suspect_ = 0;              // the rank that was unlike last time
  Snapshot before_, present_;
  std::vector<std::uint32_t> place_;  // by block: among those in use
};

}  // namespace orrery::sim
