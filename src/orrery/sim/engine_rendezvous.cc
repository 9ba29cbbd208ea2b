// SPDX-License-Identifier: Apache-2.0
//
// The announcements that come before a message under the rendezvous protocol.
#include "orrery/sim/engine.h"
#include "orrery/sim/mirror.h"

namespace orrery::sim {

// Rendezvous. The receiver announces itself to the sender it expects; the payload's receive is
// posted when that announcement has arrived, and the payload leaves when the sender has both asked
// to send and seen the announcement. `key` is the matching key of the message, or where in a tree
// the receiver has its sender.
void Engine::announce(Stream& stream, std::uint32_t from, std::uint32_t key) {
  const std::uint32_t communicator = blocks_[stream.block].communicator;
  const std::uint32_t sender = run_.rank_of(communicator, from);
  const std::uint32_t own = run_.rank_of(communicator, stream.member);
  transport_.send(own, sender, kAnnouncementBytes,
                  run_.fabric.delay(own, sender, kAnnouncementBytes),
                  {.kind = EventKind::ready_to_send,
                   .first = stream.member,
                   .key = key,
                   .block = stream.block,
                   .spec = stream.spec->id},
                  run_.weight(stream.rank));
}

// Where a sender looks for the announcement of `to`. ASTRA rules match by chunk and ranks, Orrery
// rules by phase and step, seen from the sender: in a tree that is where it has the receiver.
MessageKey Engine::announcement_key(const Stream& sender, const model::PhaseSpec& spec,
                                    std::uint32_t to, std::uint32_t step) const {
  if (run_.astra()) return {sender.block, to, sender.member, 0};
  return {sender.block | std::uint64_t{spec.id} << 32, 0, sender.member, step};
}

void Engine::send_when_announced(Stream& stream, std::uint32_t to, std::uint32_t step) {
  Mailbox& box = announcements_.at(announcement_key(stream, *stream.spec, to, step));
  const auto number = static_cast<std::uint32_t>(announced_sends_.size());
  announced_sends_.push_back({stream.block, stream.member, to, step, stream.rank, stream.spec});
  if (box.arrived == 0) {
    wait_in(box, next_announced_, number);
    return;
  }
  --box.arrived;
  run_.queue.push({.time = run_.now(), .kind = EventKind::ready_late, .first = number});
}

void Engine::send_payload(std::uint32_t number) {
  const AnnouncedSend send = announced_sends_[number];
  const model::PhaseSpec& spec = *send.spec;
  if (spec.request.algorithm.algorithm == platform::Algorithm::double_binary_tree)
    return tree_leaves(send.block, spec, send.member, send.to, send.rank);
  const std::uint32_t communicator = blocks_[send.block].communicator;
  const std::uint32_t from = run_.rank_of(communicator, send.member),
                      to = run_.rank_of(communicator, send.to);
  const std::int64_t bytes = spec.step_of(send.step).bytes;
  const std::int64_t delay =
      spec.delay_by_key.empty() ? run_.fabric.delay(from, to, bytes) : spec.delay_by_key[send.step];
  transport_.send(from, to, bytes, delay,
                  {.kind = EventKind::deliver,
                   .first = send.member,
                   .key = send.step,
                   .block = send.block,
                   .spec = spec.id},
                  run_.weight(send.rank));
}

void Engine::announcement_arrives(const Event& event) {
  Block& block = blocks_[event.block];
  if (block.streams == nullptr) return;
  const Communicator& group = run_.communicators[block.communicator];
  Stream& receiver = block.streams[group.slot(event.first)];
  if (receiver.spec == nullptr) return;
  const model::PhaseSpec& spec = *receiver.spec;
  std::uint32_t from, step = event.key;
  if (spec.request.algorithm.algorithm == platform::Algorithm::double_binary_tree) {
    from = in_tree(receiver, event.key);
    step = slot_of(tree_place(spec, from), receiver.position);
    tree_post(receiver, event.key);
  } else {
    from = spec.source(receiver.member, receiver.position, event.key);
    post_receive(receiver, event.key);
  }
  const Stream& sender = block.streams[group.slot(from)];
  Mailbox& box = announcements_.at(announcement_key(sender, spec, receiver.member, step));
  if (box.first == kNone) {
    ++box.arrived;
    return;
  }
  send_payload(take_first(box, next_announced_));
}

}  // namespace orrery::sim
