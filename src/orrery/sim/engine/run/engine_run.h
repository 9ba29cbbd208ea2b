// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the engine have in common: what is simulated, the clock, the ranks' state, and
// what has been counted so far.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/sim/engine/run/jobs.h"
#include "orrery/sim/engine/run/shared_state.h"
#include "orrery/sim/engine/state/event_queue.h"
#include "orrery/sim/engine/state/node_pages.h"
#include "orrery/sim/engine/state/observer.h"
#include "orrery/sim/engine/state/policy.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// In all that follows `rank` numbers the ranks that are simulated (see Quotient); real() is what
/// the workload calls it.
struct EngineRun {
  EngineRun(const graph::Workload& what, const platform::Platform& on, const Options& how,
            std::shared_ptr<SharedState> shared_state)
      : workload(what), platform(on), options(how), shared_owner(std::move(shared_state)) {}

  const graph::Workload& workload;
  const platform::Platform& platform;
  const Options& options;
  const Policy policy = Policy::of(platform.rules);
  std::shared_ptr<SharedState>
      shared_owner;  ///< shared by the parts of a run that are simulated side by side
  SharedState& shared = *shared_owner;
  const model::MultiDimFabric& fabric = shared.fabric;  ///< the machine's dimensions
  model::Network& network = *shared.network.get();
  const FoldedWorkload& folded_workload = shared.folded_workload;  ///< of the workload: what is run
  Communicators& communicators = shared.communicators;
  EventQueue queue;
  Jobs jobs;
  SimResult result;
  std::optional<Error> error;
  bool in_a_part = false;            ///< others are simulated beside this one
  bool guarded = false;              ///< ranks stand for others under ASTRA rules
  std::string fold_failed;           ///< not empty: ranks that are alike need not do the same
  std::unique_ptr<NodePages> pages;  ///< in place of SharedState::times and RankState::waits
  Observer* observer = nullptr;      ///< Options::record
  std::map<FindingCode, std::vector<Note>> notes{};  ///< the first places of each

  /// Goes on from where `other`, a run of the same, has come to; its shared state is a copy
  /// already.
  void resume(const EngineRun& other);

  /// For this network; it lives as long as whoever keeps it, and keeps the network, too.
  [[nodiscard]] std::shared_ptr<CollectivePlanner> new_planner() const;
  /// Makes room for all that is to be known of each rank that is simulated. O(nodes) where times
  /// are kept.
  void set_up_ranks(const CollectivePlanner& planner);

  [[nodiscard]] std::int64_t now() const { return queue.now(); }
  /// An event that follows from what happens now.
  void push(Event event) {
    jobs.begins(event);
    if (!queue.push(event)) jobs.merged(event);
  }
  /// `now() + delay`, or ends the run when that is beyond the clock.
  [[nodiscard]] std::int64_t after(std::int64_t delay) {
    if (delay < model::MultiDimFabric::kTooLong && now() < model::MultiDimFabric::kTooLong - delay)
      return now() + delay;
    return exceeds_clock();
  }

  /// Ends the run. The first error counts.
  void fail(Error what);
  /// "FILE: rank R, node N", for errors.
  [[nodiscard]] std::string place(std::uint32_t rank, graph::NodeId node) const;
  /// Counts a finding; its place is only spelled out as long as such places are kept.
  void note(FindingCode code, std::uint32_t rank, graph::NodeId node);
  void spell_out_notes();

  [[nodiscard]] std::uint32_t real(std::uint32_t rank) const { return folded_workload.real(rank); }
  /// How many ranks `rank` stands for.
  [[nodiscard]] std::uint32_t weight(std::uint32_t rank) const {
    return folded_workload.weight(rank);
  }
  [[nodiscard]] const graph::Graph& graph_of(std::uint32_t rank) const {
    return workload.graph(real(rank));
  }
  /// Whether the node is a copy or a memset of the device.
  [[nodiscard]] bool copies(std::uint32_t rank, graph::NodeId node) const {
    return policy.knows_recordings && graph_of(rank).has(node, graph::kIsCopy);
  }
  /// Whether a node of compute stands for communication that nothing is known of.
  [[nodiscard]] bool communicates(std::uint32_t rank, graph::NodeId node) const {
    return policy.knows_recordings && graph_of(rank).has(node, graph::kIsComm);
  }
  /// Whether the node is compute of its rank: on one that has a device, only what runs there, and
  /// is no copy.
  [[nodiscard]] bool computes(std::uint32_t rank, graph::NodeId node) const {
    const graph::Graph& graph = graph_of(rank);
    if (graph.kind(node) != graph::NodeKind::comp) return false;
    return !policy.knows_recordings ||
           (!graph.has_any(node, graph::kIsCopy | graph::kIsComm | graph::kIsWait) &&
            (!graph.is_cpu(node) || !graph.has_device()));
  }
  /// A member of a communicator, as the workload calls it.
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t communicator, std::uint32_t member) const {
    const Communicator& group = communicators[communicator];
    return group.ranks.empty() ? member : group.ranks[member];
  }
  /// Of a node that has not ended, unless times are kept.
  [[nodiscard]] NodeTimes& times_of(std::uint32_t rank, graph::NodeId node) {
    return pages == nullptr ? shared.times[shared.first_times[rank] + node]
                            : pages->times(rank, node);
  }

 private:
  void set_up_hosts();
  [[nodiscard]] std::int64_t exceeds_clock();
};

}  // namespace orrery::sim
