// SPDX-License-Identifier: Apache-2.0
//
// The senders of the packet network.
#include <algorithm>
#include <cmath>
#include <span>

#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

void PacketEngine::post(const PacketPost& message, std::int64_t now, Report& report) {
  report_ = &report;
  now_ = now;
  const std::uint32_t number = connection_of(message);
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
  if (monitor_) posted.record = monitor_->posts(message, now);
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
  ++unacknowledged_;
  // A sender that was idle may begin before it has credit, with one window.
  if (connection.in_flight == 0 && connection.sending == kNoPacket)
    connection.credit =
        std::max(connection.credit, connection.sent + connection.congestion.window());
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
  Connection& connection = connections_[number];
  if (connection.route.hops == 0 || connection.has_given_up) return false;
  std::int64_t size = 0;
  if (is_lossy_) {
    Reliability& state = reliability_[number];
    while (!state.lost.empty() && (state.lost.front() < state.sent.first() ||
                                   state.sent[state.lost.front()].state != SentPacket::State::lost))
      state.lost.remove_first();
    if (!state.lost.empty()) size = state.sent[state.lost.front()].size;
  }
  if (size == 0) {
    if (connection.sending == kNoPacket) return false;
    size = header_ + packet_bytes(messages_[connection.sending], connection.next);
  }
  if (connection.in_flight == 0) return true;
  if (needs_credit(limits_[connection.rules].transport) &&
      connection.sent + size > connection.credit) {
    connection.lacked_credit = true;
    return false;
  }
  const std::int64_t window = connection.congestion.window();
  return window == 0 || connection.in_flight + size <= window;
}

/// Whether the rate of the sender does not allow its next packet yet. An event follows then.
bool PacketEngine::is_paced(std::uint32_t number) {
  Connection& connection = connections_[number];
  connection.congestion.advance(now_);
  const double rate = connection.congestion.rate();
  if (rate <= 0) return false;
  const double wait = static_cast<double>(connection.paced_bytes) / rate;
  if (wait >= static_cast<double>(kNever - connection.paced_from)) return true;
  std::int64_t at = connection.paced_from + std::llround(wait);
  if (at <= now_) return false;
  at = std::min(at, connection.congestion.next_change());
  if (at >= connection.pace_timer) return true;
  connection.pace_timer = at;
  events_.push({at, number, PacketEvent::kPace});
  return true;
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
  packet.priority = connection.priority;
  set_route(packet, connection.route);
  if (is_adaptive_) {
    packet.hops = 0;
    packet.links[0] = connection.route.links[0];
  }
  packet.entropy = static_cast<std::uint16_t>(connection.entropy);
  packet.sent = now_;
  fill_packet(number, packet);
  connection.in_flight += packet.size;
  connection.sent += packet.size;
  connection.paced_from = now_;
  connection.paced_bytes = packet.size;
  connection.congestion.sent(packet.size);
  if (needs_credit(limits_[connection.rules].transport))
    packet.received =
        credit_request(connection.sent, connection.posted + connection.repeated - connection.sent);
  // The receiver may not have enough to acknowledge before the next packet fits into the window.
  packet.asks = connection.in_flight < settings_.acknowledge_every.count() + limits_[0].packet &&
                !may_send(number);
  ++counts_.sent;
  if (routes_.entropies() > 1) choose_route(connection);
  if (is_lossy_) add_timer(number, now_ + connection.timeout);
  return made;
}

/// The number and size of the next packet.
void PacketEngine::fill_packet(std::uint32_t number, Packet& packet) {
  Connection& connection = connections_[number];
  if (is_lossy_ && !reliability_[number].lost.empty()) {
    Reliability& state = reliability_[number];
    SentPacket& sent = state.sent[state.lost.front()];
    packet.number = static_cast<std::uint32_t>(state.lost.front());
    packet.size = sent.size;
    sent.sent = now_;
    sent.state = SentPacket::State::in_flight;
    state.lost.remove_first();
    ++counts_.again;
    if (monitor_) note_repeated(connection, packet);
    return;
  }
  const PacketMessage& message = messages_[connection.sending];
  packet.number = static_cast<std::uint32_t>(connection.next);
  packet.size = packet_bytes(message, connection.next) + static_cast<std::uint32_t>(header_);
  if (is_lossy_)
    reliability_[number].sent.append({now_, packet.size, SentPacket::State::in_flight});
  if (++connection.next == message.first + message.packets) connection.sending = message.next;
}

void PacketEngine::note_repeated(const Connection& connection, const Packet& packet) {
  record_event(packet.hops == 0 ? packet.links[0] : routes_.links()[packet.route],
               &PortPackets::retransmitted);
  // Packets of messages that are not acknowledged differ by less than 2^31 in their numbers.
  std::uint32_t at = connection.first_message;
  while (static_cast<std::int32_t>(
             packet.number -
             static_cast<std::uint32_t>(messages_[at].first + messages_[at].packets)) >= 0)
    at = messages_[at].next;
  monitor_->repeats(messages_[at].record);
}

void PacketEngine::send_what_is_allowed(std::uint32_t number) {
  if (settings_.posting == platform::PacketPosting::turns) return take_turn(number);
  while (may_send(number) && !is_paced(number)) {
    const std::uint32_t packet = make_packet(number);
    enqueue(routes_.links()[packets_[packet].route], packet);
  }
}

/// Appends the sender to those that take turns at the port of its next packet.
void PacketEngine::take_turn(std::uint32_t number) {
  Connection& connection = connections_[number];
  if (connection.has_turn || !may_send(number) || is_paced(number)) return;
  const std::uint32_t at = connection.route.links[0];
  Port& port = ports_[at];
  PacketQueue& queue = queue_of(at, connection.priority);
  connection.has_turn = true;
  connection.next_sender = kNoPacket;
  (queue.first_sender == kNoPacket ? queue.first_sender
                                   : connections_[queue.last_sender].next_sender) = number;
  queue.last_sender = number;
  port.has_senders = static_cast<std::uint8_t>(port.has_senders | 1u << connection.priority);
  if (port.idle_at <= now_ && !port.is_waking) return serve(at);
  schedule_wake(at);
}

/// An acknowledgement reaches its sender.
void PacketEngine::acknowledged(const Packet& packet, std::uint32_t number) {
  Connection& connection = connections_[packet.connection];
  connection.spraying.report(packet.entropy, packet.marked);
  const std::int64_t bytes = take_acknowledged(packet);
  if (bytes > 0 && connection.timeouts > 0) {
    connection.timeouts = 0;
    connection.timeout = settings_.timeout.count();
  }
  connection.acknowledged += bytes;
  CongestionFeedback feedback{.now = now_,
                              .bytes = bytes,
                              .round_trip = packet.sent < 0 ? -1 : now_ - packet.sent,
                              .is_marked = packet.marked,
                              .hops = packet.hop + 1u,
                              .in_flight = connection.in_flight,
                              .acknowledged = connection.acknowledged,
                              .sent = connection.sent,
                              .records = {}};
  if (writes_loads_) feedback.records = loads_[number];
  connection.congestion.acknowledged(limits_[connection.rules], feedback);
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
    --unacknowledged_;
    connection.first_message = message.next;
    if (connection.first_message == kNoPacket) connection.last_message = kNoPacket;
    messages_[at].next = unused_message_;
    unused_message_ = at;
  }
}

/// A full packet over a route and its acknowledgement, without contention.
std::int64_t PacketEngine::unloaded_round_trip(const Connection& connection,
                                               const PacketRoute& forth) {
  std::int64_t time = 0;
  const auto add = [&](const PacketRoute& route, std::int64_t bytes) {
    for (std::uint32_t i = 0; i < route.hops; ++i) {
      const PacketLink& link = links_[routes_.links()[route.first + i]];
      time += serial_of(1e3 / link.bytes_per_ns, bytes) + link.latency;
    }
  };
  add(forth, payload_ + header_);
  if (has_changed_)
    add(routes_.initial(connection.to, connection.from), settings_.acknowledgement.count());
  else
    add(routes_.find(connection.back, connection.entropy, connection.to, connection.from),
        settings_.acknowledgement.count());
  return std::max<std::int64_t>(1, time);
}

}  // namespace orrery::model
