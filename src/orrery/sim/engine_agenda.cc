// SPDX-License-Identifier: Apache-2.0
//
// What ranks do by themselves. All local events of a rank at one time run together, when the first
// of them is due: that is the order ASTRA-sim keeps, and it can be seen in the results.
#include "orrery/sim/engine.h"

namespace orrery::sim {

namespace {
constexpr int kLookedAt = 8;  // events of a list looked at for merging
}

// A packet of a stream that has nothing left to send only counts: all that matters is where the
// last of them stands.
bool Engine::only_counts(const LocalEvent& event) {
  if (event.stream == nullptr || event.stream->steps_left != 0 || event.stream->spec == nullptr)
    return false;
  return event.stream->spec->request.algorithm.algorithm == platform::Algorithm::direct;
}

// Takes an older event equal to `event`, one of the first few, out of the list and returns how
// often it stood there.
std::uint16_t Engine::take_older(LocalList& list, const LocalEvent& event) {
  const auto equal = [&](const LocalEvent& other) {
    return other.stream == event.stream && other.kind == event.kind && other.arg == event.arg &&
           other.repeat < 0x7fff;
  };
  if (list.head == kNone) return 0;
  if (equal(list.first)) {
    const std::uint16_t repeat = list.first.repeat;
    const std::uint32_t slot = list.head;
    list.first = pool_[slot].event;
    list.head = pool_[slot].next;
    if (list.head == kNone) list.tail = kNone;
    pool_[slot].next = pool_free_;
    pool_free_ = slot;
    return repeat;
  }
  std::uint32_t* link = &list.head;
  for (int i = 0; i < kLookedAt && *link != list.tail; ++i) {
    const std::uint32_t slot = *link;
    if (equal(pool_[slot].event)) {
      const std::uint16_t repeat = pool_[slot].event.repeat;
      *link = pool_[slot].next;
      pool_[slot].next = pool_free_;
      pool_free_ = slot;
      return repeat;
    }
    link = &pool_[slot].next;
  }
  return 0;
}

void Engine::append(LocalList& list, LocalEvent event) {
  LocalEvent& last = list.tail == kNone ? list.first : pool_[list.tail].event;
  if (last.stream == event.stream && last.arg == event.arg && last.kind == event.kind &&
      event.stream != nullptr && last.repeat < 0xffff - event.repeat) {
    last.repeat = static_cast<std::uint16_t>(last.repeat + event.repeat);
    return;
  }
  // A list that is running now keeps its events where they are.
  if (list.time != run_.now() && only_counts(event))
    event.repeat = static_cast<std::uint16_t>(event.repeat + take_older(list, event));
  std::uint32_t slot = pool_free_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back({event, kNone});
  } else {
    pool_free_ = pool_[slot].next;
    pool_[slot] = {event, kNone};
  }
  (list.tail == kNone ? list.head : pool_[list.tail].next) = slot;
  list.tail = slot;
}

void Engine::at(std::uint32_t rank, std::int64_t delay, const LocalEvent& event) {
  Agenda& agenda = run_.ground.agendas[rank];
  const std::int64_t time = run_.after(delay);
  LocalList* spare = nullptr;
  for (LocalList& list : agenda.lists) {
    if (list.time == time) return append(list, event);
    if (list.time < 0 && spare == nullptr) spare = &list;
  }
  for (LocalList& list : agenda.overflow) {
    if (list.time == time) return append(list, event);
    if (list.time < 0 && spare == nullptr) spare = &list;
  }
  if (spare == nullptr) spare = &agenda.overflow.emplace_back();
  spare->time = time;
  spare->first = event;
  spare->head = spare->tail = kNone;
  run_.queue.push({.time = time, .kind = EventKind::local, .first = rank});
  watch_own(rank, time);
}

void Engine::run_agenda(std::uint32_t rank) {
  Agenda& agenda = run_.ground.agendas[rank];
  const std::int64_t time = run_.now();
  // Lists may move while their events run (overflow grows), so they are found again by time.
  const auto find = [&]() -> LocalList& {
    for (LocalList& list : agenda.lists) {
      if (list.time == time) return list;
    }
    for (LocalList& list : agenda.overflow) {
      if (list.time == time) return list;
    }
    ORRERY_CHECK(false);
    return agenda.lists[0];
  };
  LocalList& list = find();
  const LocalEvent first = list.first;
  list.first.kind = LocalKind::taken;  // nothing merges into it any more
  run_local(rank, first);
  std::uint32_t slot = find().head;
  while (slot != kNone) {
    const LocalEvent event = pool_[slot].event;
    pool_[slot].event.kind = LocalKind::taken;
    run_local(rank, event);
    const std::uint32_t next = pool_[slot].next;
    LocalList& current = find();
    current.head = next;
    if (next == kNone) current.tail = kNone;
    pool_[slot].next = pool_free_;
    pool_free_ = slot;
    slot = next;
  }
  find().time = -1;
}

void Engine::run_local(std::uint32_t rank, const LocalEvent& event) {
  switch (event.kind) {
    case LocalKind::taken:
      return;
    case LocalKind::inserted:
    case LocalKind::freed:
      return packets_free(*event.stream, event.repeat);
    case LocalKind::inserted_sum: {
      const std::int64_t reduce = event.stream->spec->step_of(event.arg).reduce;
      return at(rank, reduce, {event.stream, 0, LocalKind::freed, event.repeat});
    }
    case LocalKind::node_done:
      complete(rank, event.arg);
      return;
    case LocalKind::memory_done:
      memory_done(rank, event.arg);
      return;
    case LocalKind::custom_done:
      complete_custom(event.arg, static_cast<graph::NodeId>(event.node));
      return;
    case LocalKind::begins:
      return wake(rank);
    case LocalKind::bus:
      return run_bus(rank, event.arg);
  }
}

}  // namespace orrery::sim
