// SPDX-License-Identifier: Apache-2.0
//
// Decides which nodes can run, and what their ends release.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/time_accounting.h"

namespace orrery::sim {

/// Starts a node when all of its dependencies have ended and its lane (the resource that it needs)
/// is free, lowest number first. ASTRA rules start a node as soon as it can start, Orrery rules at
/// the end of the tick.
class Nodes {
 public:
  /// The interface that executes nodes.
  class Executor {
   public:
    virtual ~Executor() = default;
    /// The node has acquired its resource; the implementation calls complete() when it is done.
    virtual void begin(std::uint32_t rank, graph::NodeId node) = 0;
    /// Loads what begin() of a node that is ready will read into the cache.
    virtual void prefetch(std::uint32_t rank, graph::NodeId node) = 0;
    /// Picoseconds that the node waits, holding its resource, until its host has launched it.
    [[nodiscard]] virtual std::int64_t launch(std::uint32_t rank, graph::NodeId node) = 0;
    /// The node ends now, of a rank with a host.
    virtual void end_launches(std::uint32_t rank, graph::NodeId node) = 0;
    /// The watched node starts (see watch_for).
    virtual void on_watched_start() = 0;
  };

  Nodes(EngineRun& run, LocalEvents& local_events, TimeAccounting& accounts, Executor& executor)
      : run_(run), local_events_(local_events), accounting_(accounts), executor_(executor) {}

  /// Starts the rank's first nodes, at the rank's own start time.
  void begin_rank(std::uint32_t rank);
  /// The rank can start nodes: at once, or under Orrery rules at the end of the tick.
  void wake(std::uint32_t rank);
  /// The node ends now. This releases its lane and its successors.
  void complete(std::uint32_t rank, graph::NodeId node);
  /// The node can begin: all of its dependencies have ended, and their lags have passed.
  void becomes_ready(std::uint32_t rank, graph::NodeId node);
  /// The host has launched the kernels of the node.
  void launched(std::uint32_t rank, graph::NodeId node);
  /// Ends a node that takes no time; call it from Executor::begin.
  void skip(std::uint32_t rank, graph::NodeId node) { retire(rank, node, true); }
  /// Orrery rules, at the end of a tick: starts nodes. Returns false if there were none to start.
  [[nodiscard]] bool settle();

  /// Calls Executor::on_watched_start when the rank starts this node; graph::kNoNode: watches no
  /// node.
  void watch_for(std::uint32_t rank, graph::NodeId node) {
    watched_rank_ = rank;
    watched_ = node;
  }

  /// Number of finished ranks, including all ranks that they represent.
  [[nodiscard]] std::uint32_t finished() const { return finished_; }
  /// Adds ranks that have finished in another part.
  void add_finished(std::uint32_t ranks) { finished_ += ranks; }

  /// Whether the node lasts its recorded duration, whatever its kind.
  [[nodiscard]] bool takes_recorded_time(std::uint32_t rank, graph::NodeId node) const;

  /// Orrery rules: if several nodes that released a node ended in the same tick,
  /// NodeTimes::released_by becomes the one with the lowest number, independent of the processing
  /// order. Call it once the rank is done.
  void settle_releases(std::uint32_t rank) { settle_releases(std::vector{rank}); }
  /// The same for the ranks that are the first of those with equal times (find_equal_times()), by
  /// rank.
  void settle_releases_of_first(const std::vector<std::uint32_t>& first_of);

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, local_events, accounting, executor, releasing, finished, watched_rank, watched,
           unsettled, settling] = self;
    return std::tie(releasing, finished, watched_rank, watched, unsettled);
  }
  /// Continues from the state of `other`.
  void resume(const Nodes& other) { fields(*this) = fields(other); }

 private:
  /// Of ranks with one graph.
  void settle_releases(const std::vector<std::uint32_t>& ranks);
  [[nodiscard]] std::pair<std::uint64_t, bool> lane_of(std::uint32_t rank,
                                                       graph::NodeId node) const;
  [[nodiscard]] std::pair<std::uint64_t, bool> other_lane_of(std::uint32_t rank,
                                                             graph::NodeId node) const;
  void make_ready(std::uint32_t rank, graph::NodeId node);
  [[nodiscard]] std::optional<std::pair<ResourceLane*, graph::NodeId>> next_ready(RankState& state);
  void issue(std::uint32_t rank);
  void prefetch_ready(std::uint32_t rank);
  void note_release(std::uint32_t rank, graph::NodeId node, graph::NodeId by);
  void start(std::uint32_t rank, graph::NodeId node);
  void start_now(std::uint32_t rank, graph::NodeId node);
  void retire(std::uint32_t rank, graph::NodeId node, bool at_once);
  void release_successors(std::uint32_t rank, graph::NodeId node, bool at_once);
  void release_after_lags(std::uint32_t rank, graph::NodeId node, bool at_once);
  void check_finished(std::uint32_t rank);

  EngineRun& run_;
  LocalEvents& local_events_;
  TimeAccounting& accounting_;
  Executor& executor_;
  graph::NodeId releasing_ = graph::kNoNode;  // the node whose completion is being processed
  std::uint32_t finished_ = 0, watched_rank_ = 0;
  graph::NodeId watched_ = graph::kNoNode;
  std::vector<std::uint32_t> unsettled_, settling_;  // ranks to process at the end of the tick
};

}  // namespace orrery::sim
