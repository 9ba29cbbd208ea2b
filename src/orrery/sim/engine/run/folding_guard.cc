// SPDX-License-Identifier: Apache-2.0
//
// Events of a rank are processed in the order in which they were queued. If they were queued in
// different ticks, or by the same rank, the order is the same for all equivalent ranks. If two
// ranks queued them in one tick, rank numbers decide the order. The guard detects this case, and
// the run is repeated with every rank.
#include "orrery/sim/engine/run/folding_guard.h"

#include <algorithm>

#include "orrery/sim/collectives/plans/tree_slots.h"

namespace orrery::sim {

namespace {
constexpr std::uint64_t kSeveral = ~std::uint64_t{0};
}  // namespace

// `origin` causes an event of `rank` at `time`. Messages of one step of one phase can arrive in any
// order, because they are only counted.
void FoldingGuard::expect(std::uint32_t rank, std::int64_t time, std::uint64_t origin,
                          std::uint64_t phase) {
  if (!run_.guarded || !run_.fold_failed.empty()) return;
  std::vector<Expected>& list = expected_[rank];
  std::erase_if(list, [&](const Expected& one) { return one.time < run_.now(); });
  bool known = false;
  for (Expected& one : list) {
    if (one.time != time || one.queued != run_.now()) continue;
    if (phase != 0 && one.phase == phase) {
      if (one.origin != origin) one.origin = kSeveral;
      known = true;
    } else if (one.origin == origin && origin != kSeveral) {
      known = known || one.phase == phase;
    } else {
      run_.fold_failed = "the order in which ranks meet depends on their numbers";
      return;
    }
  }
  if (!known) list.push_back({time, run_.now(), origin, phase});
}

void FoldingGuard::set_up() {
  if (run_.guarded) expected_.resize(run_.folded_workload.ranks());
}

void FoldingGuard::expect_message(const Event& arrival, std::uint32_t communicator,
                                  std::uint32_t to, std::uint32_t key) {
  if (!run_.guarded) return;
  const Communicator& group = run_.communicators[communicator];
  const Representative receiver = group.representative_at(group.representative(to));
  const std::uint32_t sender = sender_of(planner_.spec(arrival.spec), receiver.member, key);
  expect(receiver.rank, arrival.time, (std::uint64_t{communicator} + 1) << 32 | sender,
         (std::uint64_t{arrival.block} + 1) << 32 | arrival.spec);
}

void FoldingGuard::expect_message(const Endpoint& who, const MessageKey& key, std::int64_t time) {
  if (!run_.guarded) return;
  expect_local(who.rank, time);
  expect(run_.folded_workload.rank_for(key.dst), time, std::uint64_t{1} << 63 | key.src, 0);
}

}  // namespace orrery::sim
