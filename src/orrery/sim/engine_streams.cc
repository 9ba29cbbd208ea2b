// SPDX-License-Identifier: Apache-2.0
//
// Packets of one phase: inserted, freed, sent, received. The hot path of every simulation.
#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/sim/engine.h"
#include "orrery/sim/mirror.h"

namespace orrery::sim {

using platform::Algorithm;

void Engine::begin_phase(Stream& stream) {
  const QueuedPhase queued = planner_.list(stream.phases)[stream.phase];
  const model::PhaseSpec& spec = planner_.spec(queued.spec);
  stream.spec = &spec;
  if (run_.recorder) note_begin(stream);
  stream.position = spec.request.ring.position(stream.member);
  stream.steps_left = spec.steps;
  stream.free = stream.received = stream.balance = 0;
  stream.held_at = -1;
  stream.inserted = stream.sent = 0;
  if (is_worked_out(spec)) return join_phase(stream);
  run_.result.savings.phases_by_messages += run_.weight(stream.rank);
  if (spec.request.algorithm.algorithm == Algorithm::double_binary_tree) {
    begin_tree(stream);
    return;
  }
  if (spec.keys > 1) stream.balances = std::make_unique<std::int8_t[]>(spec.keys);
  for (std::int32_t i = 0; i < spec.window; ++i) insert_packet(stream);
}

void Engine::insert_packet(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::uint32_t packet = stream.inserted++;
  if (spec.on_bus) {
    const auto way =
        spec.plain(packet) ? model::SharedBus::Way::to_memory : model::SharedBus::Way::from_memory;
    return cross_bus(stream, packet, way, spec.reduces(packet), spec.returns(packet));
  }
  const LocalKind kind = spec.reduces(packet) ? LocalKind::inserted_sum : LocalKind::inserted;
  agendas_.at(stream.rank, spec.endpoint, {&stream, spec.step.size() > 1 ? packet : 0, kind});
}

void Engine::packets_free(Stream& stream, std::uint16_t count) {
  const model::PhaseSpec& spec = *stream.spec;
  const bool held = spec.barrier != 0 && stream.steps_left <= spec.barrier;
  if (held && stream.received < spec.barrier) {
    stream.free += count;
    stream.held_at = run_.now();
    return;
  }
  const bool all_go = stream.free == 0 && (held || stream.steps_left - count >= spec.barrier);
  if (count > 1 && all_go && send_burst(stream, count)) return;
  if (stream.steps_left != 0 ||
      stream.spec->request.algorithm.algorithm == Algorithm::double_binary_tree) {
    for (std::uint16_t i = 0; i < count; ++i) packet_free(stream);
    return;
  }
  stream.free += count;  // nothing left to send
  if (stream.free == spec.window) end_phase(stream);
}

void Engine::packet_free(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.request.algorithm.algorithm == Algorithm::double_binary_tree) {
    tree_free(stream);
    return;
  }
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
  if (stream.steps_left == 0 && stream.free == spec.window) end_phase(stream);
}

void Engine::send_held(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::int32_t ready = std::min({spec.window, stream.free, stream.steps_left,
                                       static_cast<std::int32_t>(stream.inserted - stream.sent)});
  if (send_burst(stream, ready)) {
    stream.free -= ready;
  } else {
    for (std::int32_t i = 0; i < ready; ++i) try_send(stream);
  }
}

void Engine::try_send(Stream& stream) {
  if (stream.steps_left == 0 || stream.free == 0 || stream.sent == stream.inserted) return;
  send_packet(stream);
}

std::int64_t Engine::message_delay(const Stream& stream, std::uint32_t key,
                                   std::uint32_t to) const {
  const model::PhaseSpec& spec = *stream.spec;
  if (!spec.delay_by_key.empty()) return spec.delay_by_key[key];
  const std::uint32_t communicator = blocks_[stream.block].communicator;
  return run_.fabric.delay(run_.rank_of(communicator, stream.member),
                           run_.rank_of(communicator, to), spec.step_of(key).bytes);
}

void Engine::send_packet(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  const std::uint32_t key = spec.key_of(stream.sent);
  ++stream.sent;
  --stream.steps_left;
  --stream.free;
  if (run_.platform.collectives.rendezvous) {
    send_when_announced(stream, spec.destination(stream.member, stream.position, key), key);
    announce(stream, spec.source(stream.member, stream.position, key), key);
    return;
  }
  Event arrival{.kind = EventKind::deliver,
                .first = stream.member,
                .key = key,
                .block = stream.block,
                .spec = spec.id};
  if (!transport_.shares_links() && !spec.delay_by_key.empty()) {
    run_.result.messages += run_.weight(stream.rank);
    arrival.time = run_.after(spec.delay_by_key[key]);
    run_.queue.push(arrival);
    if (run_.guarded)
      guard_.message(arrival, blocks_[stream.block].communicator, stream.member,
                     spec.destination(stream.member, stream.position, key), key);
  } else {
    const std::uint32_t to = spec.destination(stream.member, stream.position, key);
    const std::int64_t delay = transport_.shares_links() ? 0 : message_delay(stream, key, to);
    const std::uint32_t communicator = blocks_[stream.block].communicator;
    transport_.send(run_.rank_of(communicator, stream.member), run_.rank_of(communicator, to),
                    spec.step_of(key).bytes, delay, arrival, run_.weight(stream.rank));
    arrival.time = run_.after(delay);
    guard_.message(arrival, blocks_[stream.block].communicator, stream.member, to, key);
  }
  post_receive(stream, key);
}

void Engine::post_receive(Stream& stream, std::uint32_t key) {
  const model::PhaseSpec& spec = *stream.spec;
  const Event late{.time = run_.now(),
                   .kind = EventKind::late_receive,
                   .first = stream.member,
                   .key = key,
                   .block = stream.block};
  if (stream.early) {
    const std::uint32_t from = spec.source(stream.member, stream.position, key);
    if (take_early(stream, from, key)) {
      run_.queue.push(late);
      guard_.own(stream.rank, run_.now());
      return;
    }
  }
  bool waiting;
  if (stream.balances == nullptr) {
    waiting = stream.balance++ < 0;
  } else {
    waiting = stream.balances[key]++ < 0;
  }
  if (!waiting) return;
  run_.queue.push(late);
  guard_.own(stream.rank, run_.now());
}

void Engine::deliver(const Event& event) {
  Block& block = blocks_[event.block];
  const model::PhaseSpec& spec = planner_.spec(event.spec);
  if (block.streams == nullptr) return;  // everybody is done: nobody will ever ask for it
  if (spec.lockstep && event.keys == 1 && !run_.guarded && run_.now() < model::Fabric::kTooLong / 2)
    return deliver_run(event, block, spec);
  for (std::uint32_t from = event.first; from < event.first + event.count; ++from) {
    const std::uint32_t position = spec.request.ring.position(from);
    for (std::uint32_t k = 0; k < event.keys; ++k) {
      deliver_one(block, spec, from, spec.destination(from, position, event.key + k),
                  event.key + k);
    }
  }
}

void Engine::deliver_one(Block& block, const model::PhaseSpec& spec, std::uint32_t from,
                         std::uint32_t to, std::uint32_t key) {
  Stream& stream = block.streams[run_.communicators[block.communicator].slot(to)];
  if (stream.spec != &spec) {
    deliver_astray(stream, spec, sender_to(stream.member, spec, from, to, key), key);
    return;
  }
  bool posted;
  if (stream.balances == nullptr) {
    posted = stream.balance-- > 0;
  } else {
    posted = stream.balances[key]-- > 0;
  }
  if (posted) packet_received(stream);
}

void Engine::deliver_late(const Event& event) {
  Block& block = blocks_[event.block];
  packet_received(block.streams[run_.communicators[block.communicator].slot(event.first)]);
}

void Engine::packet_received(Stream& stream) {
  ++stream.received;
  insert_packet(stream);
  // Orrery rules: a packet that is free in the tick in which the barrier falls sees it fall.
  const model::PhaseSpec& spec = *stream.spec;
  if (!run_.astra() && spec.barrier != 0 && stream.received == spec.barrier && stream.free != 0 &&
      stream.held_at == run_.now())
    send_held(stream);
}

// ASTRA rules match by sender and size alone, Orrery rules by phase and step.
MessageKey Engine::early_key(const Stream& stream, const model::PhaseSpec& spec, std::uint32_t from,
                             std::uint32_t key) const {
  if (run_.astra()) return {stream.block, from, stream.member, spec.step_of(key).bytes};
  return {stream.block | std::uint64_t{spec.id} << 32, from, stream.member, key};
}

bool Engine::take_early(Stream& stream, std::uint32_t from, std::uint32_t key) {
  const auto found = early_.find(early_key(stream, *stream.spec, from, key));
  if (found == early_.end()) return false;
  if (--found->second == 0) early_.erase(found);
  return true;
}

// The receiver is not in the phase of `from`, whom it knows as its sender. Under ASTRA rules a
// receive of another phase may want the message; otherwise it waits until one does.
void Engine::deliver_astray(Stream& stream, const model::PhaseSpec& sent, std::uint32_t from,
                            std::uint32_t sent_key) {
  const model::PhaseSpec* spec = stream.spec;
  const std::int64_t bytes = sent.step_of(sent_key).bytes;
  if (run_.astra() && spec != nullptr &&
      spec->request.algorithm.algorithm != Algorithm::double_binary_tree) {
    for (std::uint32_t key = spec->keys > 1 ? spec->key_of(0) : 0; key < spec->keys; ++key) {
      const bool posted =
          stream.balances == nullptr ? stream.balance > 0 : stream.balances[key] > 0;
      if (!posted || spec->step_of(key).bytes != bytes) continue;
      if (spec->source(stream.member, stream.position, key) != from) continue;
      if (stream.balances == nullptr) {
        --stream.balance;
      } else {
        --stream.balances[key];
      }
      packet_received(stream);
      return;
    }
  }
  stream.early = true;
  ++early_[early_key(stream, sent, from, sent_key)];
}

}  // namespace orrery::sim
