// SPDX-License-Identifier: Apache-2.0
//
// Future events inside a rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"

namespace orrery::sim {

/// Runs all local events of a rank at one time together, when the first of them is due. This is
/// ASTRA-sim's order, and results depend on it.
class LocalEvents {
 public:
  LocalEvents(EngineRun& run, const ChunkPool& chunks, FoldingGuard& guard)
      : run_(run), chunks_(chunks), guard_(guard) {}

  /// Schedules `event` for `rank` after `delay` picoseconds.
  void at(std::uint32_t rank, std::int64_t delay, const LocalEvent& event);

  /// Calls `act` with all events of the rank at the current time, in order. `act` can add events at
  /// the current time.
  template <class Act>
  void run(std::uint32_t rank, const Act& act) {
    RankEvents& agenda = run_.shared.local_events[rank];
    for (LocalEventList& list : agenda.lists) {
      if (list.time == run_.now())
        return run_list(
            rank, [&]() -> LocalEventList& { return list; }, act);
    }
    run_list(
        rank, [&]() -> LocalEventList& { return running_overflow(agenda); }, act);
  }

  /// All pending events of a rank with their times; callers can change them in place.
  [[nodiscard]] std::vector<std::pair<std::int64_t, LocalEvent*>> pending(std::uint32_t rank);
  /// Delays all pending events of a rank by `delay`.
  void shift(std::uint32_t rank, std::int64_t delay);

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, chunks, guard, pool, pool_free] = self;
    return std::tie(pool, pool_free);
  }
  /// Continues from the state of `other`.
  void resume(const LocalEvents& other) { fields(*this) = fields(other); }

 private:
  /// `running`: returns the list, after each act.
  template <class Running, class Act>
  void run_list(std::uint32_t rank, const Running& running, const Act& act) {
    LocalEventList& list = running();
    const LocalEvent first = list.first;
    list.first.kind = LocalEventKind::taken;  // append() must not merge events into it
    act(rank, first);
    std::uint32_t slot = running().head;
    while (slot != kNone) {
      const LocalEvent event = pool_[slot].event;
      pool_[slot].event.kind = LocalEventKind::taken;
      act(rank, event);
      const std::uint32_t next = pool_[slot].next;
      LocalEventList& current = running();
      current.head = next;
      if (next == kNone) current.tail = kNone;
      free(slot);
      slot = next;
    }
    running().time = -1;
  }

  // Overflow can move in memory while its events run, so that each access finds a list again by
  // time.
  [[nodiscard]] LocalEventList& running_overflow(RankEvents& agenda) {
    const std::int64_t time = run_.now();
    const auto found = std::find_if(agenda.overflow.begin(), agenda.overflow.end(),
                                    [&](const LocalEventList& list) { return list.time == time; });
    ORRERY_CHECK(found != agenda.overflow.end());
    return *found;
  }
  void append(LocalEventList& list, const LocalEvent& event);
  void add_slot();
  [[nodiscard]] std::uint16_t take_older(LocalEventList& list, const LocalEvent& event);
  void free(std::uint32_t slot) {
    pool_[slot].next = pool_free_;
    pool_free_ = slot;
  }

  EngineRun& run_;
  const ChunkPool& chunks_;
  FoldingGuard& guard_;
  std::vector<PooledLocalEvent> pool_;
  std::uint32_t pool_free_ = kNone;
};

}  // namespace orrery::sim
