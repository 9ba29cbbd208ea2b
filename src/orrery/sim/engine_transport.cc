// SPDX-License-Identifier: Apache-2.0
//
// From "send these bytes" to an arrival: at once with a delay (analytical), or link by link
// (message). And the announcements that come before a message under the rendezvous protocol.
#include <fmt/format.h>

#include "orrery/sim/engine.h"

namespace orrery::sim {

void Engine::transport(std::uint32_t from, std::uint32_t to, std::int64_t size, std::int64_t delay,
                       Event arrival, std::uint32_t weight) {
  result_.messages += weight;
  if (!links_ || from == to) {
    arrival.time = after(links_ ? 0 : delay);
    queue_.push(arrival);
    return;
  }
  const std::uint32_t message = links_->add(from, to, size);
  if (message >= cargo_.size()) cargo_.resize(message + 1);
  cargo_[message] = arrival;
  model::Links::Departure departure;
  if (links_->forward(message, departure)) depart(departure);
}

void Engine::depart(const model::Links::Departure& departure) {
  if (recorder_) recorder_->link_busy(departure, now());
  queue_.push({.time = after(departure.arrival),
               .kind = EventKind::hop_arrival,
               .first = departure.message});
  queue_.push(
      {.time = after(departure.busy), .kind = EventKind::link_idle, .first = departure.link});
}

void Engine::hop_arrival(std::uint32_t message) {
  if (links_->arrived(message)) {
    Event arrival = cargo_[message];
    arrival.time = now();
    return dispatch(arrival);
  }
  model::Links::Departure departure;
  if (links_->forward(message, departure)) depart(departure);
}

void Engine::link_idle(std::uint32_t link) {
  model::Links::Departure departure;
  if (links_->idle(link, departure)) depart(departure);
}

// Rendezvous. The receiver announces itself to the sender it expects; the payload's receive is
// posted when that announcement has arrived, and the payload leaves when the sender has both asked
// to send and seen the announcement.
void Engine::announce(Stream& stream, std::uint32_t key) {
  const std::uint32_t communicator = blocks_[stream.block].communicator;
  const std::uint32_t from =
      rank_of(communicator, stream.spec->source(stream.member, stream.position, key));
  const std::uint32_t own = rank_of(communicator, stream.member);
  transport(
      own, from, kAnnouncementBytes, fabric_.delay(own, from, kAnnouncementBytes),
      {.kind = EventKind::ready_to_send, .first = stream.member, .key = key, .block = stream.block},
      weight(stream.rank));
}

void Engine::send_when_announced(Stream& stream, std::uint32_t key) {
  const std::uint32_t to = stream.spec->destination(stream.member, stream.position, key);
  Mailbox& box = announcements_.at({stream.block | std::uint64_t{1} << 32, to, stream.member, 0});
  const auto number = static_cast<std::uint32_t>(announced_sends_.size());
  announced_sends_.push_back({stream.block, stream.member, to, key, stream.spec});
  if (box.arrived == 0) {
    wait_in(box, next_announced_, number);
    return;
  }
  --box.arrived;
  queue_.push({.time = now(), .kind = EventKind::ready_late, .first = number});
}

void Engine::send_payload(std::uint32_t number) {
  const AnnouncedSend send = announced_sends_[number];
  const model::PhaseSpec& spec = *send.spec;
  const std::uint32_t communicator = blocks_[send.block].communicator;
  const std::uint32_t from = rank_of(communicator, send.member),
                      to = rank_of(communicator, send.to);
  const std::int64_t bytes = spec.step_of(send.key).bytes;
  const std::int64_t delay =
      spec.delay_by_key.empty() ? fabric_.delay(from, to, bytes) : spec.delay_by_key[send.key];
  transport(
      from, to, bytes, delay,
      {.kind = EventKind::deliver,
       .first = send.member,
       .key = send.key,
       .block = send.block,
       .spec = spec.id},
      weight(
          blocks_[send.block].streams == nullptr
              ? 0
              : blocks_[send.block].streams[communicators_[communicator].slot(send.member)].rank));
}

void Engine::announcement_arrives(const Event& event) {
  Block& block = blocks_[event.block];
  if (block.streams == nullptr) return;
  Stream& receiver = block.streams[communicators_[block.communicator].slot(event.first)];
  if (receiver.spec == nullptr) return;
  const std::uint32_t from = receiver.spec->source(receiver.member, receiver.position, event.key);
  post_receive(receiver, event.key);
  Mailbox& box =
      announcements_.at({event.block | std::uint64_t{1} << 32, receiver.member, from, 0});
  if (box.first == kNone) {
    ++box.arrived;
    return;
  }
  send_payload(take_first(box, next_announced_));
}

}  // namespace orrery::sim
