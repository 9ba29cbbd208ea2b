// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/tree_phases.h"

#include "orrery/sim/collectives/plans/tree_slots.h"

namespace orrery::sim {

void TreePhases::begin(Stream& stream) {
  stream.balances.assign(kTreeSlots);
  const model::TreePlace place = tree_place(*stream.spec, stream.member);
  if (place.is_leaf()) {
    ++stream.inserted;
    if (stream.spec->on_bus)
      return boundary_.cross(stream, 0, model::SharedBus::TransferDirection::to_memory, false,
                             false);
    return boundary_.wait(stream, 0, false);
  }
  if (place.left != model::TreePlace::kNone) receive(stream, kLeft);
  if (place.right != model::TreePlace::kNone) receive(stream, kRight);
}

void TreePhases::send(Stream& stream, std::uint32_t slot) {
  ++stream.sent;
  const std::uint32_t to = member_in(*stream.spec, stream.member, slot);
  if (run_.platform.collectives.rendezvous) return rendezvous_.request_send(stream, to, slot);
  transmit({stream.id.block, stream.member, to, slot, stream.rank, stream.spec});
}

void TreePhases::transmit(const AnnouncedSend& send) {
  const model::PhaseSpec& spec = *send.spec;
  Event arrival{.kind = EventKind::tree_deliver,
                .first = send.to,
                .key = slot_of(tree_place(spec, send.to), spec.request.ring.position(send.member)),
                .block = send.block,
                .spec = spec.id};
  const Chunk& chunk = chunks_[send.block];
  const std::uint32_t communicator = chunk.communicator;
  const std::uint32_t from = run_.rank_of(communicator, send.member),
                      to = run_.rank_of(communicator, send.to);
  const std::int64_t bytes = spec.request.data;
  const std::int64_t delay = transport_.duration(from, to, bytes);
  if (run_.observer != nullptr) run_.observer->message(from, to, bytes, delay);
  transport_.send({.from = from,
                   .to = to,
                   .bytes = bytes,
                   .weight = run_.weight(send.rank),
                   .flow = chunk.flow(),
                   .order = step_order(spec.id, send.step)},
                  delay, arrival);
  if (!run_.guarded) return;
  arrival.time = run_.after(delay);
  guard_.expect_message(arrival, communicator, send.to, arrival.key);
}

void TreePhases::on_announcement(Stream& receiver, std::uint32_t slot) {
  const std::uint32_t from = member_in(*receiver.spec, receiver.member, slot);
  const std::uint32_t step = slot_of(tree_place(*receiver.spec, from), receiver.position);
  post(receiver, slot);
  if (const auto send_now = rendezvous_.match(receiver, from, step)) transmit(*send_now);
}

void TreePhases::on_packets_free(Stream& stream, std::uint16_t count) {
  for (std::uint16_t i = 0; i < count; ++i) free_packet(stream);
}

void TreePhases::receive(Stream& stream, std::uint32_t slot) {
  if (run_.platform.collectives.rendezvous)
    return rendezvous_.announce(stream, member_in(*stream.spec, stream.member, slot), slot);
  post(stream, slot);
}

// ASTRA rules: all phases of a tree all-reduce have the same size, and messages match by sender and
// size, so that a message of another phase of the chunk also matches.
void TreePhases::post(Stream& stream, std::uint32_t slot) {
  if (!stream.early ||
      !early_messages_.take(stream, member_in(*stream.spec, stream.member, slot), 0)) {
    ++stream.balances[slot];
    return;
  }
  run_.push({.time = run_.now(),
             .kind = EventKind::tree_late,
             .first = stream.member,
             .key = slot,
             .block = stream.id.block});
  guard_.expect_local(stream.rank, run_.now());
}

void TreePhases::handle(const Event& event) {
  Chunk& block = chunks_[event.block];
  if (event.kind == EventKind::tree_late) return received(chunks_.at(block, event.first));
  if (block.streams.empty()) return;
  Stream& stream = chunks_.at(block, event.first);
  const model::PhaseSpec& spec = planner_.spec(event.spec);
  const std::uint32_t from = member_in(spec, stream.member, event.key);
  const bool tree = stream.spec != nullptr && stream.spec->peers == model::Peers::tree;
  const bool matches = run_.policy.match_by_size
                           ? tree && stream.spec->request.data == spec.request.data
                           : stream.spec == &spec;
  if (matches) {
    const model::TreePlace place = tree_place(*stream.spec, stream.member);
    for (std::uint32_t slot = 0; slot < kTreeSlots; ++slot) {
      if (in_slot(place, slot) == model::TreePlace::kNone ||
          member_in(*stream.spec, stream.member, slot) != from || stream.balances[slot] == 0)
        continue;
      --stream.balances[slot];
      return received(stream);
    }
  }
  early_messages_.put(stream, spec, from, 0);
}

void TreePhases::received(Stream& stream) {
  ++stream.received;
  const model::TreePlace place = tree_place(*stream.spec, stream.member);
  const bool reduce = !place.is_leaf();
  ++stream.inserted;
  if (stream.spec->on_bus) {
    const bool returns = reduce && (place.parent == model::TreePlace::kNone || stream.received > 1);
    return boundary_.cross(stream, 0, model::SharedBus::TransferDirection::from_memory, reduce,
                           returns);
  }
  boundary_.wait(stream, 0, reduce);
}

void TreePhases::free_packet(Stream& stream) {
  const model::TreePlace place = tree_place(*stream.spec, stream.member);
  const bool root = place.parent == model::TreePlace::kNone;
  const std::int32_t children = (place.left != model::TreePlace::kNone ? 1 : 0) +
                                (place.right != model::TreePlace::kNone ? 1 : 0);
  ++stream.free;
  const auto send_down = [&] {
    if (place.left != model::TreePlace::kNone) send(stream, kLeft);
    if (place.right != model::TreePlace::kNone) send(stream, kRight);
    observer_.on_phase_end(stream);
  };
  if (place.is_leaf()) {
    if (stream.free == 2) {
      observer_.on_phase_end(stream);
      return;
    }
    send(stream, kParent);
    receive(stream, kParent);
  } else if (stream.free == children) {
    if (root) {
      send_down();
      return;
    }
    send(stream, kParent);
    receive(stream, kParent);
  } else if (stream.free == children + 1) {
    send_down();
  }
}

}  // namespace orrery::sim
