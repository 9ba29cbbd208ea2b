// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_engine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "orrery/core/random.h"

namespace orrery::model {

PacketEngine::PacketEngine(const platform::PacketSettings& settings,
                           const std::vector<PacketLink>& links,
                           std::shared_ptr<PacketRouter> router)
    : settings_(settings),
      payload_(settings.payload.value().count()),
      header_(settings.header.value().count()),
      window_(settings.window ? *settings.window * (payload_ + header_) : kOwnWindow),
      limits_{settings.transport, payload_ + header_, payload_, settings.trims ? 3 : 4},
      is_lossy_(settings.queue.count() > 0),
      routes_(std::move(router), static_cast<std::uint32_t>(settings.entropies)),
      least_last_hop_(kNever) {
  for (const PacketLink& link : links) {
    Port& port = ports_.emplace_back();
    port.ps_per_byte = link.bytes_per_ns > 0 ? 1e3 / link.bytes_per_ns : 0;
    port.latency = link.latency;
    port.is_switch = link.is_switch;
    least_last_hop_ = std::min(least_last_hop_, port.latency + serial(port, header_));
  }
}

std::int64_t PacketEngine::serial(const Port& port, std::int64_t bytes) const {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(bytes) * port.ps_per_byte));
}

std::uint32_t PacketEngine::connection_of(std::uint32_t from, std::uint32_t to) {
  const auto [entry, added] = connection_numbers_.try_emplace(
      (std::uint64_t{from} << 32) | to, static_cast<std::uint32_t>(connections_.size()));
  if (!added) return entry->second;
  Connection& made = connections_.emplace_back();
  made.from = from;
  made.to = to;
  made.forth = routes_.add_pair();
  made.back = routes_.add_pair();
  made.spraying.begin(
      settings_.spraying, routes_.entropies(),
      mix_bits(static_cast<std::uint64_t>(settings_.seed)) ^ mix_bits(entry->first));
  choose_route(made);
  const double rate = 1 / ports_[routes_.links()[made.route.first]].ps_per_byte;
  const bool is_constant = settings_.transport == platform::PacketTransport::window;
  std::int64_t round_trip = settings_.round_trip.count();
  if (round_trip == 0 && (!is_constant || window_ == kOwnWindow))
    round_trip = unloaded_round_trip(made);
  made.congestion.begin(limits_, window_of(round_trip, rate), round_trip, rate);
  if (is_lossy_) reliability_.emplace_back();
  return entry->second;
}

/// What one round trip takes at the rate of the sender's link, so that the window alone slows no
/// pair down; at least 64 packets.
std::int64_t PacketEngine::window_of(std::int64_t round_trip, double bytes_per_ps) const {
  if (window_ != kOwnWindow) return window_;
  const std::int64_t packet = payload_ + header_;
  const double trip =
      std::ceil(static_cast<double>(round_trip) * bytes_per_ps / static_cast<double>(packet));
  return packet * std::max<std::int64_t>(64, static_cast<std::int64_t>(std::min(trip, 1e9)));
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
        time_out(event.number);
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
  if (event == kNever || undelivered_ == 0) return kNever;
  const std::int64_t later = event > kNever - least_last_hop_ ? kNever : event + least_last_hop_;
  return completions_.empty() ? later : std::min(completions_.front(), later);
}

void PacketEngine::receive(std::uint32_t number) {
  const Packet& packet = packets_[number];
  if (packet.kind == PacketKind::data) return receive_data(number);
  if (packet.kind == PacketKind::header) return receive_header(number);
  const std::uint32_t connection = packet.connection;
  acknowledged(packet);
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
  if (is_lossy_ && port.is_switch && packets_[packet].kind == PacketKind::data &&
      !make_room(port, packet))
    return;
  append(port, packet);
  schedule_wake(number);
}

double PacketEngine::random() {
  return uniform_double(
      mix_bits(mix_bits(static_cast<std::uint64_t>(settings_.seed)) + ++samples_));
}

/// If the queue of the port has no room for the packet, drops it, or trims it or the last one in
/// the queue. False: the packet is dropped.
bool PacketEngine::make_room(Port& port, std::uint32_t number) {
  const std::int64_t length = port.waiting + (port.idle_at > now_ ? port.serving : 0);
  Packet* packet = &packets_[number];
  if (length + packet->size <= settings_.queue.count()) return true;
  if (!settings_.trims) {
    ++counts_.dropped;
    release_packet(number);
    return false;
  }
  ++counts_.trimmed;
  if (port.first[1] != kNoPacket && random() < 0.5) {
    // The last packet of the queue is trimmed, and this one takes its place.
    Packet& last = packets_[port.last[1]];
    if (last.kind == PacketKind::data) {
      port.waiting += static_cast<std::int64_t>(packet->size) - last.size;
      std::swap(*packet, last);
      std::swap(packet->next, last.next);
    }
  }
  packet->kind = PacketKind::header;
  packet->size = static_cast<std::uint32_t>(header_);
  packet->marked = true;
  return true;
}

/// Marks a packet that leaves the queue of a switch, by the length of the queue.
void PacketEngine::mark(const Port& port, Packet& packet) {
  const double from = static_cast<double>(settings_.mark_from.count());
  const double to = static_cast<double>(settings_.mark_to.count());
  const double length = static_cast<double>(port.waiting);
  if (to <= 0 || length <= from || packet.marked) return;
  if (length < to && random() >= (length - from) / (to - from)) return;
  packet.marked = true;
  ++counts_.marked;
}

void PacketEngine::append(Port& port, std::uint32_t number) {
  const Packet& packet = packets_[number];
  const bool is_data =
      packet.kind == PacketKind::data || settings_.posting == platform::PacketPosting::fifo;
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
    if (packets_[packet].kind == PacketKind::data) {
      if (port.is_switch) mark(port, packets_[packet]);
      port.waiting -= packets_[packet].size;
    }
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
