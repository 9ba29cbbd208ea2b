// SPDX-License-Identifier: Apache-2.0
//
// Ranks in lockstep. When consecutive ranks do the same step at the same time, which is what
// collectives do nearly always, the general path's bookkeeping per message (find the list, look for
// merging, decide the algorithm) is the larger part of the work. Here a run of such ranks is one
// tight loop whose events are queued as runs again. Any rank that is not in the plain middle of a
// phase takes the general path, at its own place in the order: the results are the same.
#include "orrery/sim/packets.h"

namespace orrery::sim {

namespace {

/// Makes `run` one longer if the event described is the one that continues it.
inline bool extend(Event& run, std::int64_t time, EventKind kind, std::uint32_t first,
                   std::uint32_t block) {
  if (run.time != time || run.first + run.count != first || run.block != block ||
      run.kind != kind || run.count == 0) {
    return false;
  }
  ++run.count;
  return true;
}

}  // namespace

namespace {

/// Receives posted minus messages arrived under `key`.
inline std::int32_t balance_of(const Stream& stream, std::uint32_t key) {
  return stream.balances.empty() ? stream.balance : stream.balances[key];
}
inline void add_to_balance(Stream& stream, std::uint32_t key, int step) {
  if (stream.balances.empty()) {
    stream.balance += step;
  } else {
    stream.balances[key] = static_cast<std::int8_t>(stream.balances[key] + step);
  }
}

}  // namespace

// One packet of a ring or halving-doubling phase crosses the boundary, is reduced, or is sent.
// False: not that simple.
bool Packets::lone_step(std::uint32_t rank, Event& run) {
  Agenda& agenda = run_.shared.agendas[rank];
  const int which = agenda.lists[0].time == run_.now() ? 0 : 1;
  LocalList& list = agenda.lists[which];
  LocalList& other = agenda.lists[1 - which];
  const LocalEvent& event = list.first;
  if (list.time != run_.now() || list.head != kNone || event.repeat != 1 || event.stream.none())
    return false;
  Stream& stream = chunks_.at(event.stream);
  const model::PhaseSpec* spec = stream.spec;
  if (spec == nullptr || !spec->lockstep) return false;
  if (event.kind == LocalKind::inserted_sum) {
    const std::int64_t reduce = spec->step_of(event.arg).reduce;
    if (reduce == 0 || other.time >= 0 || !agenda.overflow.empty()) return false;
    other.time = run_.now() + reduce;
    other.first = {stream.id, 0, LocalKind::freed};
    other.head = other.tail = kNone;
    if (!extend(run, other.time, EventKind::local, rank, 0)) {
      restart(run, {.time = other.time, .kind = EventKind::local, .first = rank});
    }
  } else if (event.kind == LocalKind::inserted || event.kind == LocalKind::freed) {
    const std::uint32_t key = stream.balances.empty() ? 0 : stream.sent;
    if (stream.steps_left < 2 || stream.early || balance_of(stream, key) < 0) return false;
    ++stream.sent;
    --stream.steps_left;
    add_to_balance(stream, key, +1);
    run_.result.messages += run_.weight(rank);
    const std::int64_t time = run_.now() + spec->delay_by_key[key];
    if (run.spec != spec->id || run.key != key ||
        !extend(run, time, EventKind::deliver, stream.member, stream.id.block)) {
      restart(run, {.time = time,
                    .kind = EventKind::deliver,
                    .first = stream.member,
                    .key = key,
                    .block = stream.id.block,
                    .spec = spec->id});
    }
  } else {
    return false;
  }
  list.time = -1;
  return true;
}

void Packets::deliver_run(const Event& event, Chunk& block, const model::PhaseSpec& spec) {
  const model::RingShape ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  Event run{.count = 0};
  std::uint32_t below = event.first % ring.stride;
  std::uint32_t position = ring.position(event.first);
  for (std::uint32_t i = 0; i < event.count; ++i) {
    const std::uint32_t from = event.first + i;
    const std::uint32_t to = spec.destination(from, position, event.key);
    if (!lone_arrival(block.streams[group.player(to)], event.key, spec, run)) {
      flush(run);
      deliver_one(block, spec, to, event.key);
    }
    if (++below == ring.stride) {
      below = 0;
      position = position + 1 == ring.size ? 0 : position + 1;
    }
  }
  flush(run);
}

// A message arrives where it is expected and its packet is inserted. False: not that simple.
bool Packets::lone_arrival(Stream& stream, std::uint32_t key, const model::PhaseSpec& spec,
                           Event& run) {
  if (stream.spec != &spec || balance_of(stream, key) <= 0) return false;
  Agenda& agenda = run_.shared.agendas[stream.rank];
  const std::int64_t time = run_.now() + spec.endpoint;
  const int which = agenda.lists[0].time < 0 ? 0 : 1;
  LocalList& list = agenda.lists[which];
  if (list.time >= 0 || agenda.lists[1 - which].time == time || !agenda.overflow.empty())
    return false;
  add_to_balance(stream, key, -1);
  ++stream.received;
  list.time = time;
  const std::uint32_t packet = stream.inserted++;
  list.first = {stream.id, stream.balances.empty() ? 0 : packet,
                spec.reduces(packet) ? LocalKind::inserted_sum : LocalKind::inserted};
  list.head = list.tail = kNone;
  if (!extend(run, time, EventKind::local, stream.rank, 0)) {
    restart(run, {.time = time, .kind = EventKind::local, .first = stream.rank});
  }
  return true;
}

// Sends the next `count` packets of a direct phase at once: their messages, to consecutive peers,
// are one event. False: not that simple, nothing is sent.
bool Packets::send_burst(Stream& stream, std::int32_t count) {
  const model::PhaseSpec& spec = *stream.spec;
  if (!spec.burst || transport_.contended() || run_.platform.collectives.rendezvous ||
      stream.early || stream.steps_left < count)
    return false;
  const std::uint32_t key = spec.key_of(stream.sent);
  const auto keys = static_cast<std::uint32_t>(count);
  if (keys == 0 || key + keys > spec.request.ring.size) return false;
  for (std::uint32_t k = key; k < key + keys; ++k) {
    if (stream.balances[k] < 0) return false;
  }
  for (std::uint32_t k = key; k < key + keys; ++k) ++stream.balances[k];
  stream.sent += keys;
  stream.steps_left -= count;
  run_.result.messages += std::uint64_t{keys} * run_.weight(stream.rank);
  const Event burst{.time = run_.after(spec.delay_by_key[key]),
                    .kind = EventKind::deliver,
                    .first = stream.member,
                    .key = key,
                    .keys = keys,
                    .block = stream.id.block,
                    .spec = spec.id};
  run_.push(burst);
  for (std::uint32_t k = 0; run_.guarded && k < keys; ++k)
    guard_.message(burst, chunks_.of(stream).communicator,
                   spec.destination(stream.member, stream.position, key + k), key + k);
  return true;
}

}  // namespace orrery::sim
