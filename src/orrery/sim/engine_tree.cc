// SPDX-License-Identifier: Apache-2.0
//
// Double binary tree all-reduce: up the tree with reduction, down with the result. Chunks alternate
// between two trees.
#include "orrery/sim/engine.h"
#include "orrery/sim/mirror.h"

namespace orrery::sim {

using platform::Algorithm;

void Engine::begin_tree(Stream& stream) {
  stream.balances = std::make_unique<std::int8_t[]>(kTreeSlots);
  const model::TreePlace place = tree_place(*stream.spec, stream.member);
  if (place.is_leaf()) {
    insert_packet(stream);
    return;
  }
  if (place.left != model::TreePlace::kNone) tree_receive(stream, kLeft);
  if (place.right != model::TreePlace::kNone) tree_receive(stream, kRight);
}

void Engine::tree_send(Stream& stream, std::uint32_t slot) {
  const model::PhaseRequest& request = stream.spec->request;
  run_.ground.seats[stream.rank].sent_bytes += static_cast<std::uint64_t>(request.data);
  ops_[stream.op].sent += static_cast<std::uint64_t>(request.data);
  const std::uint32_t to = in_tree(stream, slot);
  if (run_.platform.collectives.rendezvous) return send_when_announced(stream, to, slot);
  tree_leaves(stream.block, *stream.spec, stream.member, to, stream.rank);
}

void Engine::tree_leaves(std::uint32_t block, const model::PhaseSpec& spec, std::uint32_t from,
                         std::uint32_t to, std::uint32_t rank) {
  const Event arrival{
      .kind = EventKind::tree_deliver, .first = from, .key = to, .block = block, .spec = spec.id};
  const std::uint32_t communicator = blocks_[block].communicator;
  const std::uint32_t sender = run_.rank_of(communicator, from),
                      receiver = run_.rank_of(communicator, to);
  const std::int64_t bytes = spec.request.data;
  const std::int64_t delay = run_.fabric.delay(sender, receiver, bytes);
  if (run_.recorder) run_.recorder->message(sender, receiver, bytes, run_.now(), delay);
  transport_.send(sender, receiver, bytes, delay, arrival, run_.weight(rank));
  if (!run_.guarded) return;
  Event watched = arrival;
  watched.time = run_.after(delay);
  guard_.message(watched, communicator, from, to, kNone);
}

// The member in a slot of its own place.
std::uint32_t Engine::in_tree(const Stream& stream, std::uint32_t slot) {
  const std::uint32_t stride = stream.spec->request.ring.stride;
  const std::uint32_t position = in_slot(tree_place(*stream.spec, stream.member), slot);
  return stream.member - stream.position * stride + position * stride;
}

void Engine::tree_receive(Stream& stream, std::uint32_t slot) {
  if (run_.platform.collectives.rendezvous) return announce(stream, in_tree(stream, slot), slot);
  tree_post(stream, slot);
}

// ASTRA rules: all phases of a tree all-reduce have the same size, and messages match by sender and
// size: one of another phase of the chunk will do.
void Engine::tree_post(Stream& stream, std::uint32_t slot) {
  if (!stream.early || !take_early(stream, in_tree(stream, slot), 0)) {
    ++stream.balances[slot];
    return;
  }
  run_.queue.push({.time = run_.now(),
                   .kind = EventKind::tree_late,
                   .first = slot,
                   .key = stream.member,
                   .block = stream.block});
  guard_.own(stream.rank, run_.now());
}

void Engine::tree_arrival(const Event& event) {
  Block& block = blocks_[event.block];
  if (block.streams == nullptr) return;
  Stream& stream = block.streams[run_.communicators[block.communicator].slot(event.key)];
  const model::PhaseSpec& spec = planner_.spec(event.spec);
  const std::uint32_t from = sender_to(stream.member, spec, event.first, event.key, 0);
  const bool tree = stream.spec != nullptr &&
                    stream.spec->request.algorithm.algorithm == Algorithm::double_binary_tree;
  const bool matches =
      run_.astra() ? tree && stream.spec->request.data == spec.request.data : stream.spec == &spec;
  if (matches) {
    const model::TreePlace place = tree_place(*stream.spec, stream.member);
    for (std::uint32_t slot = 0; slot < kTreeSlots; ++slot) {
      if (in_slot(place, slot) == model::TreePlace::kNone || in_tree(stream, slot) != from ||
          stream.balances[slot] == 0)
        continue;
      --stream.balances[slot];
      return tree_received(stream);
    }
  }
  stream.early = true;
  ++early_[early_key(stream, spec, from, 0)];
}

void Engine::tree_late(const Event& event) {
  Block& block = blocks_[event.block];
  tree_received(block.streams[run_.communicators[block.communicator].slot(event.key)]);
}

void Engine::tree_received(Stream& stream) {
  ++stream.received;
  const model::TreePlace place = tree_place(*stream.spec, stream.member);
  const bool reduce = !place.is_leaf();
  ++stream.inserted;
  if (stream.spec->on_bus) {
    const bool returns = reduce && (place.parent == model::TreePlace::kNone || stream.received > 1);
    return cross_bus(stream, 0, model::SharedBus::Way::from_memory, reduce, returns);
  }
  agendas_.at(stream.rank, stream.spec->endpoint,
              {&stream, 0, reduce ? LocalKind::inserted_sum : LocalKind::inserted});
}

void Engine::tree_free(Stream& stream) {
  const model::TreePlace place = tree_place(*stream.spec, stream.member);
  const bool root = place.parent == model::TreePlace::kNone;
  const std::int32_t children = (place.left != model::TreePlace::kNone ? 1 : 0) +
                                (place.right != model::TreePlace::kNone ? 1 : 0);
  ++stream.free;
  const auto send_down = [&] {
    if (place.left != model::TreePlace::kNone) tree_send(stream, kLeft);
    if (place.right != model::TreePlace::kNone) tree_send(stream, kRight);
    end_phase(stream);
  };
  if (place.is_leaf()) {
    if (stream.free == 2) {
      end_phase(stream);
      return;
    }
    tree_send(stream, kParent);
    tree_receive(stream, kParent);
  } else if (stream.free == children) {
    if (root) {
      send_down();
      return;
    }
    tree_send(stream, kParent);
    tree_receive(stream, kParent);
  } else if (stream.free == children + 1) {
    send_down();
  }
}

}  // namespace orrery::sim
