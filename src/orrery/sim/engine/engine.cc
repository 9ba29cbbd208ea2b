// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/model/collective/library/library_machine.h"
#include "orrery/network/fabric_routes.h"
#include "orrery/sim/collectives/plans/nearest_form.h"
#include "orrery/sim/cost/simulation_cost.h"
#include "orrery/sim/cost/work_counter.h"

namespace orrery::sim {

using graph::CollectiveType;

Result<SimResult> simulate(const graph::Workload& workload, const platform::Platform& platform,
                           const Options& options) {
  if (workload.rank_count() == 0) return fail(Errc::input_empty, "", "the workload has no ranks");
  if (platform.dims.empty() ||
      platform.npu_count() != static_cast<std::int64_t>(workload.rank_count())) {
    return fail(
        Errc::config_conflict, "",
        fmt::format("the workload has {} ranks, but the network has {} NPUs", workload.rank_count(),
                    platform.dims.empty() ? 0 : platform.npu_count()),
        "the product of the dimension sizes must equal the number of trace files");
  }
  Options remaining = options;  // shortcuts that are still enabled
  if (remaining.library == nullptr) {
    auto library = model::make_library_times(platform);
    if (!library) return tl::unexpected(std::move(library.error()));
    remaining.library = *std::move(library);
  }
  FoldingAttempts attempts;
  CheckpointIdentity identity;
  if (options.checkpoints.are_used()) identity = checkpoint_identity(workload, options);
  std::optional<CheckpointContent> checkpoint;
  if (!options.checkpoints.resume.empty()) {
    auto read = read_checkpoint(options.checkpoints.resume, identity);
    if (!read) return tl::unexpected(std::move(read.error()));
    checkpoint = *std::move(read);
    remaining.fold = checkpoint->attempt.fold;
    remaining.closed_forms = checkpoint->attempt.closed_forms;
    attempts = checkpoint->attempt.folding;
  }
  for (;;) {
    Engine engine(workload, platform, remaining, attempts.hints);
    auto result = engine.run({identity, {remaining.fold, remaining.closed_forms, attempts}},
                             checkpoint ? &*checkpoint : nullptr);
    checkpoint.reset();
    switch (engine.rerun_reason()) {
      case Engine::Rerun::no:
        if (result && !engine.state().folded_workload.is_folded())
          attempts.explain(result->savings);
        return result;
      case Engine::Rerun::every_rank:
        remaining.fold =
            attempts.add_failed(engine.state().fold_failed, engine.state().folded_workload.ranks(),
                                engine.state().link_hints);
        break;
      case Engine::Rerun::by_messages:
        remaining.closed_forms = false;
        break;
      case Engine::Rerun::in_one_part:
        remaining.threads = 1;
        break;
    }
  }
}

Engine::Engine(const graph::Workload& workload, const platform::Platform& platform,
               const Options& options, LinkHints hints)
    : run_(workload, platform, options, std::make_shared<SharedState>(platform, options)),
      hints_(std::move(hints)),
      shared_planner_(run_.new_planner()) {
  queues_.set_starter(phases_);
}

Result<void> Engine::set_up() {
  if (run_.network.end_points().ranks != run_.workload.rank_count()) {
    return fail(Errc::config_conflict, "",
                fmt::format("the workload has {} ranks, but the network has end points for {}",
                            run_.workload.rank_count(), run_.network.end_points().ranks));
  }
  if (run_.platform.collectives.queues_per_dim < 1 || run_.platform.collectives.active_chunks < 1 ||
      run_.platform.collectives.queues_per_dim > 4096) {
    return fail(
        Errc::config_range, "",
        "queues per dimension must be 1 to 4096 and active chunks per dimension at least 1");
  }
  if (auto made = run_.communicators.make(run_.workload, run_.platform.rules); !made) return made;
  if (auto done = set_up_folding(); !done) return done;
  run_.set_up_graphs();
  if (auto fits = estimate_resources(); !fits) return fits;
  run_.set_up_ranks(planner_);
  set_up_jobs();
  if (run_.options.record) {
    recording_.emplace(run_, planner_, chunks_, transport_, collectives_.operations());
    run_.observer = &*recording_;
    device_work_.record_transfers();
  }
  repetition_skipper_.set_up();
  return {};
}

// Before anything is allocated in proportion to the work.
Result<void> Engine::estimate_resources() {
  run_.result.estimate = estimate_simulation(run_, count_work(run_));
  auto reserved = reserve_memory(run_, run_.result.estimate);
  if (!reserved) return tl::unexpected(std::move(reserved.error()));
  reserved_memory_ = *std::move(reserved);
  if (run_.options.estimated) run_.options.estimated(run_.result.estimate);
  return check_cpu_time(run_, run_.result.estimate);
}

Engine::Engine(const Engine& other)
    : P2pMessages::CompletionObserver(),
      Nodes::Executor(),
      CollectiveObserver(),
      run_(other.run_.workload, other.run_.platform, other.run_.options,
           std::make_shared<SharedState>(*other.run_.shared_owner)),
      rerun_(other.rerun_),
      shared_planner_(other.shared_planner_) {
  ORRERY_CHECK(!other.border_ && !other.recording_);
  queues_.set_starter(phases_);
  run_.resume(other.run_);
  guard_.resume(other.guard_);
  chunks_.resume(other.chunks_);
  local_events_.resume(other.local_events_);
  transport_.resume(other.transport_);
  times_.resume(other.times_);
  messages_.resume(other.messages_);
  nodes_.resume(other.nodes_);
  device_work_.resume(other.device_work_);
  custom_collectives_.resume(other.custom_collectives_);
  recorded_collectives_.resume(other.recorded_collectives_);
  queues_.resume(other.queues_);
  collectives_.resume(other.collectives_);
  phases_.resume(other.phases_);
  repetition_skipper_.resume(other.repetition_skipper_);
}

Result<SimResult> Engine::run(CheckpointHeader header, const CheckpointContent* from) {
  if (auto ok = set_up(); !ok) return tl::unexpected(ok.error());
  if (auto ok = run_.check_checkpoints(); !ok) return tl::unexpected(ok.error());
  if (find_parts()) return run_parts();
  if (from != nullptr) {
    StateReader reader(from->state_bytes());
    if (!load(reader)) return tl::unexpected(damaged_checkpoint(run_.options.checkpoints.resume));
  } else {
    begin_ranks();
  }
  checkpointer_.begin(std::move(header), run_.now());
  advance(std::numeric_limits<std::uint64_t>::max());
  return finish();
}

Result<void> Engine::start() {
  auto ok = set_up();
  if (ok) begin_ranks();
  return ok;
}

void Engine::begin_ranks() {
  for (std::uint32_t rank = 0; rank < run_.shared.states.size() && !run_.error; ++rank) {
    run_.jobs.set_current(rank);
    nodes_.begin_rank(rank);
  }
}

bool Engine::advance(std::uint64_t events) {
  Event event;
  const auto approach = [this, prefetches = run_.prefetches()](const Event& near,
                                                               std::size_t before) {
    if (prefetches) messages_.prefetch(near, before);
  };
  while (!run_.error && run_.fold_failed.empty()) {
    while (!run_.queue.more_now() && !run_.error &&
           (nodes_.settle() || queues_.settle() || phases_.settle() || transport_.settle() ||
            device_work_.settle() || break_deadlocks())) {
    }
    if (rerun_ == Rerun::by_messages) return false;
    if (repetition_skipper_.is_due() && !run_.queue.more_now() && !run_.error)
      repetition_skipper_.end_tick();
    if (events-- == 0) return true;
    const std::int64_t wanted =
        std::min({transport_.next(), device_work_.next(), checkpointer_.next()});
    if (!run_.queue.pop(event, wanted, approach)) {
      if (wanted != EventQueue::kNever && wanted == checkpointer_.next()) {
        if (run_.error || !run_.fold_failed.empty()) break;
        const auto done = checkpointer_.write([this](StateWriter& to) { save(to); });
        if (!done) run_.fail(done.error());
        continue;
      }
      if (wanted != EventQueue::kNever) {
        run_until(wanted);
        continue;
      }
      if (phases_.waiting() > 0 && nodes_.finished() < run_.workload.rank_count()) {
        rerun_ = Rerun::by_messages;
        return false;
      }
      if (!queues_.break_deadlock()) return false;
      continue;
    }
    run_.jobs.count_processed(event);
    ++run_.result.events;
    if (run_.result.events >= run_.next_poll) {
      run_.next_poll = run_.result.events + EngineRun::kPollEvery;
      if (run_.options.progress) run_.options.progress(nodes_.finished(), run_.result.messages);
      checkpointer_.poll(run_.now());
    }
    if (run_.options.max_events != 0 && run_.result.events > run_.options.max_events) {
      run_.fail({Errc::limit_exceeded, "",
                 fmt::format("more than {} events", run_.options.max_events), ""});
      return false;
    }
    dispatch(event);
  }
  return false;
}

/// Separates jobs if each job waits only for its own work: not if jobs share a memory or switches,
/// or if the order in which work begins affects the result.
void Engine::set_up_jobs() {
  if (run_.policy.first_come || run_.in_a_part ||
      run_.platform.remote_memory.kind != platform::RemoteMemoryKind::none ||
      model::reducer_count(run_.platform) > 0)
    return;
  run_.jobs.set_up(run_.workload, run_.folded_workload);
}

/// At the end of a tick: continues jobs with chunks that wait for each other, as if each job ran
/// alone. Returns false if there are none.
bool Engine::break_deadlocks() {
  if (!run_.jobs.has_several()) return false;
  bool moved = false;
  for (const std::uint16_t job : run_.jobs.take_stalled()) {
    if (!queues_.has_waiting(job)) continue;
    if (phases_.waiting() > 0) {
      rerun_ = Rerun::by_messages;
      return false;
    }
    moved |= queues_.break_deadlock_of_job(job);
  }
  return moved;
}

/// Advances to `time`, when the network or the memory needs processing; no event is pending before.
void Engine::run_until(std::int64_t time) {
  ++run_.result.events;
  if (time >= model::MultiDimFabric::kTooLong)
    return (void)run_.after(model::MultiDimFabric::kTooLong);
  run_.queue.advance_to(time);
  if (transport_.next() <= time) transport_.advance();
  if (device_work_.next() > time) return;
  for (const auto& ended : device_work_.take_finished())
    nodes_.complete(ended.access.rank, ended.access.node);
}

Result<SimResult> Engine::finish() {
  if (rerun_ == Rerun::by_messages) return std::move(run_.result);
  if (run_.error && run_.error->code == Errc::limit_exceeded) return tl::unexpected(*run_.error);
  if (run_.folded_workload.is_folded() && run_.fold_failed.empty() &&
      (run_.error || nodes_.finished() < run_.workload.rank_count()))
    check_folding();
  if (!run_.fold_failed.empty()) return std::move(run_.result);
  if (run_.error) return tl::unexpected(*run_.error);
  return summarize();
}

void Engine::dispatch(const Event& event) {
  switch (event.kind) {
    case EventKind::local:
      return phases_.run_local_events(
          event, [this](std::uint32_t rank, const LocalEvent& local) { run_local(rank, local); });
    case EventKind::phase_end:
    case EventKind::deliver:
    case EventKind::late_receive:
    case EventKind::tree_deliver:
    case EventKind::tree_late:
    case EventKind::switch_deliver:
    case EventKind::switch_free:
    case EventKind::ready_to_send:
    case EventKind::ready_late:
      return phases_.handle(event);
    case EventKind::p2p_deliver:
    case EventKind::p2p_sent:
    case EventKind::p2p_leaves:
    case EventKind::p2p_arrives:
    case EventKind::p2p_late:
    case EventKind::p2p_ready:
    case EventKind::p2p_matched:
      return messages_.handle(event);
    case EventKind::memory_message:
      return device_work_.network_memory().handle(event);
    case EventKind::network:
      if (const auto arrival = transport_.handle(event)) {
        run_.jobs.count_processed(*arrival);
        dispatch(*arrival);
      }
      return;
  }
}

void Engine::run_local(std::uint32_t rank, const LocalEvent& event) {
  switch (event.kind) {
    case LocalEventKind::taken:
      return;
    case LocalEventKind::inserted:
    case LocalEventKind::freed:
      return phases_.on_packets_free(chunks_.at(event.stream), event.repeat);
    case LocalEventKind::inserted_sum:
      return phases_.reduce(rank, event);
    case LocalEventKind::node_done:
      nodes_.complete(rank, event.arg);
      return;
    case LocalEventKind::kernel_done:
      if (interference_.finish(rank, event.arg)) nodes_.complete(rank, event.arg);
      return;
    case LocalEventKind::node_ready:
      return nodes_.becomes_ready(rank, event.arg);
    case LocalEventKind::node_launched:
      return nodes_.launched(rank, event.arg);
    case LocalEventKind::memory_done:
      device_work_.access_ends(rank);
      nodes_.complete(rank, event.arg);
      return;
    case LocalEventKind::custom_done:
      custom_collectives_.complete(event.arg, static_cast<graph::NodeId>(event.node));
      return;
    case LocalEventKind::begins:
      return nodes_.wake(rank);
    case LocalEventKind::bus:
      return phases_.bus_expires(rank, event.arg);
  }
}

void Engine::prefetch(std::uint32_t rank, graph::NodeId node) {
  const graph::NodeKind kind = run_.graph_of(rank).kind(node);
  if (kind == graph::NodeKind::send || kind == graph::NodeKind::recv)
    messages_.prefetch_mailbox(rank, node);
}

void Engine::on_message_end(const Endpoint& who) {
  if (who.custom != kNone) return custom_collectives_.complete(who.custom, who.node);
  nodes_.complete(who.rank, who.node);
}

void Engine::on_collective_end(std::uint32_t rank, graph::NodeId node) {
  nodes_.complete(rank, node);
}

void Engine::begin(std::uint32_t rank, graph::NodeId node) {
  if (run_.platform.replay_only) return device_work_.replay(rank, node);
  if (run_.options.replay && recorded_collectives_.waits_for_others(rank, node))
    return recorded_collectives_.arrive(rank, node);
  switch (const graph::NodeKind kind = run_.graph_of(rank).kind(node)) {
    case graph::NodeKind::comp:
      if (!device_work_.compute(rank, node)) nodes_.skip(rank, node);
      return;
    case graph::NodeKind::coll:
      return start_collective(rank, node);
    case graph::NodeKind::mem_load:
    case graph::NodeKind::mem_store:
      return device_work_.access(rank, node);
    case graph::NodeKind::send:
    case graph::NodeKind::recv: {
      const auto key = messages_.key(rank, node);
      if (!key) return;
      if (kind == graph::NodeKind::send) return messages_.send({rank, node}, *key);
      return messages_.receive({rank, node}, *key);
    }
    case graph::NodeKind::invalid:
    case graph::NodeKind::metadata:
      return;  // never started
  }
}

// Collectives whose ranks do not wait for each other have no group in a recording of classes.
void Engine::refuse_folded_recording() {
  if (recording_ && run_.folded_workload.is_folded())
    run_.fold_failed = "collectives that do not wait for all ranks are recorded";
}

void Engine::start_collective(std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const graph::Collective& collective = graph.collective(node);
  if (run_.policy.nearest_form && nodes_.takes_recorded_time(rank, node)) {
    run_.note(FindingCode::collective_replayed, rank, node);
    refuse_folded_recording();
    const Time taken = run_.shared.deviations.communication(run_.real(rank), graph.duration(node));
    return local_events_.at(rank, taken.count(), {.arg = node, .kind = LocalEventKind::node_done});
  }
  if (!graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize)) {
    return run_.fail({Errc::input_missing_attr, run_.place(rank, node),
                      "a collective lacks comm_type or comm_size", ""});
  }
  if (const std::string* algorithm = custom_collectives_.algorithm(rank, node, collective.type)) {
    const auto communicator = collectives_.communicator_of(rank, node);
    if (!communicator) return;
    if (!custom_collectives_.lacks_rings(*algorithm, collective.type, *communicator))
      return custom_collectives_.begin(rank, node, *communicator, *algorithm);
  }
  const auto size = collective.size.count();
  const auto members = [&]() -> std::int64_t {
    const auto communicator = collectives_.communicator_of(rank, node);
    return communicator ? run_.communicators[*communicator].members : 1;
  };
  if (run_.platform.collectives.plan(collective.type) != nullptr) {
    return collectives_.begin(rank, node, collective.type, size);
  }
  if (!run_.policy.nearest_form && collective.type == CollectiveType::broadcast) {
    run_.note(FindingCode::collective_without_traffic, rank, node);
    refuse_folded_recording();
    const std::int64_t recorded = graph.duration(node).count();
    return local_events_.at(rank, recorded > 0 ? recorded : run_.policy.shortest.count(),
                            {.arg = node, .kind = LocalEventKind::node_done});
  }
  if (!run_.policy.nearest_form || collective.type == CollectiveType::unknown) {
    return run_.fail(
        {Errc::input_unsupported, run_.place(rank, node),
         fmt::format("collective type {} cannot be simulated", graph::name(collective.type)), ""});
  }
  run_.note(FindingCode::collective_approximated, rank, node);
  const auto [type, form_size] = nearest_form(collective.type, size, members());
  if (!run_.error) collectives_.begin(rank, node, type, form_size);
}

// Folding: setup, and the check if the run fails.

Result<void> Engine::set_up_folding() {
  auto unrecorded =
      unrecorded_representatives(run_.workload, run_.platform, run_.fabric, run_.network,
                                 run_.options, run_.communicators, planner_);
  if (!unrecorded) return tl::unexpected(unrecorded.error());
  run_.result.savings.unrecorded_representatives = *unrecorded;
  Savings why_not;
  const bool reports_links = run_.options.record && !run_.network.traits().uncontended;
  if (hints_.compare || (reports_links && !run_.network.knows_equivalent_links()))
    run_.network.compare_links();
  auto folded_workload = fold_workload(run_.workload, run_.platform, run_.fabric, run_.network,
                                       run_.options, hints_, run_.communicators, planner_, why_not);
  if (!folded_workload) return tl::unexpected(folded_workload.error());
  run_.shared.folded_workload = std::move(*folded_workload);
  run_.result.savings.representatives = run_.folded_workload.ranks();
  if (run_.options.fold) {
    run_.result.savings.unfolded_reason = std::move(why_not.unfolded_reason);
    run_.result.savings.inexact_representatives = why_not.inexact_representatives;
  }
  if (!run_.folded_workload.is_folded()) return {};
  if (!run_.network.traits().uncontended)
    run_.network.fold(run_.folded_workload.class_of(), run_.folded_workload.weights(),
                      run_.folded_workload.links());
  run_.guarded = run_.policy.first_come;
  guard_.set_up();
  return {};
}

// Stalls and failures are reported only from a run of all ranks.
void Engine::check_folding() {
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank)
    nodes += std::uint64_t{run_.weight(rank)} * run_.graph_of(rank).size();
  if (nodes <= run_.options.max_repeated_nodes) {
    run_.fold_failed = "the job cannot finish";
    return;
  }
  const auto stuck = std::find_if(run_.shared.states.begin(), run_.shared.states.end(),
                                  [](const RankState& state) { return !state.finished; });
  if (run_.error || stuck == run_.shared.states.end()) return;
  run_.fail(
      {Errc::limit_exceeded,
       fmt::format("rank {}",
                   run_.real(static_cast<std::uint32_t>(stuck - run_.shared.states.begin()))),
       fmt::format("it seems that this rank and its equivalent ranks cannot finish. To confirm "
                   "this and find the reason, all {} nodes must be simulated, which takes long",
                   nodes),
       "simulate every rank with --fold off"});
}

std::int64_t Engine::launch(std::uint32_t rank, graph::NodeId node) {
  return host_launches_.launch(rank, node);
}

void Engine::end_launches(std::uint32_t rank, graph::NodeId node) {
  host_launches_.end(rank, node);
}

}  // namespace orrery::sim
