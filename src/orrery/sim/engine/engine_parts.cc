// SPDX-License-Identifier: Apache-2.0
//
// Runs the parts of a run in parallel. Each part has its own queue. In every round, each part runs
// up to the time before which no pending event of another part can affect it. Then the parts
// exchange the messages that they have sent. Source of the scheme: Nicol, "The cost of conservative
// synchronization in parallel discrete event simulations", J. ACM 40(2), 1993, section 2.
//
// Under Orrery rules, the order of events within a tick does not affect results, so that the order
// of parts does not either. One correction is necessary: when a part learns of a message, it
// corrects the times that it has accounted to the receiver while the message was in flight.
#include <algorithm>

#include "orrery/core/system/thread_pool.h"
#include "orrery/sim/engine/engine.h"

namespace orrery::sim {

namespace {

constexpr std::uint64_t kMinParallelEvents =
    100;  // events per window: below it, waking threads does not pay
constexpr std::uint64_t kProgressEveryWindows = 64;
constexpr std::uint64_t kProbationWindows = 512;  // windows after which parts must be efficient

}  // namespace

Engine::Engine(Engine& whole, std::uint32_t part)
    : run_(whole.run_.workload, whole.run_.platform, whole.run_.options, whole.run_.shared_owner),
      shared_planner_(run_.new_planner()),
      border_(PartBorder{run_.shared.parts, part, run_}) {
  queues_.set_starter(phases_);
  run_.in_a_part = true;
}

// Skipping repetitions requires one engine for all ranks, and saves more than threads do.
bool Engine::find_parts() {
  if (run_.options.threads < 2 || run_.options.checkpoints.are_used() || run_.options.record ||
      run_.options.replay || run_.options.max_events != 0 || run_.pages != nullptr ||
      repetition_skipper_.has_candidates())
    return false;
  run_.shared.parts = sim::find_parts(run_.workload, run_.platform, run_.network,
                                      run_.communicators, run_.folded_workload);
  return run_.shared.parts.count > 1;
}

Result<SimResult> Engine::run_parts() {
  std::vector<std::unique_ptr<Engine>> engines;
  for (std::uint32_t p = 0; p < run_.shared.parts.count; ++p)
    engines.push_back(std::make_unique<Engine>(*this, p));
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank)
    engines[run_.shared.parts.part_of[rank]]->nodes_.begin_rank(rank);
  const bool done = run_windows(engines);
  for (std::unique_ptr<Engine>& engine : engines) {
    absorb(*engine);
    engine.reset();
  }
  // Failures and stalls are reported from a run in one part.
  const bool one_part =
      run_.fold_failed.empty() && (!done || nodes_.finished() < run_.workload.rank_count());
  if (one_part) rerun_ = Rerun::in_one_part;
  if (one_part || !run_.fold_failed.empty()) return std::move(run_.result);
  run_.result.savings.parts = run_.shared.parts.count;
  return summarize();
}

// Returns false if the run failed, or if windows are too short to be efficient.
bool Engine::run_windows(std::span<const std::unique_ptr<Engine>> engines) {
  ThreadPool pool(std::min(run_.options.threads, run_.shared.parts.count));
  const ParallelParts& parts = run_.shared.parts;
  std::vector<std::int64_t> next(parts.count), ends(parts.count);
  std::vector<Engine*> due;
  std::uint64_t windows = 0, work_done = 0, recent = kMinParallelEvents;  // in the last window
  while (true) {
    for (std::uint32_t p = 0; p < parts.count; ++p) next[p] = engines[p]->window_.next;
    ends.assign(parts.count, EventQueue::kNever);
    for (std::uint32_t p = 0; p < parts.count; ++p) {
      for (std::uint32_t other = 0; other < parts.count && next[p] != EventQueue::kNever; ++other) {
        const std::int64_t ahead = parts.ahead(p, other);
        if (ahead < EventQueue::kNever - next[p])
          ends[other] = std::min(ends[other], next[p] + ahead);
      }
    }
    due.clear();
    // Every message sent before this time has been exchanged.
    const std::int64_t earliest = *std::min_element(next.begin(), next.end());
    for (std::uint32_t p = 0; p < parts.count; ++p) {
      if (next[p] >= ends[p]) continue;
      engines[p]->window_.end = ends[p];
      engines[p]->window_.known = earliest;
      due.push_back(engines[p].get());
    }
    if (due.empty()) return true;
    const auto work = [&](std::uint32_t i) { due[i]->run_window(); };
    if (recent < kMinParallelEvents) {
      for (std::uint32_t i = 0; i < due.size(); ++i) work(i);
    } else {
      pool.parallel_for(static_cast<std::uint32_t>(due.size()), work);
    }
    recent = 0;
    for (const Engine* engine : due) recent += engine->window_.work;
    work_done += recent;
    if (++windows == kProbationWindows && work_done < windows * kMinParallelEvents) return false;
    if (run_.options.progress && windows % kProgressEveryWindows == 0) report_progress(engines);
    for (Engine* engine : due) {
      if (engine->run_.error || !engine->run_.fold_failed.empty()) return false;
      for (const CrossPartMessage& abroad : engine->border_->outbox) {
        Engine& there = *engines[abroad.part];
        there.border_->inbox.push_back(abroad);
        there.window_.next = std::min(
            there.window_.next, abroad.sent < there.window_.done ? abroad.arrival : abroad.sent);
      }
      engine->border_->outbox.clear();
    }
  }
}

void Engine::report_progress(std::span<const std::unique_ptr<Engine>> engines) const {
  std::uint32_t finished = 0;
  std::uint64_t messages = 0;
  for (const auto& engine : engines) {
    finished += engine->nodes_.finished();
    messages += engine->run_.result.messages;
  }
  run_.options.progress(finished, messages);
}

void Engine::run_window() {
  receive_messages();
  window_.work = 0;
  Event event;
  while (!run_.error && run_.fold_failed.empty()) {
    while (!run_.queue.more_now() && !run_.error && (nodes_.settle() || queues_.settle())) {
    }
    if (!run_.queue.pop(event, window_.end)) break;
    ++run_.result.events;
    window_.work += event.count;
    dispatch(event);
  }
  window_.done = window_.end;
  window_.next = run_.queue.next_time();
}

// Takes in the messages that other parts have sent since this part last ran. Some were sent before
// the time that this part has reached.
void Engine::receive_messages() {
  for (const CrossPartMessage& abroad : border_->inbox)
    messages_.receive_message(abroad, window_.done);
  border_->inbox.clear();
  times_.forget_spans(window_.known);
}

void Engine::absorb(Engine& part) {
  part.collectives_.count_sent_so_far();
  add_predictions(part);
  run_.result.messages += part.run_.result.messages;
  run_.result.events += part.run_.result.events;
  run_.result.savings.phases_by_closed_form += part.run_.result.savings.phases_by_closed_form;
  run_.result.savings.phases_by_messages += part.run_.result.savings.phases_by_messages;
  run_.result.findings.merge(part.run_.result.findings);
  for (const auto& [code, noted] : part.run_.notes) {
    std::vector<Note>& notes = run_.notes[code];
    notes.insert(notes.end(), noted.begin(), noted.end());
    std::sort(notes.begin(), notes.end());
    if (notes.size() > Findings::kPlaces) notes.resize(Findings::kPlaces);
  }
  times_.absorb(part.times_);
  MessageState& own = messages_.state();
  const MessageState& theirs = part.messages_.state();
  for (const Mailboxes::Entry& entry : theirs.mailboxes.entries()) {
    if (entry.used && entry.box.arrived > 0)
      own.mailboxes.at(entry.key).arrived += entry.box.arrived;
  }
  own.first_senders.push_back(own.senders.size());
  own.senders.insert(own.senders.end(), theirs.senders.begin(), theirs.senders.end());
  nodes_.add_finished(part.nodes_.finished());
  if (run_.fold_failed.empty()) run_.fold_failed = part.run_.fold_failed;
}

}  // namespace orrery::sim
