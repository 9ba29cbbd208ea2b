// SPDX-License-Identifier: Apache-2.0
//
// The senders of the packet network.
#include <algorithm>

#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

void PacketEngine::post(const PacketPost& message, std::int64_t now, Report& report) {
  report_ = &report;
  now_ = now;
  const std::uint32_t number = connection_of(message.from, message.to);
  std::uint32_t made = unused_message_;
  if (made == kNoPacket) {
    made = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    unused_message_ = messages_[made].next;
    messages_[made] = PacketMessage{};
  }
  Connection& connection = connections_[number];
  PacketMessage& posted = messages_[made];
  posted.bytes = message.bytes;
  posted.token = message.token;
  posted.packets = static_cast<std::uint64_t>(packet_count(message.bytes));
  if (connection.last_message != kNoPacket) {
    PacketMessage& before = messages_[connection.last_message];
    posted.first = before.first + before.packets;
    before.next = made;
  } else {
    connection.first_message = made;
    posted.first = connection.next;
  }
  connection.last_message = made;
  connection.posted += message.bytes + static_cast<std::int64_t>(posted.packets) * header_;
  posted.end = connection.posted;
  ++undelivered_;
  if (connection.sending == kNoPacket) connection.sending = made;
  if (connection.receiving == kNoPacket) connection.receiving = made;
  send_what_is_allowed(number);
}

std::uint32_t PacketEngine::packet_bytes(const PacketMessage& message, std::uint64_t packet) const {
  if (packet + 1 < message.first + message.packets) return static_cast<std::uint32_t>(payload_);
  return static_cast<std::uint32_t>(message.bytes -
                                    static_cast<std::int64_t>(message.packets - 1) * payload_);
}

/// Whether the sender has a packet and room for it in its window.
bool PacketEngine::may_send(std::uint32_t number) {
  const Connection& connection = connections_[number];
  std::int64_t size = 0;
  if (is_lossy_) {
    Reliability& state = reliability_[number];
    while (!state.lost.empty() && (state.lost.front() < state.sent.first() ||
                                   state.sent[state.lost.front()].state != SentPacket::State::lost))
      state.lost.pop_front();
    if (!state.lost.empty()) size = state.sent[state.lost.front()].size;
  }
  if (size == 0) {
    if (connection.sending == kNoPacket) return false;
    size = header_ + packet_bytes(messages_[connection.sending], connection.next);
  }
  const std::int64_t window = connection.congestion.window();
  return window == 0 || connection.in_flight == 0 || connection.in_flight + size <= window;
}

/// Chooses the entropy value of the next packet.
void PacketEngine::choose_route(Connection& connection) {
  connection.entropy = connection.spraying.next();
  connection.route =
      routes_.find(connection.forth, connection.entropy, connection.from, connection.to);
}

/// The next packet: one that is lost, else a new one. may_send() is true.
std::uint32_t PacketEngine::make_packet(std::uint32_t number) {
  Connection& connection = connections_[number];
  const std::uint32_t made = take_packet();
  Packet& packet = packets_[made];
  packet.connection = number;
  set_route(packet, connection.route);
  packet.entropy = static_cast<std::uint16_t>(connection.entropy);
  packet.sent = now_;
  if (is_lossy_ && !reliability_[number].lost.empty()) {
    Reliability& state = reliability_[number];
    SentPacket& sent = state.sent[state.lost.front()];
    packet.number = static_cast<std::uint32_t>(state.lost.front());
    packet.size = sent.size;
    sent.sent = now_;
    sent.state = SentPacket::State::in_flight;
    state.lost.pop_front();
    ++counts_.again;
  } else {
    const PacketMessage& message = messages_[connection.sending];
    packet.number = static_cast<std::uint32_t>(connection.next);
    packet.size = packet_bytes(message, connection.next) + static_cast<std::uint32_t>(header_);
    if (is_lossy_)
      reliability_[number].sent.append() = {now_, packet.size, SentPacket::State::in_flight};
    if (++connection.next == message.first + message.packets) connection.sending = message.next;
  }
  connection.in_flight += packet.size;
  // The receiver may not have enough to acknowledge before the next packet fits into the window.
  packet.asks = connection.in_flight < settings_.acknowledge_every.count() + limits_.packet &&
                !may_send(number);
  ++counts_.sent;
  if (routes_.entropies() > 1) choose_route(connection);
  if (is_lossy_) add_timer(number, now_ + settings_.timeout.count());
  return made;
}

void PacketEngine::send_what_is_allowed(std::uint32_t number) {
  if (settings_.posting == platform::PacketPosting::turns) return take_turn(number);
  while (may_send(number)) {
    const std::uint32_t packet = make_packet(number);
    enqueue(routes_.links()[packets_[packet].route], packet);
  }
}

/// Appends the sender to those that take turns at the port of its next packet.
void PacketEngine::take_turn(std::uint32_t number) {
  Connection& connection = connections_[number];
  if (connection.has_turn || !may_send(number)) return;
  const std::uint32_t at = routes_.links()[connection.route.first];
  Port& port = ports_[at];
  connection.has_turn = true;
  connection.next_sender = kNoPacket;
  (port.first_sender == kNoPacket ? port.first_sender
                                  : connections_[port.last_sender].next_sender) = number;
  port.last_sender = number;
  if (port.idle_at <= now_ && !port.is_waking) return serve(at);
  schedule_wake(at);
}

/// An acknowledgement, positive or negative, reaches its sender.
void PacketEngine::acknowledged(const Packet& packet) {
  Connection& connection = connections_[packet.connection];
  const bool is_lost = packet.kind == PacketKind::negative;
  connection.spraying.report(packet.entropy, packet.marked || is_lost);
  std::int64_t bytes = 0;
  if (!is_lossy_) {
    bytes = std::max<std::int64_t>(0, packet.received - connection.acknowledged);
    connection.in_flight -= bytes;
  } else {
    Reliability& state = reliability_[packet.connection];
    if (is_lost) {
      const std::uint64_t number = full_number(state.sent.first(), packet.number);
      if (number >= state.sent.first() && state.sent[number].sent == packet.sent)
        lose(packet.connection, number);
      return;
    }
    state.received.report_until(static_cast<std::uint64_t>(packet.received),
                                [&](std::uint64_t number) {
                                  SentPacket& sent = state.sent[number];
                                  bytes += sent.size;
                                  if (sent.state == SentPacket::State::in_flight)
                                    connection.in_flight -= sent.size;
                                  sent.state = SentPacket::State::acknowledged;
                                });
    state.sent.remove_acknowledged();
  }
  connection.acknowledged += bytes;
  connection.congestion.acknowledged(limits_, now_, bytes, now_ - packet.sent, packet.marked,
                                     connection.in_flight);
  release_messages(packet.connection);
}

/// Releases messages that are acknowledged completely.
void PacketEngine::release_messages(std::uint32_t number) {
  Connection& connection = connections_[number];
  while (connection.first_message != kNoPacket) {
    const std::uint32_t at = connection.first_message;
    const PacketMessage& message = messages_[at];
    // Without losses only bytes are counted, and those of the next message may arrive first.
    const bool is_done =
        is_lossy_ ? reliability_[number].sent.first() >= message.first + message.packets
                  : message.received == message.packets && connection.acknowledged >= message.end;
    if (!is_done) return;
    report_->acknowledged(message.token, now_);
    connection.first_message = message.next;
    if (connection.first_message == kNoPacket) connection.last_message = kNoPacket;
    messages_[at].next = unused_message_;
    unused_message_ = at;
  }
}

/// The packet must be sent again, unless it is already lost or acknowledged.
void PacketEngine::lose(std::uint32_t number, std::uint64_t packet) {
  Connection& connection = connections_[number];
  Reliability& state = reliability_[number];
  SentPacket& sent = state.sent[packet];
  if (sent.state != SentPacket::State::in_flight) return;
  sent.state = SentPacket::State::lost;
  connection.in_flight -= sent.size;
  state.lost.push_back(packet);
  connection.congestion.lost(limits_, now_, sent.size, connection.in_flight);
}

void PacketEngine::add_timer(std::uint32_t number, std::int64_t at) {
  Reliability& state = reliability_[number];
  if (state.has_timer) return;
  state.has_timer = true;
  events_.push({at, number, PacketEvent::kTimeout});
}

void PacketEngine::time_out(std::uint32_t number) {
  Reliability& state = reliability_[number];
  state.has_timer = false;
  std::int64_t oldest = kNever;
  for (std::uint64_t packet = state.sent.first(); packet < state.sent.end(); ++packet) {
    const SentPacket& sent = state.sent[packet];
    if (sent.state != SentPacket::State::in_flight) continue;
    if (now_ - sent.sent >= settings_.timeout.count())
      lose(number, packet);
    else
      oldest = std::min(oldest, sent.sent);
  }
  if (oldest != kNever) add_timer(number, oldest + settings_.timeout.count());
  send_what_is_allowed(number);
}

/// A full packet and its acknowledgement, without contention.
std::int64_t PacketEngine::unloaded_round_trip(const Connection& connection) {
  std::int64_t time = 0;
  const auto add = [&](PacketRoute route, std::int64_t bytes) {
    for (std::uint32_t i = 0; i < route.hops; ++i) {
      const Port& port = ports_[routes_.links()[route.first + i]];
      time += serial(port, bytes) + port.latency;
    }
  };
  add(connection.route, payload_ + header_);
  add(routes_.find(connection.back, connection.entropy, connection.to, connection.from),
      settings_.acknowledgement.count());
  return time;
}

}  // namespace orrery::model
