// SPDX-License-Identifier: Apache-2.0
//
// The state that the components of the engine share: inputs, clock, state of ranks, and counters.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/state/findings_state.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/sim/engine/run/jobs.h"
#include "orrery/sim/engine/run/shared_state.h"
#include "orrery/sim/engine/state/event_queue.h"
#include "orrery/sim/engine/state/node_pages.h"
#include "orrery/sim/engine/state/observer.h"
#include "orrery/sim/engine/state/policy.h"
#include "orrery/sim/shortcuts/folding/folding.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Here and in all components, `rank` is the number of a simulated rank (see FoldedWorkload);
/// real() is its number in the workload.
struct EngineRun {
  EngineRun(const graph::Workload& what, const platform::Platform& on, const Options& how,
            std::shared_ptr<SharedState> shared_state)
      : workload(what), platform(on), options(how), shared_owner(std::move(shared_state)) {}

  const graph::Workload& workload;
  const platform::Platform& platform;
  const Options& options;
  const Policy policy = Policy::of(platform.rules);
  std::shared_ptr<SharedState> shared_owner;  ///< shared by the concurrent parts of a run
  SharedState& shared = *shared_owner;
  const model::MultiDimFabric& fabric = shared.fabric;  ///< dimensions of the machine
  model::Network& network = *shared.network.get();
  const FoldedWorkload& folded_workload = shared.folded_workload;  ///< the simulated ranks
  Communicators& communicators = shared.communicators;
  EventQueue queue;
  Jobs jobs;
  SimResult result;
  std::optional<Error> error;
  bool in_a_part = false;            ///< other parts run concurrently
  bool guarded = false;              ///< ranks represent others under ASTRA rules
  std::string fold_failed;           ///< not empty: equivalent ranks may behave differently
  LinkHints link_hints;              ///< for the next attempt to fold; empty: there is none
  std::unique_ptr<NodePages> pages;  ///< replaces SharedState::times and waits
  Observer* observer = nullptr;      ///< Options::record
  std::map<FindingCode, std::vector<Note>> notes{};     ///< the first places of each code
  static constexpr std::uint64_t kPollEvery = 1 << 14;  // events
  /// Number of events at which the progress is reported next.
  std::uint64_t next_poll = kPollEvery;

  /// Its state, for checkpoints: what set-up does not make again. No error has occurred.
  static auto fields(auto& self) {
    auto& [workload, platform, options, policy, shared_owner, shared, fabric, network,
           folded_workload, communicators, queue, jobs, result, error, in_a_part, guarded,
           fold_failed, link_hints, pages, observer, notes, next_poll] = self;
    return std::tie(shared, queue, jobs, result.messages, result.events,
                    result.savings.phases_by_closed_form, result.savings.phases_by_messages,
                    result.savings.iterations_skipped, result.findings, pages, notes);
  }
  /// Continues from the state of `other`, a run of the same inputs, whose shared state is already
  /// copied.
  void resume(const EngineRun& other);

  /// Errc::config_conflict: checkpoints are requested, and this run cannot be saved.
  [[nodiscard]] Result<void> check_checkpoints() const;
  /// A planner for this network. It shares ownership of the network.
  [[nodiscard]] std::shared_ptr<CollectivePlanner> new_planner() const;
  /// Finds the graph of each simulated rank. Call it when the ranks are folded, before graph_of().
  void set_up_graphs();
  /// Allocates the state of each simulated rank. O(nodes) if times are stored.
  void set_up_ranks(const CollectivePlanner& planner);

  [[nodiscard]] std::int64_t now() const { return queue.now(); }
  /// Queues an event caused by the current one.
  void push(const Event& event) {
    if (!jobs.has_several()) return (void)queue.push(event);
    Event counted = event;
    jobs.count_queued(counted);
    if (!queue.push(counted)) jobs.uncount_merged(counted);
  }
  /// `now() + delay`; ends the run if that exceeds the clock.
  [[nodiscard]] std::int64_t after(std::int64_t delay) {
    if (delay < model::MultiDimFabric::kTooLong && now() < model::MultiDimFabric::kTooLong - delay)
      return now() + delay;
    return exceeds_clock();
  }

  /// Ends the run with an error; only the first error is stored.
  void fail(Error what);
  /// The same at a node, before the place of the error.
  void fail_at(std::uint32_t rank, graph::NodeId node, Error what);
  /// "FILE: rank R, node N", for errors.
  [[nodiscard]] std::string place(std::uint32_t rank, graph::NodeId node) const;
  /// Counts a finding. Formats its place only while findings of the code still store places.
  void note(FindingCode code, std::uint32_t rank, graph::NodeId node);
  void format_notes();

  /// Whether loading state into the cache ahead of time saves time: caches hold few ranks.
  [[nodiscard]] bool prefetches() const { return shared.states.size() >= 2048; }

  [[nodiscard]] std::uint32_t real(std::uint32_t rank) const { return folded_workload.real(rank); }
  /// The number of ranks that `rank` represents.
  [[nodiscard]] std::uint32_t weight(std::uint32_t rank) const {
    return folded_workload.weight(rank);
  }
  [[nodiscard]] const graph::Graph& graph_of(std::uint32_t rank) const {
    return *shared.graphs[rank];
  }
  /// Whether the node is a copy or a memset of the device.
  [[nodiscard]] bool copies(std::uint32_t rank, graph::NodeId node) const {
    return policy.knows_recordings && graph_of(rank).has(node, graph::kIsCopy);
  }
  /// Whether a compute node represents communication of an unknown operation.
  [[nodiscard]] bool communicates(std::uint32_t rank, graph::NodeId node) const {
    return policy.knows_recordings && graph_of(rank).has(node, graph::kIsComm);
  }
  /// Whether the node counts as computation of its rank. If the rank has a device, only device work
  /// without copies counts.
  [[nodiscard]] bool computes(std::uint32_t rank, graph::NodeId node) const {
    const graph::Graph& graph = graph_of(rank);
    if (graph.kind(node) != graph::NodeKind::comp) return false;
    return !policy.knows_recordings ||
           (!graph.has_any(node, graph::kIsCopy | graph::kIsComm | graph::kIsWait) &&
            (!graph.is_cpu(node) || !graph.has_device()));
  }
  /// The rank number, in the workload, of a member of a communicator.
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t communicator, std::uint32_t member) const {
    return communicators[communicator].rank_at(member);
  }
  /// Start and end of a node. If times are not stored, the node must not have ended.
  [[nodiscard]] NodeTimes& times_of(std::uint32_t rank, graph::NodeId node) {
    return pages == nullptr ? shared.times[shared.layout.index(rank, node)]
                            : pages->times(rank, node);
  }

 private:
  void set_up_nodes(const std::vector<const graph::Graph*>& graphs);
  void set_up_hosts();
  [[nodiscard]] std::int64_t exceeds_clock();
};

}  // namespace orrery::sim
