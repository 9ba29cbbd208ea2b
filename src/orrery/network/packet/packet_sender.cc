// SPDX-License-Identifier: Apache-2.0
//
// The senders of the packet network.
#include <algorithm>
#include <cmath>

#include "orrery/core/check.h"
#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

void PacketEngine::post(const Send& message, std::int64_t now, Report& report) {
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
  posted.packets =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>((message.bytes + payload_ - 1) / payload_));
  if (connection.last_message != kNoPacket) {
    PacketMessage& before = messages_[connection.last_message];
    posted.first = before.first + before.packets;
    before.next = made;
  } else {
    connection.first_message = made;
    posted.first = connection.next;
  }
  connection.last_message = made;
  if (connection.sending == kNoPacket) connection.sending = made;
  if (connection.receiving == kNoPacket) connection.receiving = made;
  send_what_is_allowed(number);
}

std::uint32_t PacketEngine::packet_bytes(const PacketMessage& message, std::uint64_t packet) const {
  if (packet + 1 < message.first + message.packets) return static_cast<std::uint32_t>(payload_);
  return static_cast<std::uint32_t>(message.bytes -
                                    static_cast<std::int64_t>(message.packets - 1) * payload_);
}

bool PacketEngine::may_send(const Connection& connection) const {
  if (connection.sending == kNoPacket) return false;
  const std::int64_t in_flight = connection.sent - connection.returned;
  return connection.window == 0 || in_flight == 0 ||
         in_flight + header_ + packet_bytes(messages_[connection.sending], connection.next) <=
             connection.window;
}

/// Chooses the entropy value of the next packet.
void PacketEngine::choose_route(Connection& connection) {
  if (routes_.entropies() == 1) return;
  if (++connection.entropy == routes_.entropies()) connection.entropy = 0;
  connection.route =
      routes_.find(connection.forth, connection.entropy, connection.from, connection.to);
}

std::uint32_t PacketEngine::make_packet(std::uint32_t number) {
  Connection& connection = connections_[number];
  const PacketMessage& message = messages_[connection.sending];
  const std::uint32_t made = take_packet();
  Packet& packet = packets_[made];
  packet.connection = number;
  set_route(packet, connection.route);
  packet.size = packet_bytes(message, connection.next) + static_cast<std::uint32_t>(header_);
  packet.number = static_cast<std::uint32_t>(connection.next);
  packet.entropy = static_cast<std::uint16_t>(connection.entropy);
  packet.sent = now_;
  connection.sent += packet.size;
  ++counts_.sent;
  choose_route(connection);
  if (++connection.next == message.first + message.packets) connection.sending = message.next;
  return made;
}

void PacketEngine::send_what_is_allowed(std::uint32_t number) {
  if (settings_.posting == platform::PacketPosting::turns) return take_turn(number);
  while (may_send(connections_[number])) {
    const std::uint32_t packet = make_packet(number);
    enqueue(routes_.links()[packets_[packet].route], packet);
  }
}

/// Appends the sender to those that take turns at the port of its next packet.
void PacketEngine::take_turn(std::uint32_t number) {
  Connection& connection = connections_[number];
  if (connection.has_turn || !may_send(connection)) return;
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

void PacketEngine::acknowledged(const Packet& packet) {
  Connection& connection = connections_[packet.connection];
  connection.returned = std::max(connection.returned, packet.received);
  // Messages that are sent and received completely are unused.
  while (connection.first_message != connection.receiving &&
         connection.first_message != connection.sending) {
    const std::uint32_t done = connection.first_message;
    connection.first_message = messages_[done].next;
    if (connection.first_message == kNoPacket) connection.last_message = kNoPacket;
    messages_[done].next = unused_message_;
    unused_message_ = done;
  }
}

std::int64_t PacketEngine::uncontended_time(EndPoint from, EndPoint to,
                                            std::int64_t bytes) const {
  // The last packet follows the others: up to some link they delay it, from there it goes alone.
  // T = latencies + max over links j of
  //       sum to j of s_i(P) + (n - 2) max to j of s_i(P) + sum from j of s_i(last).
  FabricRoutes& fabric = routes_.fabric();
  const Route* route = fabric.find(fabric.initial_state(), from, to);
  if (route == nullptr) return kNever;
  const std::vector<platform::RouteLink>& links = route->steps;
  const std::int64_t packets = std::max<std::int64_t>(1, (bytes + payload_ - 1) / payload_);
  const std::int64_t last = bytes - (packets - 1) * payload_ + header_;
  std::int64_t alone = 0, latency = 0;
  for (const auto& [link, share] : links) {
    alone += serial(ports_[link], last);
    latency += ports_[link].latency;
  }
  if (packets == 1) return latency + alone;
  double most = 0;
  std::int64_t full = 0, slowest = 0;
  for (const auto& [link, share] : links) {
    const std::int64_t each = serial(ports_[link], payload_ + header_);
    full += each;
    slowest = std::max(slowest, each);
    most = std::max(most, static_cast<double>(full + alone) +
                              static_cast<double>(packets - 2) * static_cast<double>(slowest));
    alone -= serial(ports_[link], last);
  }
  most += static_cast<double>(latency);
  return most < 4e18 ? static_cast<std::int64_t>(most) : kNever;
}

}  // namespace orrery::model
