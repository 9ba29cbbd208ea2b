// SPDX-License-Identifier: Apache-2.0
//
// Double binary tree all-reduce: up the tree with reduction, down with the result. Chunks alternate
// between two trees.
#include "orrery/core/check.h"
#include "orrery/model/collective/tree.h"
#include "orrery/sim/engine.h"

namespace orrery::sim {

using platform::Algorithm;

namespace {
// Slots of Stream::balances: who a message is expected from.
enum Slot : std::uint32_t { kParent, kLeft, kRight, kSlots };
}  // namespace

model::TreePlace Engine::place_in_tree(const Stream& stream) {
  const model::PhaseRequest& request = stream.spec->request;
  return model::tree_place(stream.position, request.ring.size, !request.min_tree);
}

void Engine::begin_tree(Stream& stream) {
  stream.balances = std::make_unique<std::int8_t[]>(kSlots);
  const model::TreePlace place = place_in_tree(stream);
  if (place.is_leaf()) {
    insert_packet(stream);
    return;
  }
  if (place.left != model::TreePlace::kNone) tree_post(stream, kLeft);
  if (place.right != model::TreePlace::kNone) tree_post(stream, kRight);
}

void Engine::tree_send(Stream& stream, std::uint32_t to_position) {
  const model::PhaseRequest& request = stream.spec->request;
  const std::uint32_t to =
      stream.member - stream.position * request.ring.stride + to_position * request.ring.stride;
  const Event arrival{.kind = EventKind::tree_deliver,
                      .first = stream.member,
                      .key = to,
                      .block = stream.block,
                      .spec = stream.spec->id};
  const std::uint32_t communicator = blocks_[stream.block].communicator;
  const std::uint32_t to_rank = rank_of(communicator, to);
  seats_[stream.rank].sent_bytes += static_cast<std::uint64_t>(request.data);
  ops_[stream.op].sent += static_cast<std::uint64_t>(request.data);
  const std::int64_t delay =
      fabric_.delay(rank_of(communicator, stream.member), to_rank, request.data);
  if (recorder_) recorder_->message(stream.rank, to_rank, request.data, now(), delay);
  transport(stream.rank, to_rank, request.data, delay, arrival, weight(stream.rank));
  if (!guarded_) return;
  Event watched = arrival;
  watched.time = after(delay);
  watch_message(watched, stream.member, to, kNone);
}

// ASTRA rules: all phases of a tree all-reduce have the same size, and messages match by sender and
// size: one of another phase of the chunk will do.
void Engine::tree_post(Stream& stream, std::uint32_t slot) {
  const model::RingShape& ring = stream.spec->request.ring;
  const model::TreePlace place = place_in_tree(stream);
  const std::uint32_t from = slot == kParent ? place.parent
                             : slot == kLeft ? place.left
                                             : place.right;
  const std::uint32_t member = stream.member - stream.position * ring.stride + from * ring.stride;
  if (!stream.early || !take_early(stream, member, 0)) {
    ++stream.balances[slot];
    return;
  }
  queue_.push({.time = now(),
               .kind = EventKind::tree_late,
               .first = slot,
               .key = stream.member,
               .block = stream.block});
  watch_own(stream.rank, now());
}

void Engine::tree_arrival(const Event& event) {
  Block& block = blocks_[event.block];
  if (block.streams == nullptr) return;
  Stream& stream = block.streams[communicators_[block.communicator].slot(event.key)];
  const model::PhaseSpec& spec = planner_.spec(event.spec);
  const bool tree = stream.spec != nullptr &&
                    stream.spec->request.algorithm.algorithm == Algorithm::double_binary_tree;
  const bool matches =
      astra() ? tree && stream.spec->request.data == spec.request.data : stream.spec == &spec;
  if (matches) {
    const model::RingShape& ring = stream.spec->request.ring;
    const std::uint32_t base = stream.member - stream.position * ring.stride;
    const model::TreePlace place = place_in_tree(stream);
    const std::uint32_t peers[kSlots] = {place.parent, place.left, place.right};
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      const bool from_here =
          peers[slot] != model::TreePlace::kNone && base + peers[slot] * ring.stride == event.first;
      if (!from_here || stream.balances[slot] == 0) continue;
      --stream.balances[slot];
      return tree_received(stream);
    }
  }
  stream.early = true;
  ++early_[early_key(stream, spec, event.first, 0)];
}

void Engine::tree_late(const Event& event) {
  Block& block = blocks_[event.block];
  tree_received(block.streams[communicators_[block.communicator].slot(event.key)]);
}

void Engine::tree_received(Stream& stream) {
  ++stream.received;
  const model::TreePlace place = place_in_tree(stream);
  const bool reduce = !place.is_leaf();
  ++stream.inserted;
  if (stream.spec->on_bus) {
    const bool returns = reduce && (place.parent == model::TreePlace::kNone || stream.received > 1);
    return cross_bus(stream, 0, model::SharedBus::Way::from_memory, reduce, returns);
  }
  at(stream.rank, stream.spec->endpoint,
     {&stream, 0, reduce ? LocalKind::inserted_sum : LocalKind::inserted});
}

void Engine::tree_free(Stream& stream) {
  const model::TreePlace place = place_in_tree(stream);
  const bool root = place.parent == model::TreePlace::kNone;
  const std::int32_t children = (place.left != model::TreePlace::kNone ? 1 : 0) +
                                (place.right != model::TreePlace::kNone ? 1 : 0);
  ++stream.free;
  const auto send_down = [&] {
    if (place.left != model::TreePlace::kNone) tree_send(stream, place.left);
    if (place.right != model::TreePlace::kNone) tree_send(stream, place.right);
    end_phase(stream);
  };
  if (place.is_leaf()) {
    if (stream.free == 2) {
      end_phase(stream);
      return;
    }
    tree_send(stream, place.parent);
    tree_post(stream, kParent);
  } else if (stream.free == children) {
    if (root) {
      send_down();
      return;
    }
    tree_send(stream, place.parent);
    tree_post(stream, kParent);
  } else if (stream.free == children + 1) {
    send_down();
  }
}

}  // namespace orrery::sim
