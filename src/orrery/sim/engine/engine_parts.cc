// SPDX-License-Identifier: Apache-2.0
//
// Parts of a run side by side. Each has a queue of its own. In every round each runs up to the time
// before which nothing that another has to do can have an effect on it, then they hand over what
// they have sent. Source of the scheme: Nicol, "The cost of conservative synchronization in
// parallel discrete event simulations", J. ACM 40(2), 1993, section 2.
//
// Under Orrery rules the order of events within a tick cannot be seen, so nothing tells which part
// was first; only what a rank is said to have done while a message was on its way to it has to be
// corrected when the part learns of that message.
#include <algorithm>
#include <limits>

#include "orrery/core/system/thread_pool.h"
#include "orrery/sim/engine/engine.h"

namespace orrery::sim {

namespace {

constexpr std::uint64_t kLittle = 100;    // events of ranks in a window: waking others takes longer
constexpr std::uint64_t kTellEvery = 64;  // windows
constexpr std::uint64_t kProbation = 512;  // windows, after which parts must have paid

}  // namespace

Engine::Engine(Engine& whole, std::uint32_t part)
    : run_(whole.run_.workload, whole.run_.platform, whole.run_.options, whole.run_.shared_owner),
      shared_planner_(run_.new_planner()),
      border_(PartBorder{run_.shared.parts, part, run_}) {
  queues_.run_by(phases_);
  run_.in_a_part = true;
}

// What repeats is skipped when one engine sees all of it, which saves more than threads do.
bool Engine::find_parts() {
  if (run_.options.threads < 2 || run_.options.record || run_.options.replay ||
      run_.options.max_events != 0 || run_.pages != nullptr || repetition_skipper_.has_candidates())
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
  // What went wrong, or cannot finish, is told of as one part sees it.
  const bool one_part =
      run_.fold_failed.empty() && (!done || nodes_.finished() < run_.workload.rank_count());
  if (one_part) rerun_ = Rerun::in_one_part;
  if (one_part || !run_.fold_failed.empty()) return std::move(run_.result);
  run_.result.savings.parts = run_.shared.parts.count;
  return summarise();
}

// False: it went wrong, or windows are too short to be worth it.
bool Engine::run_windows(std::span<const std::unique_ptr<Engine>> engines) {
  ThreadPool pool(std::min(run_.options.threads, run_.shared.parts.count));
  const ParallelParts& parts = run_.shared.parts;
  std::vector<std::int64_t> next(parts.count), ends(parts.count);
  std::vector<Engine*> due;
  std::uint64_t windows = 0, work_done = 0, recent = kLittle;  // in the last window
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
    // Every message that was sent before it has been handed over.
    const std::int64_t earliest = *std::min_element(next.begin(), next.end());
    for (std::uint32_t p = 0; p < parts.count; ++p) {
      if (next[p] >= ends[p]) continue;
      engines[p]->window_.end = ends[p];
      engines[p]->window_.known = earliest;
      due.push_back(engines[p].get());
    }
    if (due.empty()) return true;
    const auto work = [&](std::uint32_t i) { due[i]->run_window(); };
    if (recent < kLittle) {
      for (std::uint32_t i = 0; i < due.size(); ++i) work(i);
    } else {
      pool.share(static_cast<std::uint32_t>(due.size()), work);
    }
    recent = 0;
    for (const Engine* engine : due) recent += engine->window_.work;
    work_done += recent;
    if (++windows == kProbation && work_done < windows * kLittle) return false;
    if (run_.options.progress && windows % kTellEvery == 0) tell(engines);
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

void Engine::tell(std::span<const std::unique_ptr<Engine>> engines) const {
  std::uint32_t finished = 0;
  std::uint64_t messages = 0;
  for (const auto& engine : engines) {
    finished += engine->nodes_.finished();
    messages += engine->run_.result.messages;
  }
  run_.options.progress(finished, messages);
}

void Engine::run_window() {
  take_in();
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

// What other parts have sent since this one last ran, some of it before the time up to which it has
// run.
void Engine::take_in() {
  for (const CrossPartMessage& abroad : border_->inbox) messages_.take_in(abroad, window_.done);
  border_->inbox.clear();
  times_.forget_spans(window_.known);
}

void Engine::absorb(Engine& part) {
  part.collectives_.count_sent_so_far();
  const std::vector<PredictedCollective> predicted = part.planner_.predicted();
  run_.result.predicted.insert(run_.result.predicted.end(), predicted.begin(), predicted.end());
  const std::vector<ChunkChoice> choices = part.collectives_.choices();
  run_.result.chunk_choices.insert(run_.result.chunk_choices.end(), choices.begin(), choices.end());
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
