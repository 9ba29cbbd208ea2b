// SPDX-License-Identifier: Apache-2.0
//
// Steady states of the packet network: what determines the events that follow, and how to leave out
// packets of a period that repeats.
#include <algorithm>
#include <bit>
#include <utility>

#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

namespace {

/// Packets that a message must have after the last period: the last one has another size, and the
/// sender looks at the next one.
constexpr std::uint64_t kLeastLeft = 2;

std::uint64_t word(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::int64_t PacketEngine::earliest_arrival() const {
  const std::int64_t soon = next_arrival();
  if (soon == kNever || !completions_.empty()) return soon;
  std::int64_t earliest = kNever;
  for (const Connection& connection : connections_) {
    if (connection.receiving == kNoPacket || connection.route.hops == 0) continue;
    const PacketRoute& route = connection.route;
    const Port& last = ports_[routes_.links()[route.first + route.hops - 1]];
    for (std::uint32_t at = connection.receiving; at != kNoPacket; at = messages_[at].next) {
      const PacketMessage& message = messages_[at];
      if (message.received == message.packets) continue;
      const std::int64_t left = static_cast<std::int64_t>(message.packets) -
                                static_cast<std::int64_t>(message.arriving) - 1;
      if (left <= 0) return soon;
      if (left >= (kNever - now_) / last.full) continue;
      earliest = std::min(earliest, now_ + left * last.full);
    }
  }
  return std::max(soon, earliest == kNever ? soon : earliest);
}

std::uint32_t PacketEngine::longest_sender(std::uint64_t least) const {
  std::uint32_t longest = kNoPacket;
  for (std::uint32_t i = 0; i < connections_.size(); ++i) {
    const Connection& connection = connections_[i];
    if (connection.sending == kNoPacket) continue;
    const PacketMessage& message = messages_[connection.sending];
    const std::uint64_t left = message.first + message.packets - connection.next;
    if (left < least) continue;
    least = left + 1;
    longest = i;
  }
  return longest;
}

void PacketEngine::append_progress(std::vector<std::uint64_t>& next) const {
  for (const Connection& connection : connections_) next.push_back(connection.next);
}

std::int64_t PacketEngine::periods_left(const std::vector<std::uint64_t>& sent) const {
  std::uint64_t least = std::uint64_t{1} << 62;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i] == 0) continue;
    const Connection& connection = connections_[i];
    if (connection.sending == kNoPacket) return 0;
    const PacketMessage& message = messages_[connection.sending];
    const std::uint64_t left = message.first + message.packets - connection.next;
    least = std::min(least, left <= kLeastLeft ? 0 : (left - kLeastLeft) / sent[i]);
  }
  return static_cast<std::int64_t>(least);
}

void PacketEngine::skip(const std::vector<std::uint64_t>& sent, std::uint64_t times) {
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i] == 0) continue;
    Connection& connection = connections_[i];
    const std::uint64_t packets = sent[i] * times;
    const auto payload = static_cast<std::int64_t>(packets) * payload_;
    const std::int64_t bytes = payload + static_cast<std::int64_t>(packets) * header_;
    PacketMessage& message = messages_[connection.sending];
    message.packets -= packets;
    message.bytes -= payload;
    message.end -= bytes;
    connection.posted -= bytes;
    for (std::uint32_t at = message.next; at != kNoPacket; at = messages_[at].next) {
      messages_[at].first -= packets;
      messages_[at].end -= bytes;
    }
  }
}

bool PacketEngine::append_state(std::vector<std::uint64_t>& state) const {
  for (std::uint32_t i = 0; i < connections_.size(); ++i) {
    if (!append_connection(connections_[i], i, state)) return false;
  }
  append_events(state);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) append_port(i, state);
  for (const std::int64_t used : buffers_.used) state.push_back(word(used));
  for (const HeldPackets& held : buffers_.held)
    state.insert(state.end(), {word(held.shared), word(held.headroom), held.is_paused});
  state.push_back(samples_);
  return true;
}

/// Timeouts and late acknowledgements are left out: they have an effect only after a loss or a
/// pause, at a time that follows from the packets.
void PacketEngine::append_events(std::vector<std::uint64_t>& state) const {
  std::vector<PacketEvent> events;
  events_.for_each([&](const PacketEvent& event) {
    if (event.port != PacketEvent::kTimeout && event.port != PacketEvent::kFlush)
      events.push_back(event);
  });
  std::stable_sort(events.begin(), events.end(),
                   [](const PacketEvent& a, const PacketEvent& b) { return a.time < b.time; });
  for (const PacketEvent& event : events) {
    state.insert(state.end(), {word(event.time - now_), event.port});
    if (event.port < PacketEvent::kFirstKind || event.port == PacketEvent::kReceived)
      append_packet(event.number, state);
    else
      state.push_back(event.number);
  }
}

void PacketEngine::append_packet(std::uint32_t number, std::vector<std::uint64_t>& state) const {
  const Packet& packet = packets_[number];
  std::uint64_t about = static_cast<std::uint64_t>(packet.kind);
  about = about << 3 | packet.priority;
  for (const bool flag : {packet.marked, packet.asks, packet.is_held, packet.in_headroom})
    about = about << 1 | static_cast<std::uint64_t>(flag);
  about = (about << 16 | packet.hop) << 32 | packet.size;
  state.insert(state.end(), {about, packet.connection});
  if (packet.kind == PacketKind::pause) {
    state.insert(state.end(), {packet.number, word(packet.received)});
    return;
  }
  const Connection& connection = connections_[packet.connection];
  const std::int64_t received =
      packet.kind == PacketKind::data ? 0
      : is_lossy_                     ? packet.received -
                        static_cast<std::int64_t>(reliability_[packet.connection].received.count())
                  : packet.received - connection.received;
  state.insert(state.end(), {packet.number - static_cast<std::uint32_t>(connection.next),
                             word(received), word(packet.sent - now_)});
}

void PacketEngine::append_port(std::uint32_t number, std::vector<std::uint64_t>& state) const {
  const Port& port = ports_[number];
  const bool is_busy = port.idle_at > now_;
  std::uint64_t about = is_busy ? port.serving : 0;
  for (const std::uint8_t one : {port.has_packets, port.has_senders, port.paused})
    about = about << 8 | one;
  about = about << 1 | static_cast<std::uint64_t>(port.is_waking);
  state.insert(state.end(), {about, is_busy ? word(port.idle_at - now_) : 0});
  const auto append_list = [&](std::uint32_t first) {
    for (; first != kNoPacket; first = packets_[first].next) append_packet(first, state);
    state.push_back(kNoPacket);
  };
  append_list(port.first);
  for (std::uint32_t i = 0; i < priorities_; ++i) {
    const PacketQueue& queue = queues_[number * priorities_ + i];
    append_list(queue.first);
    for (std::uint32_t at = queue.first_sender; at != kNoPacket; at = connections_[at].next_sender)
      state.push_back(at);
    state.push_back(kNoPacket);
  }
}

bool PacketEngine::append_connection(const Connection& connection, std::uint32_t number,
                                     std::vector<std::uint64_t>& state) const {
  if (connection.first_message == kNoPacket) return true;
  if (connection.first_message != connection.sending ||
      connection.first_message != connection.receiving || connection.timeouts > 0)
    return false;
  const PacketMessage& message = messages_[connection.sending];
  const std::uint64_t next = connection.next - message.first;
  // `first`: what lies between the last packets of two messages is no period.
  state.insert(
      state.end(),
      {number, message.first, word(connection.in_flight),
       word(connection.sent - connection.acknowledged), word(connection.sent - connection.received),
       word(connection.unreported), static_cast<std::uint64_t>(connection.has_turn),
       next - message.received, next - message.arriving});
  if (!is_lossy_) return true;
  const Reliability& reliability = reliability_[number];
  if (!reliability.lost.empty() || !reliability.received.is_in_order()) return false;
  state.insert(state.end(), {connection.next - reliability.received.missing(),
                             reliability.received.unreported()});
  for (std::uint64_t i = reliability.sent.first(); i < reliability.sent.end(); ++i) {
    const SentPacket& sent = reliability.sent[i];
    state.insert(state.end(), {word(sent.sent - now_), static_cast<std::uint64_t>(sent.state)});
  }
  return true;
}

}  // namespace orrery::model
