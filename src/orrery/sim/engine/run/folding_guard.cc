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

// A phase, for expect(): not 0.
std::uint64_t phase_of(const Event& arrival) {
  return (std::uint64_t{arrival.block} + 1) << 32 | arrival.spec;
}

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
  contended_ = !run_.network.traits().uncontended;
}

void FoldingGuard::expect_message(const Event& arrival, std::uint32_t communicator,
                                  std::uint32_t to, std::uint32_t key) {
  if (!run_.guarded || contended_) return;
  const Communicator& group = run_.communicators[communicator];
  const Representative receiver = group.representative_at(group.representative(to));
  const std::uint32_t sender = sender_of(planner_.spec(arrival.spec), receiver.member, key);
  expect(receiver.rank, arrival.time, (std::uint64_t{communicator} + 1) << 32 | sender,
         phase_of(arrival));
}

void FoldingGuard::expect_message(const Endpoint& who, const MessageKey& key, std::int64_t time) {
  const bool on_links = contended_ && key.src % run_.fabric.rank_count() != key.dst;
  if (!run_.guarded || on_links) return;
  expect_local(who.rank, time);
  expect(run_.folded_workload.rank_for(key.dst), time, std::uint64_t{1} << 63 | key.src, 0);
}

// The link sends one message after another: messages of one sender over it have one origin. The
// sender of a point-to-point message is done when the message arrives. That is another origin,
// because a message to the sender at the same time crosses another link, even if equivalent.
void FoldingGuard::expect_arrival(const model::Send& message, const Event& arrival,
                                  std::int64_t time, std::uint32_t link) {
  if (!run_.guarded) return;
  const std::uint64_t origin =
      std::uint64_t{1} << 62 | std::uint64_t{link & 0x1fff'ffffu} << 32 | message.from;
  const bool of_phase =
      arrival.kind == EventKind::deliver || arrival.kind == EventKind::tree_deliver;
  expect(run_.folded_workload.rank_for(message.to), time, origin, of_phase ? phase_of(arrival) : 0);
  if (of_phase) return;
  expect(run_.folded_workload.rank_for(message.from), time, origin | std::uint64_t{1} << 61, 0);
}

}  // namespace orrery::sim
