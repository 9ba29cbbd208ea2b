// SPDX-License-Identifier: Apache-2.0
//
// Lost packets of the packet network: how senders learn of them, and when they are sent again.
#include <algorithm>
#include <cmath>

#include "orrery/network/packet/packet_engine.h"

namespace orrery::model {

/// The bytes that arrived since the acknowledgement before.
std::int64_t PacketEngine::take_acknowledged(const Packet& packet) {
  Connection& connection = connections_[packet.connection];
  if (!is_lossy_) {
    const std::int64_t bytes = std::max<std::int64_t>(0, packet.received - connection.acknowledged);
    connection.in_flight -= bytes;
    return bytes;
  }
  Reliability& state = reliability_[packet.connection];
  std::int64_t bytes = 0;
  state.received.report_until(static_cast<std::uint64_t>(packet.received), [&](std::uint32_t low) {
    SentPacket& sent = state.sent[full_number(state.sent.first(), low)];
    bytes += sent.size;
    if (sent.state == SentPacket::State::in_flight) connection.in_flight -= sent.size;
    if (sent.state == SentPacket::State::lost) connection.repeated -= sent.size;
    sent.state = SentPacket::State::acknowledged;
  });
  state.sent.remove_acknowledged();
  return bytes;
}

/// A receiver has seen a header without its packet, or a gap.
void PacketEngine::report_lost(const Packet& packet) {
  Connection& connection = connections_[packet.connection];
  connection.spraying.report(packet.entropy, true);
  if (!is_lossy_) return;
  Reliability& state = reliability_[packet.connection];
  const std::uint64_t number = full_number(state.sent.first(), packet.number);
  const bool is_gap = packet.received < 0;
  if (number < state.sent.first() || number >= state.sent.end()) return;
  if (!is_gap && state.sent[number].sent != packet.sent) return;
  goes_back_ ? go_back(packet.connection, number) : lose(packet.connection, number);
}

/// The packet must be sent again, unless it is already lost or acknowledged.
void PacketEngine::lose(std::uint32_t number, std::uint64_t packet) {
  Connection& connection = connections_[number];
  Reliability& state = reliability_[number];
  SentPacket& sent = state.sent[packet];
  if (sent.state != SentPacket::State::in_flight) return;
  sent.state = SentPacket::State::lost;
  connection.in_flight -= sent.size;
  connection.repeated += sent.size;
  state.lost.append(packet);
  connection.congestion.lost(limits_[connection.rules], now_, sent.size, connection.in_flight);
}

/// Go-back-N: this packet and all after it must be sent again, in order.
void PacketEngine::go_back(std::uint32_t number, std::uint64_t packet) {
  Reliability& state = reliability_[number];
  state.lost.clear();
  for (std::uint64_t one = std::max(packet, state.sent.first()); one < state.sent.end(); ++one) {
    if (state.sent[one].state == SentPacket::State::lost)
      state.lost.append(one);
    else
      lose(number, one);
  }
}

/// From the second one in a row on, the timeout doubles with each, up to 64 times (as that of TCP,
/// RFC 6298, 5.5), and varies by a quarter, so that it does not follow a fault that recurs.
void PacketEngine::back_off(Connection& connection) {
  const std::int64_t timeout = settings_.timeout.count();
  ++connection.timeouts;
  connection.timeout = timeout;
  if (connection.timeouts == 1 || timeout > kNever / 256) return;
  const double factor = static_cast<double>(1 << std::min(connection.timeouts - 1, 6u));
  connection.timeout =
      std::llround(static_cast<double>(timeout) * factor * (0.75 + 0.5 * random()));
}

void PacketEngine::add_timer(std::uint32_t number, std::int64_t at) {
  Reliability& state = reliability_[number];
  if (state.has_timer) return;
  state.has_timer = true;
  events_.push({std::max(at, now_), number, PacketEvent::kTimeout});
}

void PacketEngine::time_out(std::uint32_t number) {
  Reliability& state = reliability_[number];
  Connection& connection = connections_[number];
  state.has_timer = false;
  const std::int64_t timeout = connection.timeout;
  std::int64_t oldest = kNever;
  bool is_late = false;
  for (std::uint64_t packet = state.sent.first(); packet < state.sent.end(); ++packet) {
    const SentPacket& sent = state.sent[packet];
    if (sent.state != SentPacket::State::in_flight) continue;
    if (now_ - sent.sent < timeout) {
      oldest = std::min(oldest, sent.sent);
      continue;
    }
    is_late = true;
    if (goes_back_) {
      go_back(number, packet);
      oldest = kNever;
      break;
    }
    lose(number, packet);
  }
  if (is_late) back_off(connection);
  if (static_cast<std::int64_t>(connection.timeouts) > settings_.retries) {
    connection.has_given_up = true;
    ++counts_.gave_up;
    return;
  }
  if (oldest != kNever) add_timer(number, oldest + connection.timeout);
  send_what_is_allowed(number);
}

}  // namespace orrery::model
