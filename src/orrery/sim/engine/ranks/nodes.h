// SPDX-License-Identifier: Apache-2.0
//
// Which nodes may run, and what their end sets free.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/time_accounting.h"

namespace orrery::sim {

/// Starts a node when all it depends on has ended and its lane (the resource it needs) is free,
/// lowest number first. ASTRA rules start at once what can be started, Orrery rules when the tick
/// is over.
class Nodes {
 public:
  /// What a node does.
  class Work {
   public:
    virtual ~Work() = default;
    /// The node has been given its resource; complete() is called when it is done.
    virtual void begin(std::uint32_t rank, graph::NodeId node) = 0;
    /// How long the node waits, with its resource, until its host has launched it.
    [[nodiscard]] virtual std::int64_t launch(std::uint32_t rank, graph::NodeId node) = 0;
    /// The node that is watched for starts.
    virtual void starts_watched() = 0;
  };

  Nodes(EngineRun& run, LocalEvents& local_events, TimeAccounting& accounts, Work& work)
      : run_(run), local_events_(local_events), accounting_(accounts), work_(work) {}

  /// The rank's first nodes may start, when the rank does.
  void begin_rank(std::uint32_t rank);
  /// The rank may start nodes: at once, or under Orrery rules when the tick is over.
  void wake(std::uint32_t rank);
  /// The node ends now: its lane is free, its successors may be, the rank goes on.
  void complete(std::uint32_t rank, graph::NodeId node);
  /// The node may begin: all that it waits for has ended, long enough ago.
  void becomes_ready(std::uint32_t rank, graph::NodeId node);
  /// The host has launched what the node waits for.
  void launched(std::uint32_t rank, graph::NodeId node);
  /// A node that takes no time, from within Work::begin.
  void skip(std::uint32_t rank, graph::NodeId node) { retire(rank, node, true); }
  /// Orrery rules, at the end of a tick. False: no node was left to start.
  [[nodiscard]] bool settle();

  /// Tells of it when the rank starts the node; graph::kNoNode: of none any more.
  void watch_for(std::uint32_t rank, graph::NodeId node) {
    watched_rank_ = rank;
    watched_ = node;
  }

  /// Ranks that have finished, with all they stand for.
  [[nodiscard]] std::uint32_t finished() const { return finished_; }
  /// … elsewhere.
  void add_finished(std::uint32_t ranks) { finished_ += ranks; }

  /// Whether the node takes its recorded time, whatever it does.
  [[nodiscard]] bool takes_recorded_time(std::uint32_t rank, graph::NodeId node) const;

  /// Orrery rules: of several nodes that ended in the tick that let a node start, the one with the
  /// lowest number counts, whichever was looked at last. To be called once a rank is done.
  void settle_releases(std::uint32_t rank);

  /// Goes on from where another has come to.
  void resume(const Nodes& other) {
    releasing_ = other.releasing_;
    finished_ = other.finished_;
    watched_rank_ = other.watched_rank_;
    watched_ = other.watched_;
    unsettled_ = other.unsettled_;
  }

 private:
  [[nodiscard]] std::pair<std::uint64_t, bool> lane_of(std::uint32_t rank,
                                                       graph::NodeId node) const;
  [[nodiscard]] std::pair<std::uint64_t, bool> other_lane_of(std::uint32_t rank,
                                                             graph::NodeId node) const;
  void make_ready(std::uint32_t rank, graph::NodeId node);
  [[nodiscard]] std::optional<std::pair<ResourceLane*, graph::NodeId>> next_ready(RankState& state);
  void issue(std::uint32_t rank);
  void note_release(std::uint32_t rank, graph::NodeId node, graph::NodeId by);
  void start(std::uint32_t rank, graph::NodeId node);
  void start_now(std::uint32_t rank, graph::NodeId node);
  void retire(std::uint32_t rank, graph::NodeId node, bool at_once);
  void pass_on(std::uint32_t rank, graph::NodeId node, bool at_once);
  void pass_on_later(std::uint32_t rank, graph::NodeId node, bool at_once);
  void check_finished(std::uint32_t rank);

  EngineRun& run_;
  LocalEvents& local_events_;
  TimeAccounting& accounting_;
  Work& work_;
  graph::NodeId releasing_ = graph::kNoNode;  // whose completion is being handled
  std::uint32_t finished_ = 0, watched_rank_ = 0;
  graph::NodeId watched_ = graph::kNoNode;
  std::vector<std::uint32_t> unsettled_, settling_;  // ranks to look at when the tick is over
};

}  // namespace orrery::sim
