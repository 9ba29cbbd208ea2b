// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/ranks/local_events.h"

namespace orrery::sim {

namespace {

template <class Act>
void each_list(RankEvents& events, const Act& act) {
  for (LocalEventList& list : events.lists) act(list);
  for (LocalEventList& list : events.overflow) act(list);
}

constexpr int kLookedAt = 8;  // events of a list that are checked for merging

// For a stream with nothing left to send, packets only count: only the position of the last one
// matters.
bool only_counts(const LocalEvent& event, const ChunkPool& chunks) {
  if (event.stream.none()) return false;
  const Stream& stream = chunks.at(event.stream);
  if (stream.steps_left != 0 || stream.spec == nullptr) return false;
  return stream.spec->peers == model::Peers::each;
}

}  // namespace

// Removes an older event that equals `event` and is among the first few of the list, which has at
// least two. Returns its count, or 0.
std::uint16_t LocalEvents::take_older(LocalEventList& list, const LocalEvent& event) {
  const auto equal = [&](const LocalEvent& other) {
    return other.stream == event.stream && other.kind == event.kind && other.arg == event.arg &&
           other.repeat < 0x7fff;
  };
  if (equal(list.first)) {
    const std::uint16_t repeat = list.first.repeat;
    const std::uint32_t slot = list.head;
    list.first = pool_[slot].event;
    list.head = pool_[slot].next;
    if (list.head == kNone) list.tail = kNone;
    free(slot);
    return repeat;
  }
  std::uint32_t* link = &list.head;
  for (int i = 0; i < kLookedAt && *link != list.tail; ++i) {
    const std::uint32_t slot = *link;
    if (equal(pool_[slot].event)) {
      const std::uint16_t repeat = pool_[slot].event.repeat;
      *link = pool_[slot].next;
      free(slot);
      return repeat;
    }
    link = &pool_[slot].next;
  }
  return 0;
}

// Not part of append(), which would have to save more registers.
[[gnu::noinline]] void LocalEvents::add_slot() {
  pool_.emplace_back();
  free(static_cast<std::uint32_t>(pool_.size() - 1));
}

void LocalEvents::append(LocalEventList& list, const LocalEvent& event) {
  LocalEvent& last = list.tail == kNone ? list.first : pool_[list.tail].event;
  if (last.stream == event.stream && last.arg == event.arg && last.kind == event.kind &&
      !event.stream.none() && last.repeat < 0xffff - event.repeat) {
    last.repeat = static_cast<std::uint16_t>(last.repeat + event.repeat);
    return;
  }
  // The list of the current time must not move its events.
  std::uint16_t older = 0;
  if (list.head != kNone && list.time != run_.now() && only_counts(event, chunks_))
    older = take_older(list, event);
  if (pool_free_ == kNone) add_slot();
  const std::uint32_t slot = pool_free_;
  PooledLocalEvent& made = pool_[slot];
  pool_free_ = made.next;
  made.event = event;
  made.event.repeat = static_cast<std::uint16_t>(event.repeat + older);
  made.next = kNone;
  (list.tail == kNone ? list.head : pool_[list.tail].next) = slot;
  list.tail = slot;
}

void LocalEvents::at(std::uint32_t rank, std::int64_t delay, const LocalEvent& event) {
  RankEvents& agenda = run_.shared.local_events[rank];
  const std::int64_t time = run_.after(delay);
  LocalEventList* spare = nullptr;
  for (LocalEventList& list : agenda.lists) {
    if (list.time == time) return append(list, event);
    if (list.time < 0 && spare == nullptr) spare = &list;
  }
  for (LocalEventList& list : agenda.overflow) {
    if (list.time == time) return append(list, event);
    if (list.time < 0 && spare == nullptr) spare = &list;
  }
  if (spare == nullptr) spare = &agenda.overflow.emplace_back();
  spare->time = time;
  spare->first = event;
  spare->head = spare->tail = kNone;
  run_.push({.time = time, .kind = EventKind::local, .first = rank});
  guard_.expect_local(rank, time);
}

std::vector<std::pair<std::int64_t, LocalEvent*>> LocalEvents::pending(std::uint32_t rank) {
  std::vector<std::pair<std::int64_t, LocalEvent*>> found;
  const auto add_list = [&](LocalEventList& list) {
    if (list.time < 0) return;
    found.emplace_back(list.time, &list.first);
    for (std::uint32_t slot = list.head; slot != kNone; slot = pool_[slot].next)
      found.emplace_back(list.time, &pool_[slot].event);
  };
  each_list(run_.shared.local_events[rank], add_list);
  return found;
}

void LocalEvents::shift(std::uint32_t rank, std::int64_t delay) {
  each_list(run_.shared.local_events[rank], [&](LocalEventList& list) {
    if (list.time >= 0) list.time += delay;
  });
}

}  // namespace orrery::sim
