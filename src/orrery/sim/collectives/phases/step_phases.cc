// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/step_phases.h"

#include <algorithm>

#include "orrery/sim/collectives/plans/tree_slots.h"

namespace orrery::sim {

namespace {
constexpr std::uint32_t kMaxAtOnce = 0x7fff;
}

void StepPhases::begin(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.keys > 1) stream.balances.assign(spec.keys);
  const auto window = static_cast<std::uint32_t>(spec.window);
  while (stream.inserted < window) {
    // Inserts equal packets together.
    std::uint32_t equivalent = 1;
    const bool reduces = spec.reduces(stream.inserted);
    const std::uint32_t most =
        spec.on_bus || spec.step.size() > 1 ? 1 : std::min(window - stream.inserted, kMaxAtOnce);
    while (equivalent < most && spec.reduces(stream.inserted + equivalent) == reduces) ++equivalent;
    if (equivalent == 1) {
      insert(stream);
      continue;
    }
    stream.inserted += equivalent;
    boundary_.wait(stream, 0, reduces, static_cast<std::uint16_t>(equivalent));
  }
}

void StepPhases::insert(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::uint32_t packet = stream.inserted++;
  if (spec.on_bus) {
    const auto direction = spec.plain(packet) ? model::SharedBus::TransferDirection::to_memory
                                              : model::SharedBus::TransferDirection::from_memory;
    return boundary_.cross(stream, packet, direction, spec.reduces(packet), spec.returns(packet));
  }
  boundary_.wait(stream, spec.step.size() > 1 ? packet : 0, spec.reduces(packet));
}

void StepPhases::on_packets_free(Stream& stream, std::uint16_t count) {
  const model::PhaseSpec& spec = *stream.spec;
  const bool held = spec.barrier != 0 && stream.steps_left <= spec.barrier;
  if (held && stream.received < spec.barrier) {
    stream.free += count;
    stream.held_at = run_.now();
    return;
  }
  const bool all_go = stream.free == 0 && (held || stream.steps_left - count >= spec.barrier);
  if (count > 1 && all_go && send_burst(stream, count)) return;
  if (stream.steps_left != 0) {
    for (std::uint16_t i = 0; i < count; ++i) free_packet(stream);
    return;
  }
  stream.free += count;  // nothing left to send
  if (stream.free == spec.window) observer_.on_phase_end(stream);
}

void StepPhases::free_packet(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  ++stream.free;
  if (spec.barrier != 0 && stream.steps_left <= spec.barrier) {
    if (stream.received < spec.barrier) {
      stream.held_at = run_.now();
      return;
    }
    send_held(stream);
  } else {
    try_send(stream);
  }
  if (stream.steps_left == 0 && stream.free == spec.window) observer_.on_phase_end(stream);
}

void StepPhases::send_held(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::int32_t ready = std::min({spec.window, stream.free, stream.steps_left,
                                       static_cast<std::int32_t>(stream.inserted - stream.sent)});
  if (send_burst(stream, ready)) {
    stream.free -= ready;
  } else {
    for (std::int32_t i = 0; i < ready; ++i) try_send(stream);
  }
}

void StepPhases::try_send(Stream& stream) {
  if (stream.steps_left == 0 || stream.free == 0 || stream.sent == stream.inserted) return;
  send(stream);
}

std::int64_t StepPhases::delay(const Stream& stream, std::uint32_t key, std::uint32_t to) const {
  const model::PhaseSpec& spec = *stream.spec;
  if (!spec.delay_by_key.empty()) return spec.delay_by_key[key];
  return transport_.uncontended_time(chunks_.rank_of(stream, stream.member),
                                     chunks_.rank_of(stream, to), spec.step_of(key).bytes);
}

void StepPhases::send(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::uint32_t key = spec.key_of(stream.sent);
  ++stream.sent;
  --stream.steps_left;
  --stream.free;
  // A library's messages are those of PhaseFactory: they take no time and cause no contention.
  const bool by_library = spec.request.library.nodes > 0;
  if (run_.platform.collectives.rendezvous && !by_library) {
    rendezvous_.request_send(stream, spec.destination(stream.member, stream.position, key), key);
    rendezvous_.announce(stream, spec.source(stream.member, stream.position, key), key);
    return;
  }
  Event arrival{.kind = EventKind::deliver,
                .first = stream.member,
                .key = key,
                .block = stream.id.block,
                .spec = spec.id};
  if ((by_library || !transport_.is_contended()) && !spec.delay_by_key.empty()) {
    run_.result.messages += run_.weight(stream.rank);
    arrival.time = run_.after(spec.delay_by_key[key]);
    run_.push(arrival);
    if (run_.guarded)
      guard_.expect_message(arrival, chunks_.of(stream).communicator,
                            spec.destination(stream.member, stream.position, key), key);
  } else {
    const std::uint32_t to = spec.destination(stream.member, stream.position, key);
    const std::int64_t duration = transport_.is_contended() ? 0 : delay(stream, key, to);
    const Chunk& chunk = chunks_.of(stream);
    transport_.send({.from = chunks_.rank_of(stream, stream.member),
                     .to = chunks_.rank_of(stream, to),
                     .bytes = spec.step_of(key).bytes,
                     .weight = run_.weight(stream.rank),
                     .flow = chunk.flow(),
                     .order = step_order(spec.id, key)},
                    duration, arrival);
    arrival.time = run_.after(duration);
    guard_.expect_message(arrival, chunks_.of(stream).communicator, to, key);
  }
  post(stream, key);
}

void StepPhases::post(Stream& stream, std::uint32_t key) {
  const model::PhaseSpec& spec = *stream.spec;
  const Event late{.time = run_.now(),
                   .kind = EventKind::late_receive,
                   .first = stream.member,
                   .key = key,
                   .block = stream.id.block};
  if (stream.early) {
    const std::uint32_t from = spec.source(stream.member, stream.position, key);
    if (early_messages_.take(stream, from, key)) {
      run_.push(late);
      guard_.expect_local(stream.rank, run_.now());
      return;
    }
  }
  bool waiting;
  if (stream.balances.empty()) {
    waiting = stream.balance++ < 0;
  } else {
    waiting = stream.balances[key]++ < 0;
  }
  if (!waiting) return;
  run_.push(late);
  guard_.expect_local(stream.rank, run_.now());
}

void StepPhases::handle(const Event& event) {
  Chunk& block = chunks_[event.block];
  if (event.kind == EventKind::late_receive) return received(chunks_.at(block, event.first));
  const model::PhaseSpec& spec = planner_.spec(event.spec);
  if (block.streams.empty()) return;  // all members are done: no stream will receive it
  if (spec.lockstep && event.keys == 1 && !run_.guarded &&
      run_.now() < model::MultiDimFabric::kTooLong / 2)
    return deliver_run(event, block, spec);
  for (std::uint32_t from = event.first; from < event.first + event.count; ++from) {
    const std::uint32_t position = spec.request.ring.position(from);
    for (std::uint32_t k = 0; k < event.keys; ++k) {
      deliver_one(block, spec, spec.destination(from, position, event.key + k), event.key + k);
    }
  }
}

void StepPhases::deliver_one(Chunk& block, const model::PhaseSpec& spec, std::uint32_t to,
                             std::uint32_t key) {
  Stream& stream = chunks_.at(block, to);
  if (stream.spec != &spec) return deliver_to_other_phase(stream, spec, key);
  bool posted;
  if (stream.balances.empty()) {
    posted = stream.balance-- > 0;
  } else {
    posted = stream.balances[key]-- > 0;
  }
  if (posted) received(stream);
}

void StepPhases::received(Stream& stream) {
  ++stream.received;
  insert(stream);
  // Orrery rules: a packet that becomes free in the tick in which the barrier opens passes it.
  const model::PhaseSpec& spec = *stream.spec;
  if (!run_.policy.first_come && spec.barrier != 0 && stream.received == spec.barrier &&
      stream.free != 0 && stream.held_at == run_.now())
    send_held(stream);
}

// The receiver is not in the phase of the message. Under ASTRA rules a receive of another phase can
// match it; otherwise the message waits until a receive does.
void StepPhases::deliver_to_other_phase(Stream& stream, const model::PhaseSpec& sent,
                                        std::uint32_t sent_key) {
  const model::PhaseSpec* spec = stream.spec;
  const std::uint32_t from = sender_of(sent, stream.member, sent_key);
  const std::int64_t bytes = sent.step_of(sent_key).bytes;
  if (run_.policy.match_by_size && spec != nullptr && spec->peers != model::Peers::tree) {
    for (std::uint32_t key = spec->keys > 1 ? spec->key_of(0) : 0; key < spec->keys; ++key) {
      const bool posted = stream.balances.empty() ? stream.balance > 0 : stream.balances[key] > 0;
      if (!posted || spec->step_of(key).bytes != bytes) continue;
      if (spec->source(stream.member, stream.position, key) != from) continue;
      if (stream.balances.empty()) {
        --stream.balance;
      } else {
        --stream.balances[key];
      }
      received(stream);
      return;
    }
  }
  early_messages_.put(stream, sent, from, sent_key);
}

void StepPhases::on_announcement(Stream& receiver, std::uint32_t key) {
  const std::uint32_t from = receiver.spec->source(receiver.member, receiver.position, key);
  post(receiver, key);
  if (const auto send_now = rendezvous_.match(receiver, from, key)) transmit(*send_now);
}

void StepPhases::transmit(const AnnouncedSend& send) {
  const model::PhaseSpec& spec = *send.spec;
  const Chunk& chunk = chunks_[send.block];
  const std::uint32_t from = run_.rank_of(chunk.communicator, send.member),
                      to = run_.rank_of(chunk.communicator, send.to);
  const std::int64_t bytes = spec.step_of(send.step).bytes;
  const std::int64_t duration = spec.delay_by_key.empty() ? transport_.duration(from, to, bytes)
                                                          : spec.delay_by_key[send.step];
  transport_.send({.from = from,
                   .to = to,
                   .bytes = bytes,
                   .weight = run_.weight(send.rank),
                   .flow = chunk.flow(),
                   .order = step_order(spec.id, send.step)},
                  duration,
                  {.kind = EventKind::deliver,
                   .first = send.member,
                   .key = send.step,
                   .block = send.block,
                   .spec = spec.id});
}

// Ranks in lockstep. Collectives nearly always make consecutive ranks do the same step at the same
// time. Then the general path spends most time on bookkeeping per message (find the list, check for
// merging, select the algorithm). This code processes a run of such ranks in one tight loop and
// queues their events as runs again. A rank that is not in the regular middle of a phase uses the
// general path, at its own place in the order. The results are the same.

namespace {

/// Extends `run` by one if the described event continues it.
inline bool extend(Event& run, std::int64_t time, EventKind kind, std::uint32_t first,
                   std::uint32_t block) {
  if (run.time != time || run.first + run.count != first || run.block != block ||
      run.kind != kind || run.count == 0) {
    return false;
  }
  ++run.count;
  return true;
}

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

bool StepPhases::run_single_step(std::uint32_t rank, Event& run) {
  RankEvents& agenda = run_.shared.local_events[rank];
  const int which = agenda.lists[0].time == run_.now() ? 0 : 1;
  LocalEventList& list = agenda.lists[which];
  LocalEventList& other = agenda.lists[1 - which];
  const LocalEvent& event = list.first;
  if (list.time != run_.now() || list.head != kNone || event.repeat != 1 || event.stream.none())
    return false;
  Stream& stream = chunks_.at(event.stream);
  const model::PhaseSpec* spec = stream.spec;
  if (spec == nullptr || !spec->lockstep) return false;
  if (event.kind == LocalEventKind::inserted_sum) {
    const std::int64_t reduce = spec->step_of(event.arg).reduce;
    if (reduce == 0 || other.time >= 0 || !agenda.overflow.empty()) return false;
    other.time = run_.now() + reduce;
    other.first = {stream.id, 0, LocalEventKind::freed};
    other.head = other.tail = kNone;
    if (!extend(run, other.time, EventKind::local, rank, 0)) {
      restart(run, {.time = other.time, .kind = EventKind::local, .first = rank});
    }
  } else if (event.kind == LocalEventKind::inserted || event.kind == LocalEventKind::freed) {
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

void StepPhases::deliver_run(const Event& event, Chunk& block, const model::PhaseSpec& spec) {
  const model::RingShape ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  Event run{.count = 0};
  std::uint32_t below = event.first % ring.stride;
  std::uint32_t position = ring.position(event.first);
  for (std::uint32_t i = 0; i < event.count; ++i) {
    const std::uint32_t from = event.first + i;
    const std::uint32_t to = spec.destination(from, position, event.key);
    if (!run_single_arrival(block.streams[group.representative(to)], event.key, spec, run)) {
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

// Handles a message that its receiver expects, and inserts its packet. Returns false if the case is
// not that simple.
bool StepPhases::run_single_arrival(Stream& stream, std::uint32_t key, const model::PhaseSpec& spec,
                                    Event& run) {
  if (stream.spec != &spec || balance_of(stream, key) <= 0) return false;
  RankEvents& agenda = run_.shared.local_events[stream.rank];
  const std::int64_t time = run_.now() + spec.endpoint;
  const int which = agenda.lists[0].time < 0 ? 0 : 1;
  LocalEventList& list = agenda.lists[which];
  if (list.time >= 0 || agenda.lists[1 - which].time == time || !agenda.overflow.empty())
    return false;
  add_to_balance(stream, key, -1);
  ++stream.received;
  list.time = time;
  const std::uint32_t packet = stream.inserted++;
  list.first = {stream.id, stream.balances.empty() ? 0 : packet,
                spec.reduces(packet) ? LocalEventKind::inserted_sum : LocalEventKind::inserted};
  list.head = list.tail = kNone;
  if (!extend(run, time, EventKind::local, stream.rank, 0)) {
    restart(run, {.time = time, .kind = EventKind::local, .first = stream.rank});
  }
  return true;
}

// Sends the next `count` packets of a direct phase at once: their messages, to consecutive peers,
// are one event. Returns false, without sending, if the case is not that simple.
bool StepPhases::send_burst(Stream& stream, std::int32_t count) {
  const model::PhaseSpec& spec = *stream.spec;
  if (!spec.burst || transport_.is_contended() || run_.platform.collectives.rendezvous ||
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
    guard_.expect_message(burst, chunks_.of(stream).communicator,
                          spec.destination(stream.member, stream.position, key + k), key + k);
  return true;
}

}  // namespace orrery::sim
