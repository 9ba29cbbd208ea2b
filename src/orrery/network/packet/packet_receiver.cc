// SPDX-License-Identifier: Apache-2.0
//
// The receivers of the packet network.
#include <algorithm>
#include <cmath>
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

/// Notes when the packet may complete its message. Repeated packets count again, so that the note
/// may be early, never late.
void PacketEngine::on_last_link(const Packet& packet, std::int64_t arrival) {
  const Connection& connection = connections_[packet.connection];
  if (connection.receiving == kNoPacket) return;
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
  if (needs_credit(limits_[connection.rules].transport))
    request_credit(packet.connection, packet.received, 0);
  if (packet.marked && limits_[connection.rules].transport == platform::PacketTransport::dcqcn &&
      (connection.notified_at < 0 ||
       now_ - connection.notified_at >= settings_.dcqcn.notify_every.count())) {
    connection.notified_at = now_;
    ++notifies_;
    events_.push(
        {now_ + settings_.dcqcn.notify_delay.count(), packet.connection, PacketEvent::kNotify});
  }
  if (!is_lossy_) return accept_data(packet, number, connection.received += packet.size);
  ReceivedPackets& packets = reliability_[packet.connection].received;
  const std::uint64_t full = full_number(packets.missing(), packet.number);
  if (packets.contains(full))
    return answer(packet, PacketKind::acknowledgement, static_cast<std::int64_t>(packets.count()),
                  number);
  if (goes_back_ && full != packets.missing()) {
    // A gap: the receiver reports it once.
    ++counts_.discarded;
    if (connection.reported_gap == packets.missing()) return;
    connection.reported_gap = packets.missing();
    Packet gap = packet;
    gap.number = static_cast<std::uint32_t>(packets.missing());
    return answer(gap, PacketKind::negative, -1);
  }
  packets.add(full);
  accept_data(packet, number, static_cast<std::int64_t>(packets.count()));
}

/// A packet that is new. `received`: bytes, or packets if they can be lost, until now.
void PacketEngine::accept_data(const Packet& packet, std::uint32_t number, std::int64_t received) {
  Connection& connection = connections_[packet.connection];
  connection.unreported += packet.size - header_;
  PacketMessage& message = message_of(connection, packet.number);
  const bool is_complete = ++message.received == message.packets;
  if (is_complete || packet.marked || packet.asks ||
      connection.unreported >= settings_.acknowledge_every.count()) {
    connection.unreported = 0;
    answer(packet, PacketKind::acknowledgement, received, number);
  } else if (!is_lossy_) {
    delay_answer(packet);  // otherwise the sender has a timeout
  }
  if (!is_complete) return;
  --undelivered_;
  if (monitor_) monitor_->arrives(message.record, now_);
  report_->arrives(message.token);
  while (connection.receiving != kNoPacket &&
         messages_[connection.receiving].received == messages_[connection.receiving].packets)
    connection.receiving = messages_[connection.receiving].next;
}

void PacketEngine::receive_header(std::uint32_t number) {
  const Packet packet = packets_[number];
  release_packet(number);
  // The packet must be sent again, which needs credit, too.
  if (needs_credit(limits_[connections_[packet.connection].rules].transport))
    request_credit(packet.connection, packet.received, payload_ + header_);
  answer(packet, PacketKind::negative, 0);
}

/// Sends an acknowledgement, over the route of the same entropy value.
void PacketEngine::answer(const Packet& packet, PacketKind kind, std::int64_t received,
                          std::uint32_t source) {
  const Connection& connection = connections_[packet.connection];
  const PacketRoute& route =
      routes_.find(connection.back, packet.entropy, connection.to, connection.from);
  if (route.hops == 0) return;  // a fault: the sender waits for its timeout
  const std::uint32_t made = take_packet();
  Packet& answer = packets_[made];
  answer.connection = packet.connection;
  answer.kind = kind;
  answer.priority = packet.priority;
  set_route(answer, route);
  answer.size = static_cast<std::uint32_t>(settings_.acknowledgement.count());
  answer.number = packet.number;
  answer.entropy = packet.entropy;
  answer.marked = packet.marked;
  answer.sent = packet.sent;
  answer.received = received;
  counts_.acknowledgements +=
      kind == PacketKind::acknowledgement || kind == PacketKind::negative ? 1 : 0;
  if (kind == PacketKind::notification) {
    ++counts_.notifications;
    if (monitor_) record_event(route.links[0], &PortPackets::cnps);
  }
  if (writes_loads_ && source != kNoPacket) {
    loads_[made] = loads_[source];
    for (std::uint32_t i = packet.hop; i < kLoadRecords; ++i) loads_[made][i] = LinkLoadRecord{};
  }
  enqueue(route.links[0], made);
}

/// A packet without an acknowledgement of its own. If no other follows for a quarter of the
/// timeout, as a sender whose window became smaller waits for it, the receiver acknowledges it
/// then.
void PacketEngine::delay_answer(const Packet& packet) {
  Connection& connection = connections_[packet.connection];
  connection.received_at = now_;
  connection.received_by = packet.entropy;
  if (connection.has_flush) return;
  connection.has_flush = true;
  events_.push({now_ + settings_.timeout.count() / 4, packet.connection, PacketEvent::kFlush});
}

void PacketEngine::flush(std::uint32_t number) {
  Connection& connection = connections_[number];
  connection.has_flush = false;
  if (connection.unreported == 0) return;
  const std::int64_t at = connection.received_at + settings_.timeout.count() / 4;
  if (at > now_) {
    connection.has_flush = true;
    events_.push({at, number, PacketEvent::kFlush});
    return;
  }
  connection.unreported = 0;
  Packet about;
  about.connection = number;
  about.priority = connection.priority;
  about.entropy = connection.received_by;
  about.sent = -1;  // its delay says nothing about the network
  answer(about, PacketKind::acknowledgement, connection.received);
}

/// DCQCN: notifies the sender of congestion.
void PacketEngine::notify(std::uint32_t number) {
  --notifies_;
  Packet about;
  about.connection = number;
  about.priority = connections_[number].priority;
  answer(about, PacketKind::notification, 0);
}

/// The sender requests credit; `again`: bytes that must be sent again, which it does not know yet.
void PacketEngine::request_credit(std::uint32_t number, std::int64_t request, std::int64_t again) {
  Connection& connection = connections_[number];
  const std::int64_t sent = sent_of(request, connection.granted);
  // What was sent before any credit needs none.
  connection.granted = std::max(connection.granted, sent);
  connection.demand = std::max(connection.demand, sent + backlog_of(request) + again);
  if (connection.waits_for_credit || connection.demand <= connection.granted) return;
  if (pacers_.size() <= connection.to) pacers_.resize(connection.to + 1);
  CreditPacer& pacer = pacers_[connection.to];
  connection.waits_for_credit = true;
  pacer.waiting.push_back(number);
  if (pacer.is_active) return;
  pacer.is_active = true;
  events_.push({std::max(now_, pacer.next), connection.to, PacketEvent::kCredit});
}

/// Grants credit to the sender whose turn it is, at a share of the rate of the port.
void PacketEngine::grant_credit(std::uint32_t end_point) {
  CreditPacer& pacer = pacers_[end_point];
  pacer.is_active = false;
  if (pacer.waiting.empty()) return;
  const std::uint32_t number = pacer.waiting.front();
  pacer.waiting.pop_front();
  Connection& connection = connections_[number];
  const std::int64_t bytes = settings_.credits.packets * (payload_ + header_);
  connection.granted += bytes;
  connection.waits_for_credit = connection.granted < connection.demand;
  if (connection.waits_for_credit) pacer.waiting.push_back(number);
  ++counts_.credits;
  Packet about;
  about.connection = number;
  about.priority = connection.priority;
  about.entropy = static_cast<std::uint16_t>(counts_.credits % routes_.entropies());
  answer(about, PacketKind::credit, connection.granted);
  const PacketRoute& route = routes_.find(connection.forth, 0, connection.from, connection.to);
  const std::uint32_t last = route.hops == 0 ? 0 : routes_.links()[route.first + route.hops - 1];
  const double time =
      static_cast<double>(bytes) * ports_[last].ps_per_byte / settings_.credits.rate;
  pacer.next = now_ + std::max<std::int64_t>(1, std::llround(time));
  if (pacer.waiting.empty()) return;
  pacer.is_active = true;
  events_.push({pacer.next, end_point, PacketEvent::kCredit});
}

}  // namespace orrery::model
