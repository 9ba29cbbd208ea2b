// SPDX-License-Identifier: Apache-2.0
//
// What ranks do by themselves, later.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"

namespace orrery::sim {

/// All local events of a rank at one time run together, when the first of them is due: that is the
/// order ASTRA-sim keeps, and it can be seen in the results.
class LocalEvents {
 public:
  LocalEvents(EngineRun& run, const ChunkPool& chunks, FoldingGuard& guard)
      : run_(run), chunks_(chunks), guard_(guard) {}

  /// `event` happens to `rank` after `delay`.
  void at(std::uint32_t rank, std::int64_t delay, const LocalEvent& event);

  /// Calls `act` with all that happens to the rank now, in order; more of now may come meanwhile.
  template <class Act>
  void run(std::uint32_t rank, const Act& act) {
    LocalEventList& list = running(rank);
    const LocalEvent first = list.first;
    list.first.kind = LocalEventKind::taken;  // nothing merges into it any more
    act(rank, first);
    std::uint32_t slot = running(rank).head;
    while (slot != kNone) {
      const LocalEvent event = pool_[slot].event;
      pool_[slot].event.kind = LocalEventKind::taken;
      act(rank, event);
      const std::uint32_t next = pool_[slot].next;
      LocalEventList& current = running(rank);
      current.head = next;
      if (next == kNone) current.tail = kNone;
      free(slot);
      slot = next;
    }
    running(rank).time = -1;
  }

  /// All that is pending at a rank, with its time, to be changed in place.
  [[nodiscard]] std::vector<std::pair<std::int64_t, LocalEvent*>> pending(std::uint32_t rank);
  /// Moves all that is pending at a rank on by `delay`.
  void shift(std::uint32_t rank, std::int64_t delay);

  /// Goes on from where another has come to.
  void resume(const LocalEvents& other) {
    pool_ = other.pool_;
    pool_free_ = other.pool_free_;
  }

 private:
  // Lists may move while their events run (overflow grows), so they are found again by time.
  [[nodiscard]] LocalEventList& running(std::uint32_t rank) {
    RankEvents& agenda = run_.shared.local_events[rank];
    const std::int64_t time = run_.now();
    for (LocalEventList& list : agenda.lists) {
      if (list.time == time) return list;
    }
    for (LocalEventList& list : agenda.overflow) {
      if (list.time == time) return list;
    }
    ORRERY_CHECK(false);
    return agenda.lists[0];
  }
  void append(LocalEventList& list, LocalEvent event);
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
