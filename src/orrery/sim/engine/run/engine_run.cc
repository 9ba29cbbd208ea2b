// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/run/engine_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::sim {

std::shared_ptr<CollectivePlanner> EngineRun::new_planner() const {
  struct OwnedPlanner {
    std::shared_ptr<SharedState> shared;
    CollectivePlanner planner;
  };
  const auto made = std::make_shared<OwnedPlanner>(
      OwnedPlanner{shared_owner, CollectivePlanner(platform, fabric, network, options.library,
                                                   options.closed_forms && policy.closed_forms)});
  return {made, &made->planner};
}

void EngineRun::set_up_graphs() {
  shared.graphs.clear();
  for (std::uint32_t rank = 0; rank < folded_workload.ranks(); ++rank)
    shared.graphs.push_back(&workload.graph(real(rank)));
}

void EngineRun::set_up_ranks(const CollectivePlanner& planner) {
  const std::uint32_t ranks = folded_workload.ranks();
  shared.local_events.resize(ranks);
  shared.states.resize(ranks);
  shared.results.resize(ranks);
  shared.gpu_time.assign(ranks, 0);
  shared.queues.resize(std::size_t{ranks} * planner.queue_count());
  shared.pointers.assign(ranks, planner.initial_pointers());
  shared.round_robin.assign(ranks, 0);
  shared.last_was_gather.assign(ranks, 0);
  if (!options.keep_times && !options.record) pages = std::make_unique<NodePages>();
  if (!pages) shared.arrivals.resize(communicators.all().size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    shared.states[rank].pending_nodes = graph_of(rank).size();
    if (pages) pages->add(graph_of(rank));
  }
  if (!pages) set_up_nodes(shared.graphs);
  if (!policy.knows_kernels || platform.replay_only || options.replay) return;
  set_up_hosts();
  const bool copies = platform.remote_memory.kind != platform::RemoteMemoryKind::none;
  if (options.library != nullptr || platform.device.in_step.overlap || copies)
    shared.kernel_interference.resize(folded_workload.ranks());
}

void EngineRun::set_up_nodes(const std::vector<const graph::Graph*>& graphs) {
  shared.layout.make(graphs);
  shared.times.resize(shared.layout.size());
  shared.waits.resize(shared.layout.size());
  for (std::uint32_t rank = 0; rank < graphs.size(); ++rank) {
    const RankNodes<std::uint32_t> waits = shared.waits_of(rank);
    const auto degrees = graphs[rank]->in_degrees();
    for (graph::NodeId node = 0; node < degrees.size(); ++node) waits[node] = degrees[node];
  }
}

// Creates hosts if some graph has launch times. (Recorded traces contain the work of their hosts.)
void EngineRun::set_up_hosts() {
  const bool any =
      std::any_of(workload.graphs.begin(), workload.graphs.end(), [](const graph::GraphRef& graph) {
        return graph->kernels() != nullptr && graph->kernels()->launch_times().is_set();
      });
  if (!any) return;
  shared.hosts.resize(folded_workload.ranks());
  for (std::uint32_t rank = 0; rank < folded_workload.ranks(); ++rank)
    shared.hosts[rank] = model::HostClock(shared.deviations.start(real(rank)).count());
}

void EngineRun::resume(const EngineRun& other) {
  ORRERY_CHECK(other.pages == nullptr && other.observer == nullptr);
  queue = other.queue;
  jobs = other.jobs;
  result.messages = other.result.messages;
  result.events = other.result.events;
  result.savings = other.result.savings;
  result.findings = other.result.findings;
  error = other.error;
  in_a_part = other.in_a_part;
  guarded = other.guarded;
  fold_failed = other.fold_failed;
  link_hints = other.link_hints;
  notes = other.notes;
}

Result<void> EngineRun::check_checkpoints() const {
  if (!options.checkpoints.are_used()) return {};
  const auto refuse = [](std::string why, std::string hint) {
    return orrery::fail(Errc::config_conflict, "--checkpoint, --resume",
                        fmt::format("this run cannot be saved: {}", why), std::move(hint));
  };
  if (options.record)
    return refuse("the recorded times of a run file or a web page are not in checkpoints",
                  "leave out -o, or write only the summary: -o FILE.json");
  if (!network.can_be_saved())
    return refuse("its network model does not support checkpoints",
                  "use another --network, or leave out the checkpoint");
  return {};
}

std::string EngineRun::place(std::uint32_t rank, graph::NodeId node) const {
  const graph::Graph& graph = graph_of(rank);
  const std::uint32_t number = real(rank);
  return fmt::format("{}: rank {}, node {} \"{}\"", workload.place(number), number, graph.id(node),
                     graph.name(node));
}

// Under Orrery rules, notes within a tick are ordered by rank and node.
void EngineRun::note(FindingCode code, std::uint32_t rank, graph::NodeId node) {
  result.findings.add(code, {}, weight(rank));
  std::vector<Note>& known = notes[code];
  const Note note{now(), rank, node};
  if (known.size() == Findings::kPlaces && (policy.first_come || !(note < known.back()))) return;
  known.insert(policy.first_come ? known.end() : std::upper_bound(known.begin(), known.end(), note),
               note);
  if (known.size() > Findings::kPlaces) known.pop_back();
}

void EngineRun::format_notes() {
  for (const auto& [code, known] : notes) {
    std::uint64_t predicted = 0;  // number of ranks that the notes represent
    for (const Note& note : known) {
      if (predicted < Findings::kPlaces) result.findings.add(code, place(note.rank, note.node), 0);
      predicted += weight(note.rank);
    }
  }
}

void EngineRun::fail(Error what) {
  if (!error) error = std::move(what);
}

void EngineRun::fail_at(std::uint32_t rank, graph::NodeId node, Error what) {
  what.where = place(rank, node) + ": " + what.where;
  fail(std::move(what));
}

std::int64_t EngineRun::exceeds_clock() {
  fail({Errc::config_range, "", "the simulated time exceeds 53 days",
        "check bandwidths, latencies, durations and sizes"});
  return now();
}

}  // namespace orrery::sim
