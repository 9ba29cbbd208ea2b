// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/rendezvous.h"

namespace orrery::sim {

void Rendezvous::announce(const Stream& receiver, std::uint32_t from, std::uint32_t key) {
  const std::uint32_t sender = chunks_.rank_of(receiver, from);
  const std::uint32_t own = chunks_.rank_of(receiver, receiver.member);
  transport_.send({.from = own,
                   .to = sender,
                   .bytes = kAnnouncementBytes,
                   .weight = run_.weight(receiver.rank),
                   .traffic = model::TrafficClass::announcement,
                   .flow = chunks_.of(receiver).flow(),
                   .order = step_order(receiver.spec->id, key)},
                  transport_.duration(own, sender, kAnnouncementBytes),
                  {.kind = EventKind::ready_to_send,
                   .first = receiver.member,
                   .key = key,
                   .block = receiver.id.block,
                   .spec = receiver.spec->id});
}

// The key under which a sender looks for the announcement of `to`. ASTRA rules match by chunk and
// ranks, Orrery rules by phase and step, as the sender sees them.
MessageKey Rendezvous::key(const Stream& sender, const model::PhaseSpec& spec, std::uint32_t to,
                           std::uint32_t step) const {
  if (run_.policy.match_by_size) return {sender.id.block, to, sender.member, 0};
  return {sender.id.block | std::uint64_t{spec.id} << 32, 0, sender.member, step};
}

void Rendezvous::request_send(const Stream& sender, std::uint32_t to, std::uint32_t step) {
  Mailbox& box = boxes_.at(key(sender, *sender.spec, to, step));
  const auto number = static_cast<std::uint32_t>(sends_.size());
  sends_.push_back({sender.id.block, sender.member, to, step, sender.rank, sender.spec});
  if (box.arrived == 0) {
    wait_in(box, next_, number);
    return;
  }
  --box.arrived;
  run_.push({.time = run_.now(), .kind = EventKind::ready_late, .first = number});
}

std::optional<AnnouncedSend> Rendezvous::match(const Stream& receiver, std::uint32_t from,
                                               std::uint32_t step) {
  const Stream& sender = chunks_.at(chunks_.of(receiver), from);
  Mailbox& box = boxes_.at(key(sender, *receiver.spec, receiver.member, step));
  if (box.first == kNone) {
    ++box.arrived;
    return std::nullopt;
  }
  return sends_[take_first(box, next_)];
}

void Rendezvous::save(StateWriter& to) const {
  to(boxes_, next_, sends_);
  for (const AnnouncedSend& send : sends_) to(send.spec->id);
}

void Rendezvous::load(StateReader& from, const CollectivePlanner& planner) {
  from(boxes_, next_, sends_);
  for (AnnouncedSend& send : sends_) {
    send.spec = planner.spec_numbered(from.take<std::uint32_t>());
    from.require(send.spec != nullptr);
  }
}

}  // namespace orrery::sim
