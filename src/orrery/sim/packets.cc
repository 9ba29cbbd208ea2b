// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/packets.h"

#include <algorithm>

#include "orrery/sim/tree_slots.h"

namespace orrery::sim {

namespace {
constexpr std::uint32_t kMostAtOnce = 0x7fff;
}

void Packets::begin(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.keys > 1) stream.balances.assign(spec.keys);
  const auto window = static_cast<std::uint32_t>(spec.window);
  while (stream.inserted < window) {
    // Those that look the same go together.
    std::uint32_t alike = 1;
    const bool reduces = spec.reduces(stream.inserted);
    const std::uint32_t most =
        spec.on_bus || spec.step.size() > 1 ? 1 : std::min(window - stream.inserted, kMostAtOnce);
    while (alike < most && spec.reduces(stream.inserted + alike) == reduces) ++alike;
    if (alike == 1) {
      insert(stream);
      continue;
    }
    stream.inserted += alike;
    boundary_.wait(stream, 0, reduces, static_cast<std::uint16_t>(alike));
  }
}

void Packets::insert(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::uint32_t packet = stream.inserted++;
  if (spec.on_bus) {
    const auto way =
        spec.plain(packet) ? model::SharedBus::Way::to_memory : model::SharedBus::Way::from_memory;
    return boundary_.cross(stream, packet, way, spec.reduces(packet), spec.returns(packet));
  }
  boundary_.wait(stream, spec.step.size() > 1 ? packet : 0, spec.reduces(packet));
}

void Packets::free(Stream& stream, std::uint16_t count) {
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
    for (std::uint16_t i = 0; i < count; ++i) free_one(stream);
    return;
  }
  stream.free += count;  // nothing left to send
  if (stream.free == spec.window) ends_.phase_ends(stream);
}

void Packets::free_one(Stream& stream) {
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
  if (stream.steps_left == 0 && stream.free == spec.window) ends_.phase_ends(stream);
}

void Packets::send_held(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::int32_t ready = std::min({spec.window, stream.free, stream.steps_left,
                                       static_cast<std::int32_t>(stream.inserted - stream.sent)});
  if (send_burst(stream, ready)) {
    stream.free -= ready;
  } else {
    for (std::int32_t i = 0; i < ready; ++i) try_send(stream);
  }
}

void Packets::try_send(Stream& stream) {
  if (stream.steps_left == 0 || stream.free == 0 || stream.sent == stream.inserted) return;
  send(stream);
}

std::int64_t Packets::delay(const Stream& stream, std::uint32_t key, std::uint32_t to) const {
  const model::PhaseSpec& spec = *stream.spec;
  if (!spec.delay_by_key.empty()) return spec.delay_by_key[key];
  return transport_.alone(chunks_.rank_of(stream, stream.member), chunks_.rank_of(stream, to),
                          spec.step_of(key).bytes);
}

void Packets::send(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::uint32_t key = spec.key_of(stream.sent);
  ++stream.sent;
  --stream.steps_left;
  --stream.free;
  // A library's messages are those of PhaseFactory: they take no time and nobody's way.
  const bool by_library = spec.request.library.nodes > 0;
  if (run_.platform.collectives.rendezvous && !by_library) {
    rendezvous_.ask(stream, spec.destination(stream.member, stream.position, key), key);
    rendezvous_.announce(stream, spec.source(stream.member, stream.position, key), key);
    return;
  }
  Event arrival{.kind = EventKind::deliver,
                .first = stream.member,
                .key = key,
                .block = stream.id.block,
                .spec = spec.id};
  if ((by_library || !transport_.contended()) && !spec.delay_by_key.empty()) {
    run_.result.messages += run_.weight(stream.rank);
    arrival.time = run_.after(spec.delay_by_key[key]);
    run_.push(arrival);
    if (run_.guarded)
      guard_.message(arrival, chunks_.of(stream).communicator,
                     spec.destination(stream.member, stream.position, key), key);
  } else {
    const std::uint32_t to = spec.destination(stream.member, stream.position, key);
    const std::int64_t takes = transport_.contended() ? 0 : delay(stream, key, to);
    const Chunk& chunk = chunks_.of(stream);
    transport_.send({.from = chunks_.rank_of(stream, stream.member),
                     .to = chunks_.rank_of(stream, to),
                     .bytes = spec.step_of(key).bytes,
                     .weight = run_.weight(stream.rank),
                     .flow = chunk.flow(),
                     .order = step_order(spec.id, key)},
                    takes, arrival);
    arrival.time = run_.after(takes);
    guard_.message(arrival, chunks_.of(stream).communicator, to, key);
  }
  post(stream, key);
}

void Packets::post(Stream& stream, std::uint32_t key) {
  const model::PhaseSpec& spec = *stream.spec;
  const Event late{.time = run_.now(),
                   .kind = EventKind::late_receive,
                   .first = stream.member,
                   .key = key,
                   .block = stream.id.block};
  if (stream.early) {
    const std::uint32_t from = spec.source(stream.member, stream.position, key);
    if (early_.take(stream, from, key)) {
      run_.push(late);
      guard_.own(stream.rank, run_.now());
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
  guard_.own(stream.rank, run_.now());
}

void Packets::arrives(const Event& event) {
  if (event.kind == EventKind::late_receive) return arrives_late(event);
  Chunk& block = chunks_[event.block];
  const model::PhaseSpec& spec = planner_.spec(event.spec);
  if (block.streams.empty()) return;  // everybody is done: nobody will ever ask for it
  if (spec.lockstep && event.keys == 1 && !run_.guarded && run_.now() < model::Fabric::kTooLong / 2)
    return deliver_run(event, block, spec);
  for (std::uint32_t from = event.first; from < event.first + event.count; ++from) {
    const std::uint32_t position = spec.request.ring.position(from);
    for (std::uint32_t k = 0; k < event.keys; ++k) {
      deliver_one(block, spec, spec.destination(from, position, event.key + k), event.key + k);
    }
  }
}

void Packets::deliver_one(Chunk& block, const model::PhaseSpec& spec, std::uint32_t to,
                          std::uint32_t key) {
  Stream& stream = chunks_.at(block, to);
  if (stream.spec != &spec) return deliver_astray(stream, spec, key);
  bool posted;
  if (stream.balances.empty()) {
    posted = stream.balance-- > 0;
  } else {
    posted = stream.balances[key]-- > 0;
  }
  if (posted) received(stream);
}

void Packets::arrives_late(const Event& event) {
  Chunk& block = chunks_[event.block];
  received(chunks_.at(block, event.first));
}

void Packets::received(Stream& stream) {
  ++stream.received;
  insert(stream);
  // Orrery rules: a packet that is free in the tick in which the barrier falls sees it fall.
  const model::PhaseSpec& spec = *stream.spec;
  if (!run_.policy.first_come && spec.barrier != 0 && stream.received == spec.barrier &&
      stream.free != 0 && stream.held_at == run_.now())
    send_held(stream);
}

// The receiver is not in the phase of the message. Under ASTRA rules a receive of another phase may
// want it; otherwise it waits until one does.
void Packets::deliver_astray(Stream& stream, const model::PhaseSpec& sent, std::uint32_t sent_key) {
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
  early_.put(stream, sent, from, sent_key);
}

void Packets::announced(Stream& receiver, std::uint32_t key) {
  const std::uint32_t from = receiver.spec->source(receiver.member, receiver.position, key);
  post(receiver, key);
  if (const auto send_now = rendezvous_.meet(receiver, from, key)) leaves(*send_now);
}

void Packets::leaves(const AnnouncedSend& send) {
  const model::PhaseSpec& spec = *send.spec;
  const Chunk& chunk = chunks_[send.block];
  const std::uint32_t from = run_.rank_of(chunk.communicator, send.member),
                      to = run_.rank_of(chunk.communicator, send.to);
  const std::int64_t bytes = spec.step_of(send.step).bytes;
  const std::int64_t takes =
      spec.delay_by_key.empty() ? transport_.takes(from, to, bytes) : spec.delay_by_key[send.step];
  transport_.send({.from = from,
                   .to = to,
                   .bytes = bytes,
                   .weight = run_.weight(send.rank),
                   .flow = chunk.flow(),
                   .order = step_order(spec.id, send.step)},
                  takes,
                  {.kind = EventKind::deliver,
                   .first = send.member,
                   .key = send.step,
                   .block = send.block,
                   .spec = spec.id});
}

}  // namespace orrery::sim
