// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_engine.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "orrery/core/check.h"

namespace orrery::model {

PacketEngine::PacketEngine(const platform::PacketSettings& settings,
                           std::shared_ptr<FabricRoutes> routes)
    : settings_(settings),
      payload_(settings.payload.value_or(Bytes(4096)).count()),
      header_(settings.header.value_or(Bytes(62)).count()),
      window_(settings.window * (payload_ + header_)),
      routes_(routes, static_cast<std::uint32_t>(settings.entropies)),
      least_last_hop_(kNever) {
  ports_.resize(routes->topology().link_count());
  for (platform::LinkIndex link = 0; link < ports_.size(); ++link) {
    Port& port = ports_[link];
    const double rate =
        routes->bytes_per_ns(routes->initial_state(), link) / routes->efficiency();
    port.ps_per_byte = rate > 0 ? 1e3 / rate : 0;  // no route uses a link that is down
    port.latency = std::llround(routes->latency_ns(link) * 1e3);
    port.node = routes->topology().link(link).from;
    least_last_hop_ = std::min(least_last_hop_, port.latency + serial(port, header_));
  }
}

std::int64_t PacketEngine::serial(const Port& port, std::int64_t bytes) const {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(bytes) * port.ps_per_byte));
}

std::uint32_t PacketEngine::connection_of(EndPoint from, EndPoint to) {
  const auto [entry, added] = connection_numbers_.try_emplace(
      (std::uint64_t{from} << 32) | to, static_cast<std::uint32_t>(connections_.size()));
  if (!added) return entry->second;
  Connection& made = connections_.emplace_back();
  made.from = from;
  made.to = to;
  made.forth = routes_.add_pair();
  made.back = routes_.add_pair();
  made.window = window_;
  made.route = routes_.find(made.forth, 0, from, to);
  return entry->second;
}

std::uint32_t PacketEngine::take_packet() {
  if (unused_packet_ == kNoPacket) {
    packets_.emplace_back();
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t number = unused_packet_;
  unused_packet_ = packets_[number].next;
  packets_[number] = Packet{};
  return number;
}

void PacketEngine::release_packet(std::uint32_t number) {
  packets_[number].next = unused_packet_;
  unused_packet_ = number;
}

void PacketEngine::run(std::int64_t until, Report& report) {
  report_ = &report;
  const auto fetch = [this](const PacketEvent& event) {
    if (event.port >= PacketEvent::kFirstKind) return;
    __builtin_prefetch(&packets_[event.number]);
    __builtin_prefetch(&ports_[event.port]);
  };
  while (events_.next() <= until) {
    const PacketEvent event = events_.pop(fetch);
    now_ = event.time;
    ++counts_.events;
    switch (event.port) {
      case PacketEvent::kReceived:
        receive(event.number);
        break;
      case PacketEvent::kPortIdle:
        ports_[event.number].is_waking = false;
        serve(event.number);
        break;
      case PacketEvent::kTimeout:
        break;
      default:
        ++packets_[event.number].hop;
        enqueue(event.port, event.number);
    }
  }
  now_ = until;
  while (!completions_.empty() && completions_.front() <= until) {
    std::pop_heap(completions_.begin(), completions_.end(), std::greater<>());
    completions_.pop_back();
  }
}

std::int64_t PacketEngine::next_arrival() const {
  const std::int64_t event = events_.next();
  if (event == kNever) return kNever;
  const std::int64_t later = event > kNever - least_last_hop_ ? kNever : event + least_last_hop_;
  return completions_.empty() ? later : std::min(completions_.front(), later);
}

void PacketEngine::receive(std::uint32_t number) {
  const Packet& packet = packets_[number];
  if (packet.kind == PacketKind::data) return receive_data(number);
  acknowledged(packet);
  const std::uint32_t connection = packet.connection;
  release_packet(number);
  send_what_is_allowed(connection);
}

void PacketEngine::set_route(Packet& packet, PacketRoute route) const {
  packet.route = route.first;
  packet.hops = static_cast<std::uint8_t>(route.hops);
  const std::uint32_t* const links = routes_.links() + route.first;
  for (std::uint32_t i = 1; i < std::min(route.hops, Packet::kLinks + 1); ++i)
    packet.links[i - 1] = links[i];
}

std::uint32_t PacketEngine::link_of(const Packet& packet, std::uint32_t hop) const {
  return hop - 1 < Packet::kLinks ? packet.links[hop - 1] : routes_.links()[packet.route + hop];
}

// Ports

bool PacketEngine::has_work(const Port& port) {
  return port.first[0] != kNoPacket ||
         (!port.is_paused && (port.first[1] != kNoPacket || port.first_sender != kNoPacket));
}

void PacketEngine::enqueue(std::uint32_t number, std::uint32_t packet) {
  Port& port = ports_[number];
  if (port.idle_at <= now_ && !port.is_waking && !port.is_paused) return transmit(number, packet);
  append(port, packet);
  schedule_wake(number);
}

void PacketEngine::append(Port& port, std::uint32_t number) {
  const Packet& packet = packets_[number];
  const bool is_data = packet.kind == PacketKind::data ||
                       settings_.posting == platform::PacketPosting::fifo;
  if (packet.kind == PacketKind::data) port.waiting += packet.size;
  packets_[number].next = kNoPacket;
  (port.first[is_data] == kNoPacket ? port.first[is_data] : packets_[port.last[is_data]].next) =
      number;
  port.last[is_data] = number;
}

void PacketEngine::schedule_wake(std::uint32_t number) {
  Port& port = ports_[number];
  if (port.is_waking || !has_work(port)) return;
  port.is_waking = true;
  events_.push({std::max(port.idle_at, now_), number, PacketEvent::kPortIdle});
}

/// Starts the next transmission of an idle port, if there is any.
void PacketEngine::serve(std::uint32_t number) {
  Port& port = ports_[number];
  const bool is_data = port.first[0] == kNoPacket;
  if (port.first[is_data] != kNoPacket && !(is_data && port.is_paused)) {
    const std::uint32_t packet = port.first[is_data];
    port.first[is_data] = packets_[packet].next;
    if (packets_[packet].kind == PacketKind::data) port.waiting -= packets_[packet].size;
    transmit(number, packet);
  } else if (port.first_sender != kNoPacket && !port.is_paused) {
    const std::uint32_t sender = port.first_sender;
    port.first_sender = connections_[sender].next_sender;
    connections_[sender].has_turn = false;
    transmit(number, make_packet(sender));
    take_turn(sender);
  }
  schedule_wake(number);
}

void PacketEngine::transmit(std::uint32_t number, std::uint32_t packet) {
  Port& port = ports_[number];
  const Packet& sent = packets_[packet];
  port.idle_at = now_ + serial(port, sent.size);
  port.serving = sent.kind == PacketKind::data ? sent.size : 0;
  const std::int64_t arrival = port.idle_at + port.latency;
  const std::uint32_t hop = sent.hop + 1u;
  const bool is_last = hop == sent.hops;
  events_.push({arrival, packet, is_last ? PacketEvent::kReceived : link_of(sent, hop)});
  if (sent.kind != PacketKind::data) return;
  if (is_last) on_last_link(sent, arrival);
  if (reports_links_ && sent.size > header_)
    report_->carries(number, now_, port.idle_at, sent.size - header_);
}

// The receiver

PacketMessage& PacketEngine::message_of(const Connection& connection, std::uint32_t number) {
  std::uint32_t at = connection.receiving;
  // Packets of a connection differ by less than 2^31 in their numbers.
  while (static_cast<std::int32_t>(
             number - static_cast<std::uint32_t>(messages_[at].first + messages_[at].packets)) >= 0)
    at = messages_[at].next;
  return messages_[at];
}

void PacketEngine::on_last_link(const Packet& packet, std::int64_t arrival) {
  PacketMessage& message = message_of(connections_[packet.connection], packet.number);
  if (++message.arriving < message.packets) return;
  completions_.push_back(arrival);
  std::push_heap(completions_.begin(), completions_.end(), std::greater<>());
}

void PacketEngine::receive_data(std::uint32_t number) {
  const Packet packet = packets_[number];
  release_packet(number);
  ++counts_.received;
  Connection& connection = connections_[packet.connection];
  connection.received += packet.size;
  connection.unreported += packet.size - header_;
  PacketMessage& message = message_of(connection, packet.number);
  const bool is_complete = ++message.received == message.packets;
  if (is_complete || connection.unreported >= settings_.acknowledge_every.count())
    acknowledge(packet.connection, packet);
  if (!is_complete) return;
  report_->arrives(message.token);
  while (connection.receiving != kNoPacket &&
         messages_[connection.receiving].received == messages_[connection.receiving].packets)
    connection.receiving = messages_[connection.receiving].next;
}

void PacketEngine::acknowledge(std::uint32_t number, const Packet& packet) {
  Connection& connection = connections_[number];
  connection.unreported = 0;
  const PacketRoute route =
      routes_.find(connection.back, packet.entropy, connection.to, connection.from);
  const std::uint32_t made = take_packet();
  Packet& answer = packets_[made];
  answer.connection = number;
  answer.kind = PacketKind::acknowledgement;
  set_route(answer, route);
  answer.size = static_cast<std::uint32_t>(settings_.acknowledgement.count());
  answer.number = packet.number;
  answer.entropy = packet.entropy;
  answer.marked = packet.marked;
  answer.sent = packet.sent;
  answer.received = connection.received;
  enqueue(routes_.links()[route.first], made);
}

std::uint64_t PacketEngine::in_flight() const {
  std::uint64_t count = 0;
  std::vector<bool> is_unused(packets_.size());
  for (std::uint32_t at = unused_packet_; at != kNoPacket; at = packets_[at].next)
    is_unused[at] = true;
  for (std::size_t i = 0; i < packets_.size(); ++i)
    count += !is_unused[i] && packets_[i].kind == PacketKind::data;
  return count;
}

}  // namespace orrery::model
