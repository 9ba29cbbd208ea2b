// SPDX-License-Identifier: Apache-2.0
//
// The receivers of the packet network.
#include <algorithm>
#include <functional>

#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

PacketMessage& PacketEngine::message_of(const Connection& connection, std::uint32_t number) {
  std::uint32_t at = connection.receiving;
  // Packets of a connection differ by less than 2^31 in their numbers.
  while (static_cast<std::int32_t>(
             number - static_cast<std::uint32_t>(messages_[at].first + messages_[at].packets)) >= 0)
    at = messages_[at].next;
  return messages_[at];
}

void PacketEngine::on_last_link(const Packet& packet, std::int64_t arrival) {
  const Connection& connection = connections_[packet.connection];
  if (is_lossy_) {
    const ReceivedPackets& received = reliability_[packet.connection].received;
    if (received.contains(full_number(received.missing(), packet.number))) return;
  }
  PacketMessage& message = message_of(connection, packet.number);
  if (++message.arriving < message.packets) return;
  completions_.push_back(arrival);
  std::push_heap(completions_.begin(), completions_.end(), std::greater<>());
}

void PacketEngine::receive_data(std::uint32_t number) {
  const Packet packet = packets_[number];
  release_packet(number);
  ++counts_.received;
  Connection& connection = connections_[packet.connection];
  std::int64_t received = 0;
  if (is_lossy_) {
    ReceivedPackets& packets = reliability_[packet.connection].received;
    const std::uint64_t full = full_number(packets.missing(), packet.number);
    received = static_cast<std::int64_t>(packets.count());
    if (packets.contains(full)) return answer(packet, PacketKind::acknowledgement, received);
    packets.add(full);
    ++received;
  } else {
    received = connection.received += packet.size;
  }
  connection.unreported += packet.size - header_;
  PacketMessage& message = message_of(connection, packet.number);
  const bool is_complete = ++message.received == message.packets;
  if (is_complete || packet.marked || packet.asks ||
      connection.unreported >= settings_.acknowledge_every.count()) {
    connection.unreported = 0;
    answer(packet, PacketKind::acknowledgement, received);
  }
  if (!is_complete) return;
  --undelivered_;
  report_->arrives(message.token);
  while (connection.receiving != kNoPacket &&
         messages_[connection.receiving].received == messages_[connection.receiving].packets)
    connection.receiving = messages_[connection.receiving].next;
}

void PacketEngine::receive_header(std::uint32_t number) {
  const Packet packet = packets_[number];
  release_packet(number);
  answer(packet, PacketKind::negative, 0);
}

/// Sends an acknowledgement, over the route of the same entropy value.
void PacketEngine::answer(const Packet& packet, PacketKind kind, std::int64_t received) {
  const Connection& connection = connections_[packet.connection];
  const PacketRoute route =
      routes_.find(connection.back, packet.entropy, connection.to, connection.from);
  const std::uint32_t made = take_packet();
  Packet& answer = packets_[made];
  answer.connection = packet.connection;
  answer.kind = kind;
  set_route(answer, route);
  answer.size = static_cast<std::uint32_t>(settings_.acknowledgement.count());
  answer.number = packet.number;
  answer.entropy = packet.entropy;
  answer.marked = packet.marked;
  answer.sent = packet.sent;
  answer.received = received;
  ++counts_.acknowledgements;
  enqueue(routes_.links()[route.first], made);
}

}  // namespace orrery::model
