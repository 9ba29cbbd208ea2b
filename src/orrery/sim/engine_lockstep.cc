// SPDX-License-Identifier: Apache-2.0
//
// Rings in lockstep. When consecutive ranks do the same step at the same time, which is what collectives do nearly always,
// the general path's bookkeeping per message (find the list, look for merging, decide the algorithm) is the larger part
// of the work. Here a run of such ranks is one tight loop whose events are queued as runs again. Any rank that is not in
// the plain middle of a ring phase takes the general path, at its own place in the order: the results are the same.
#include "orrery/sim/engine.h"

namespace orrery::sim {

namespace {

/// Makes `run` one longer if the event described is the one that continues it.
inline bool extend(Event& run, std::int64_t time, EventKind kind, std::uint32_t first, std::uint32_t block) {
  if (run.time != time || run.first + run.count != first || run.block != block || run.kind != kind || run.count == 0) {
    return false;
  }
  ++run.count;
  return true;
}

}  // namespace

void Engine::restart(Event& run, const Event& event) {
  flush(run);
  run = event;
}

void Engine::flush(Event& run) {
  if (run.count != 0) queue_.push(run);
  run.count = 0;
}

void Engine::run_agendas(const Event& event) {
  Event run{.count = 0};
  const bool plain = !links_ && !platform_.collectives.rendezvous && now() < model::Fabric::kTooLong / 2;
  for (std::uint32_t rank = event.first; rank < event.first + event.count; ++rank) {
    if (plain && ring_step(rank, run)) continue;
    flush(run);
    run_agenda(rank);
  }
  flush(run);
}

// One packet of a ring phase crosses the boundary, is reduced, or is sent. False: not that simple.
bool Engine::ring_step(std::uint32_t rank, Event& run) {
  Agenda& agenda = agendas_[rank];
  const int which = agenda.lists[0].time == now() ? 0 : 1;
  LocalList& list = agenda.lists[which];
  LocalList& other = agenda.lists[1 - which];
  const LocalEvent& event = list.first;
  if (list.time != now() || list.head != kNone || event.repeat != 1 || event.stream == nullptr) return false;
  Stream& stream = *event.stream;
  const model::PhaseSpec* spec = stream.spec;
  if (spec == nullptr || !spec->plain_ring) return false;
  if (event.kind == LocalKind::inserted_sum) {
    const std::int64_t reduce = spec->step.front().reduce;
    if (reduce == 0 || other.time >= 0 || !agenda.overflow.empty()) return false;
    other.time = now() + reduce;
    other.first = {&stream, 0, LocalKind::freed};
    other.head = other.tail = kNone;
    if (!extend(run, other.time, EventKind::local, rank, 0)) {
      restart(run, {.time = other.time, .kind = EventKind::local, .first = rank});
    }
  } else {
    if (stream.steps_left < 2 || stream.balance < 0 || stream.early) return false;
    ++stream.sent;
    --stream.steps_left;
    ++stream.balance;
    ++result_.messages;
    const std::int64_t time = now() + spec->delay_by_key.front();
    if (run.spec != spec->id || !extend(run, time, EventKind::deliver, stream.member, stream.block)) {
      restart(run, {.time = time, .kind = EventKind::deliver, .first = stream.member, .block = stream.block, .spec = spec->id});
    }
  }
  list.time = -1;
  return true;
}

void Engine::deliver_ring(const Event& event, Block& block, const model::PhaseSpec& spec) {
  const model::RingShape ring = spec.request.ring;
  Event run{.count = 0};
  std::uint32_t below = event.first % ring.stride;
  std::uint32_t position = ring.position(event.first);
  for (std::uint32_t i = 0; i < event.count; ++i) {
    const std::uint32_t from = event.first + i;
    const std::uint32_t to = spec.destination(from, position, 0);
    if (!ring_arrival(block.streams[to], spec, run)) {
      flush(run);
      deliver_one(block, spec, from, event.key);
    }
    if (++below == ring.stride) {
      below = 0;
      position = position + 1 == ring.size ? 0 : position + 1;
    }
  }
  flush(run);
}

// A message arrives where it is expected and its packet is inserted. False: not that simple.
bool Engine::ring_arrival(Stream& stream, const model::PhaseSpec& spec, Event& run) {
  if (stream.spec != &spec || stream.balance <= 0) return false;
  Agenda& agenda = agendas_[stream.rank];
  const std::int64_t time = now() + spec.endpoint;
  const int which = agenda.lists[0].time < 0 ? 0 : 1;
  LocalList& list = agenda.lists[which];
  if (list.time >= 0 || agenda.lists[1 - which].time == time || !agenda.overflow.empty()) return false;
  --stream.balance;
  ++stream.received;
  list.time = time;
  list.first = {&stream, 0, spec.reduces(stream.inserted++) ? LocalKind::inserted_sum : LocalKind::inserted};
  list.head = list.tail = kNone;
  if (!extend(run, time, EventKind::local, stream.rank, 0)) {
    restart(run, {.time = time, .kind = EventKind::local, .first = stream.rank});
  }
  return true;
}

}  // namespace orrery::sim
