// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "orrery/sim/memory_curve.h"

namespace orrery::sim {

using platform::NetworkModelKind;

namespace {
constexpr std::uint64_t kProgressEvery = 1 << 14;  // events
}

Result<SimResult> simulate(const graph::Workload& workload, const platform::Platform& platform,
                           const Options& options) {
  if (workload.rank_count() == 0) return fail(Errc::input_empty, "", "the workload has no ranks");
  if (platform.dims.empty() ||
      platform.npu_count() != static_cast<std::int64_t>(workload.rank_count())) {
    return fail(
        Errc::config_conflict, "",
        fmt::format("the workload has {} ranks and the network {} NPUs", workload.rank_count(),
                    platform.dims.empty() ? 0 : platform.npu_count()),
        "make the product of the dimension sizes equal to the number of trace files");
  }
  Options left = options;  // what can still be saved
  std::string not_folded;
  for (;;) {
    Engine engine(workload, platform, left);
    auto result = engine.run();
    if (engine.wants_one_part()) {
      left.threads = 1;
    } else if (!engine.fold_failed().empty()) {
      not_folded = engine.fold_failed();
      left.fold = false;
    } else if (engine.closed_forms_failed()) {
      left.closed_forms = false;
    } else {
      if (result && !not_folded.empty()) result->savings.not_folded = not_folded;
      return result;
    }
  }
}

Engine::Engine(const graph::Workload& workload, const platform::Platform& platform,
               const Options& options)
    : OnGround(std::make_shared<Ground>(platform)),
      workload_(workload),
      platform_(platform),
      options_(options),
      planner_(platform, fabric_),
      themis_(platform),
      remote_memory_(platform) {
  if (platform.network == NetworkModelKind::message) links_.emplace(platform);
}

std::string Engine::place(std::uint32_t rank, graph::NodeId node) const {
  const graph::Graph& graph = graph_of(rank);
  const std::uint32_t number = real(rank);
  const std::string file =
      number < workload_.files.size() ? workload_.files[number] : fmt::format("rank {}", number);
  return fmt::format("{}: rank {}, node {} \"{}\"", file, number, graph.id(node), graph.name(node));
}

// Under Orrery rules the order within a tick is that of ranks and nodes.
void Engine::note(FindingCode code, std::uint32_t rank, graph::NodeId node) {
  result_.findings.add(code, {}, weight(rank));
  std::vector<Note>& notes = notes_[code];
  const Note note{now(), rank, node};
  if (notes.size() == Findings::kPlaces && (astra() || !(note < notes.back()))) return;
  notes.insert(astra() ? notes.end() : std::upper_bound(notes.begin(), notes.end(), note), note);
  if (notes.size() > Findings::kPlaces) notes.pop_back();
}

void Engine::spell_out_notes() {
  for (const auto& [code, notes] : notes_) {
    std::uint64_t told = 0;  // of the ranks meant
    for (const Note& note : notes) {
      if (told < Findings::kPlaces) result_.findings.add(code, place(note.rank, note.node), 0);
      told += weight(note.rank);
    }
  }
}

void Engine::fail_run(Error error) {
  if (!error_) error_ = std::move(error);
}

std::int64_t Engine::after(std::int64_t delay) {
  if (delay < model::Fabric::kTooLong && now() < model::Fabric::kTooLong - delay)
    return now() + delay;
  fail_run({Errc::config_range, "", "the simulated time goes beyond 53 days",
            "check bandwidths, latencies, durations and sizes"});
  return now();
}

Result<void> Engine::set_up() {
  if (platform_.collectives.queues_per_dim < 1 || platform_.collectives.active_chunks < 1 ||
      platform_.collectives.queues_per_dim > 4096) {
    return fail(
        Errc::config_range, "",
        "queues per dimension must be 1 to 4096 and active chunks per dimension at least 1");
  }
  if (auto made = communicators_.make(workload_, platform_.rules); !made) return made;
  if (auto done = set_up_folding(); !done) return done;
  set_up_ranks();
  repeats_.set_up();
  return {};
}

void Engine::set_up_ranks() {
  const std::uint32_t ranks = result_.savings.representatives;
  ground_.agendas.resize(ranks);
  ground_.states.resize(ranks);
  ground_.seats.resize(ranks);
  ground_.gpu_time.assign(ranks, 0);
  ground_.queues.resize(std::size_t{ranks} * planner_.queue_count());
  ground_.pointers.assign(ranks, planner_.fresh_pointers());
  ground_.round_robin.assign(ranks, 0);
  ground_.last_was_gather.assign(ranks, 0);
  if (!options_.keep_times && !options_.record) ground_.pages.emplace();
  std::size_t nodes = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    RankState& state = ground_.states[rank];
    state.left = graph_of(rank).size();
    if (ground_.pages) {
      ground_.pages->add(graph_of(rank));
      continue;
    }
    ground_.first_times.push_back(nodes);
    nodes += graph_of(rank).size();
    const auto waits = graph_of(rank).in_degrees();
    state.waits.assign(waits.begin(), waits.end());
  }
  ground_.times.resize(nodes);
  look();
  if (options_.record)
    recorder_ = std::make_unique<Recorder>(workload_, fabric_, links_ ? &*links_ : nullptr,
                                           communicators_.all(), nodes, planner_.queue_count());
}

void Engine::take_up(std::uint32_t rank) {
  const auto waits = graph_of(rank).in_degrees();
  for (graph::NodeId node = 0; node < waits.size(); ++node) {
    if (waits[node] == 0) make_ready(rank, node);
  }
  graph_of(rank).release();
  releasing_ = graph::kNoNode;
  if (const Time late = deviations_.start(real(rank)); late > Time{}) {
    at(rank, late.count(), {.kind = LocalKind::begins});
  } else {
    wake(rank);
  }
}

Result<SimResult> Engine::run() {
  if (auto ok = set_up(); !ok) return tl::unexpected(ok.error());
  if (find_parts()) return run_parts();
  for (std::uint32_t rank = 0; rank < states_.size() && !error_; ++rank) take_up(rank);
  Event event;
  while (!error_ && fold_failed_.empty()) {
    while (!queue_.more_now() && !error_ && settle()) {
    }
    if (repeats_.due() && !queue_.more_now() && !error_) repeats_.tick_over();
    if (!queue_.pop(event)) {
      closed_forms_failed_ = gathered_ > 0 && finished_ < workload_.rank_count();
      if (closed_forms_failed_ || !rescue()) break;
      continue;
    }
    ++result_.events;
    if (result_.events % kProgressEvery == 0 && options_.progress) {
      options_.progress(finished_, result_.messages);
    }
    if (options_.max_events != 0 && result_.events > options_.max_events) {
      return fail(Errc::limit_exceeded, "",
                  fmt::format("more than {} events", options_.max_events));
    }
    dispatch(event);
  }
  if (folded_ && fold_failed_.empty() && (error_ || finished_ < workload_.rank_count()))
    doubt_folding();
  if (error_) return tl::unexpected(*error_);
  return summarise();
}

void Engine::dispatch(const Event& event) {
  switch (event.kind) {
    case EventKind::local:
      return run_agendas(event);
    case EventKind::phase_end:
      return phases_end(event);
    case EventKind::deliver:
      return deliver(event);
    case EventKind::late_receive:
      return deliver_late(event);
    case EventKind::tree_deliver:
      return tree_arrival(event);
    case EventKind::tree_late:
      return tree_late(event);
    case EventKind::ready_to_send:
      return announcement_arrives(event);
    case EventKind::ready_late:
      return send_payload(event.first);
    case EventKind::p2p_deliver:
      return p2p_arrival(event.first);
    case EventKind::p2p_sent:
      free_messages_.push_back(event.first);
      return endpoint_done(Endpoint(messages_[event.first].sender));
    case EventKind::p2p_leaves:
      return sent(messages_[event.first].key, now());
    case EventKind::p2p_came:
      free_messages_.push_back(event.first);
      return p2p_comes(P2pMessage(messages_[event.first]));
    case EventKind::p2p_late:
      return receive_done(event.first);
    case EventKind::p2p_ready:
      return p2p_ready(event);
    case EventKind::hop_arrival:
      return hop_arrival(event.first);
    case EventKind::link_idle:
      return link_idle(event.first);
  }
}

// Orrery rules always do; ASTRA rules when track-local-mem asks for it.
void Engine::track_memory(std::uint32_t rank) {
  if (pages_ != nullptr || (astra() && !platform_.track_local_memory)) return;
  const auto when = [&](graph::NodeId node) -> std::optional<std::pair<Time, Time>> {
    const NodeTimes& times = times_[first_times_[rank] + node];
    if (times.start < 0 || times.end < 0) return std::nullopt;
    return std::pair{Time(times.start), Time(times.end)};
  };
  if (const auto held = held_memory(graph_of(rank), when)) seats_[rank].peak_memory = held->peak;
}

namespace {

template <typename Weight>
void note_unmatched(const Mailboxes& mailboxes, const Weight& weight, Findings& findings) {
  std::vector<const Mailboxes::Entry*> left;
  for (const Mailboxes::Entry& entry : mailboxes.entries()) {
    if (entry.used && entry.box.arrived > 0) left.push_back(&entry);
  }
  const auto order = [](const Mailboxes::Entry* entry) {
    return std::tie(entry->key.src, entry->key.dst, entry->key.tag, entry->key.size);
  };
  std::sort(left.begin(), left.end(),
            [&](const auto* a, const auto* b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < left.size(); ++i) {
    const MessageKey& key = left[i]->key;
    const std::string where = i < Findings::kPlaces
                                  ? fmt::format("rank {} to rank {}, {} bytes, tag {}", key.src,
                                                key.dst, key.size, key.tag)
                                  : std::string();
    findings.add(FindingCode::unmatched_send, where, left[i]->box.arrived * weight(key.src));
  }
}

}  // namespace

SimResult Engine::summarise() {
  for (std::uint32_t rank = 0; rank < seats_.size(); ++rank) {
    RankResult& rank_result = seats_[rank];
    track_memory(rank);
    if (!rank_result.finish) continue;
    result_.end = std::max(result_.end, *rank_result.finish);
    // ASTRA rules: where nodes that overlap add up to more than there was, nothing was exposed.
    rank_result.exposed_comm = astra()
                                   ? std::max(Time{}, *rank_result.finish - Time(gpu_time_[rank]))
                                   : rank_result.comm_only;
  }
  count_sent_so_far();
  for (auto& [key, total] : totals_) {
    total.type = key.first;
    total.group_size = key.second;
    result_.collectives.push_back(total);
  }
  if (finished_ < workload_.rank_count()) result_.stall = stall_report();
  note_unmatched(
      mailboxes_,
      [&](std::uint32_t sender) {
        return folded_ ? weight(folding_.class_of[sender % fabric_.rank_count()]) : 1;
      },
      result_.findings);
  spell_out_notes();
  if (pages_ == nullptr) result_.chain = chain();
  result_.ranks = RankResults(
      std::move(seats_), folded_ ? std::move(folding_.class_of) : std::vector<std::uint32_t>());
  for (std::uint32_t rank = 0; recorder_ && !astra() && rank < states_.size(); ++rank)
    settle_releases(rank);
  if (recorder_) result_.recording = std::move(*recorder_).finish(std::move(ground_.times));
  return std::move(result_);
}

}  // namespace orrery::sim
