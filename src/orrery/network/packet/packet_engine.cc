// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_engine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/network/packet/congestion.h"

namespace orrery::model {

using platform::PacketTransport;

namespace {

std::uint32_t priority_count(const platform::PacketPriorities& by) {
  return static_cast<std::uint32_t>(
      1 + std::max({by.collective, by.point_to_point, by.announcement, by.memory}));
}

/// What can arrive after a link is paused. The packet that causes the pause is the first. The frame
/// waits for one packet of the link back and for the frames of other priorities, and travels its
/// latency. The sender then finishes a packet, and what is on the link follows. `frames`: bytes of
/// the pause frames of all priorities; `back`: null without a link back, as if it were like `link`.
std::int64_t headroom_of(const PacketLink& link, const PacketLink* back, std::int64_t packet,
                         std::int64_t acknowledgement, std::int64_t frames) {
  if (back == nullptr || back->bytes_per_ns <= 0) back = &link;
  const auto before = static_cast<double>(std::max(packet, acknowledgement) + frames);
  const double time = static_cast<double>(link.latency + back->latency) / 1e3;
  return std::llround(time * link.bytes_per_ns + before * link.bytes_per_ns / back->bytes_per_ns) +
         2 * packet;
}

}  // namespace

PacketEngine::PacketEngine(const platform::PacketSettings& settings,
                           const std::vector<PacketLink>& links,
                           std::shared_ptr<PacketRouter> router, bool may_fail,
                           std::optional<std::int64_t> usual_window)
    : settings_(settings),
      payload_(settings.payload.value().count()),
      header_(settings.header.value().count()),
      window_(settings.window ? *settings.window * (payload_ + header_) : kOwnWindow),
      usual_window_(settings.window ? window_
                    : usual_window  ? *usual_window * (payload_ + header_)
                                    : kOwnWindow),
      priorities_(priority_count(settings.priorities)),
      is_lossy_(may_fail),
      is_adaptive_(settings.spraying == platform::PacketSpraying::adaptive && router->sprays()),
      writes_loads_(false),
      goes_back_(settings.reliability == platform::PacketReliability::go_back_n),
      routes_(std::move(router), static_cast<std::uint32_t>(settings.entropies)),
      links_(links),
      least_last_hop_(kNever) {
  add_rules(packet_rules(settings));
  for (const platform::PacketClass& one : settings.classes) {
    rules_by_class_[static_cast<std::size_t>(one.links)] = static_cast<std::uint8_t>(rules_.size());
    add_rules(packet_rules(settings, &one));
  }
  buffers_.size = settings.buffer.count();
  buffers_.share = settings.buffer_share;
  for (const PacketLink& link : links)
    add_port(link, link.reverse == kNoPacket ? nullptr : &links[link.reverse]);
}

void PacketEngine::add_port(const PacketLink& link, const PacketLink* back) {
  Port& port = ports_.emplace_back();
  port.ps_per_byte = link.bytes_per_ns > 0 ? 1e3 / link.bytes_per_ns : 0;
  port.full = serial_of(port.ps_per_byte, payload_ + header_);
  port.latency = link.latency;
  port.is_switch = link.is_switch;
  port.node = link.from;
  port.rules = rules_by_class_[static_cast<std::size_t>(link.kind)];
  const platform::PacketRules& rules = rules_[port.rules];
  buffers_.headroom.push_back(rules.headroom ? rules.headroom->count()
                                             : headroom_of(link, back, payload_ + header_,
                                                           settings_.acknowledgement.count(),
                                                           priorities_ * kPauseBytes));
  least_last_hop_ = std::min(least_last_hop_, port.latency + serial(port, header_));
  queues_.resize(ports_.size() * priorities_);
  const std::size_t nodes = std::max(link.from, link.to) + std::size_t{1};
  if (buffers_.size > 0 && buffers_.used.size() < nodes) buffers_.used.resize(nodes);
  if (buffers_.pauses) {
    buffers_.held.resize(queues_.size());
    buffers_.changes.resize(ports_.size());
    buffers_.paused_since.resize(ports_.size());
  }
  if (writes_loads_) carried_.resize(ports_.size());
}

std::uint32_t PacketEngine::add_link(const PacketLink& link, const PacketLink* back) {
  const auto number = static_cast<std::uint32_t>(links_.size());
  links_.push_back(link);
  links_.back().reverse = back != nullptr ? number + 1 : kNoPacket;
  add_port(link, back);
  if (back == nullptr) return number;
  links_.push_back(*back);
  links_.back().reverse = number;
  add_port(*back, &link);
  return number;
}

void PacketEngine::add_rules(const platform::PacketRules& rules) {
  rules_.push_back(rules);
  limits_.push_back({rules.transport, payload_ + header_, payload_, rules.trims ? 3 : 4});
  buffers_.pauses = buffers_.pauses || rules.pfc;
  writes_loads_ = writes_loads_ || rules.transport == PacketTransport::hpcc;
  // With its own headroom, flow control never drops a packet.
  const bool is_limited = rules.queue.count() > 0 || settings_.buffer.count() > 0;
  is_lossy_ = is_lossy_ || (rules.pfc ? rules.headroom.has_value() : is_limited);
}

std::int64_t PacketEngine::serial_of(double ps_per_byte, std::int64_t bytes) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(bytes) * ps_per_byte));
}

std::uint8_t PacketEngine::rules_of(const PacketRoute& route) const {
  std::uint8_t lowest = 0;
  for (std::uint32_t i = 0; i < route.hops; ++i) {
    const std::uint8_t one = ports_[routes_.links()[route.first + i]].rules;
    if (one != 0 && (lowest == 0 || one < lowest)) lowest = one;
  }
  return lowest;
}

std::uint32_t PacketEngine::connection_of(const PacketPost& message) {
  const std::uint64_t ends = (std::uint64_t{message.from} << 32) | message.to;
  const std::uint64_t key = ends * priorities_ + message.priority;
  const auto [entry, added] =
      connection_numbers_.try_emplace(key, static_cast<std::uint32_t>(connections_.size()));
  const std::uint32_t number = entry->second;
  if (!added) return number;
  Connection& made = connections_.emplace_back();
  made.from = message.from;
  made.to = message.to;
  made.priority = message.priority;
  made.timeout = settings_.timeout.count();
  made.to_node = routes_.node_of(message.to);
  made.forth = routes_.add_pair();
  made.back = routes_.add_pair();
  made.spraying.begin(settings_.spraying, routes_.entropies(),
                      mix_bits(static_cast<std::uint64_t>(settings_.seed)) ^ mix_bits(key));
  choose_route(made);
  if (is_lossy_) reliability_.emplace_back();
  // Faults that began do not change what the transport expects of its pair.
  const PacketRoute usual =
      made.route.hops > 0 && !has_changed_ ? made.route : routes_.initial(message.from, message.to);
  made.rules = rules_of(usual);
  const CongestionLimits& limits = limits_[made.rules];
  const double rate = 1e-3 * links_[usual.links[0]].bytes_per_ns;
  const bool is_constant = limits.transport == PacketTransport::window;
  std::int64_t round_trip = is_constant ? 0 : settings_.round_trip.count();
  if (round_trip == 0 && (!is_constant || usual_window_ == kOwnWindow))
    round_trip = unloaded_round_trip(made, usual);
  made.congestion.begin(limits, settings_, window_of(limits.transport, round_trip, rate),
                        round_trip, rate);
  return number;
}

std::int64_t PacketEngine::window_of(PacketTransport transport, std::int64_t round_trip,
                                     double bytes_per_ps) const {
  const std::int64_t stated = transport == PacketTransport::window ? usual_window_ : window_;
  if (stated != kOwnWindow) return stated;
  if (transport == PacketTransport::dcqcn) return 0;
  return round_trip_window(round_trip, bytes_per_ps, payload_ + header_);
}

std::uint32_t PacketEngine::take_packet() {
  ++used_packets_;
  if (unused_packet_ == kNoPacket) {
    packets_.emplace_back();
    if (writes_loads_) loads_.emplace_back();
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
  if (--used_packets_ == 0) quiet_since_ = now_;
}

/// Handles the next event.
inline void PacketEngine::step() {
  const auto fetch = [this](const PacketEvent& event) {
    if (event.port >= PacketEvent::kFirstKind) return;
    __builtin_prefetch(&packets_[event.number]);
    __builtin_prefetch(&ports_[event.port]);
  };
  const PacketEvent event = events_.pop(fetch);
  now_ = event.time;
  ++counts_.events;
  if (event.port < PacketEvent::kFirstKind) {
    ++packets_[event.number].hop;
    enqueue(event.port, event.number);
  } else {
    handle(event);
  }
}

void PacketEngine::run(std::int64_t until, Report& report) {
  report_ = &report;
  while (events_.next() <= until) step();
  now_ = until;
  while (!completions_.empty() && completions_.front() <= until) {
    std::pop_heap(completions_.begin(), completions_.end(), std::greater<>());
    completions_.pop_back();
  }
}

bool PacketEngine::run_until_sent(std::uint32_t connection, std::uint64_t number,
                                  std::int64_t until, Report& report) {
  report_ = &report;
  while (events_.next() <= until) {
    step();
    if (connections_[connection].next >= number) return true;
  }
  run(until, report);
  return false;
}

void PacketEngine::handle(const PacketEvent& event) {
  switch (event.port) {
    case PacketEvent::kReceived:
      return receive(event.number);
    case PacketEvent::kPortIdle:
      ports_[event.number].is_waking = false;
      return serve(event.number);
    case PacketEvent::kTimeout:
      return time_out(event.number);
    case PacketEvent::kPace:
      if (connections_[event.number].pace_timer == now_)
        connections_[event.number].pace_timer = Connection::kNoTimer;
      return send_what_is_allowed(event.number);
    case PacketEvent::kNotify:
      return notify(event.number);
    case PacketEvent::kCredit:
      return grant_credit(event.number);
    case PacketEvent::kFlush:
      return flush(event.number);
    case PacketEvent::kChoose:
      return choose_link(event.number);
  }
}

std::int64_t PacketEngine::next_arrival() const {
  const std::int64_t event = events_.next();
  if (event == kNever || undelivered_ == 0) return kNever;
  const std::int64_t later = event > kNever - least_last_hop_ ? kNever : event + least_last_hop_;
  return completions_.empty() ? later : std::min(completions_.front(), later);
}

void PacketEngine::receive(std::uint32_t number) {
  const Packet packet = packets_[number];
  switch (packet.kind) {
    case PacketKind::data:
      return receive_data(number);
    case PacketKind::header:
      return receive_header(number);
    case PacketKind::pause:
      release_packet(number);
      return receive_pause(packet);
    case PacketKind::credit: {
      Connection& connection = connections_[packet.connection];
      connection.credit = std::max(connection.credit, packet.received);
      break;
    }
    case PacketKind::notification:
      connections_[packet.connection].congestion.notified(now_);
      break;
    case PacketKind::acknowledgement:
      acknowledged(packet, number);
      break;
    case PacketKind::negative:
      report_lost(packet);
      break;
  }
  release_packet(number);
  send_what_is_allowed(packet.connection);
}

void PacketEngine::set_route(Packet& packet, const PacketRoute& route) const {
  packet.route = route.first;
  packet.hops = static_cast<std::uint16_t>(route.hops);
  for (std::uint32_t i = 0; i < Packet::kLinks; ++i) packet.links[i] = route.links[i + 1];
}

std::uint32_t PacketEngine::link_of(const Packet& packet, std::uint32_t hop) const {
  return hop - 1 < Packet::kLinks ? packet.links[hop - 1] : routes_.links()[packet.route + hop];
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

PacketTotals PacketEngine::totals() const {
  PacketTotals all;
  all.sent = counts_.sent;
  all.retransmitted = counts_.again;
  all.received = counts_.received;
  all.discarded = counts_.discarded;
  all.dropped_no_room = counts_.dropped_by[static_cast<std::size_t>(PacketDrop::no_room)];
  all.dropped_no_headroom = counts_.dropped_by[static_cast<std::size_t>(PacketDrop::no_headroom)];
  all.dropped_link_down = counts_.dropped_by[static_cast<std::size_t>(PacketDrop::link_down)];
  all.trimmed = counts_.trimmed;
  all.in_flight = in_flight();
  all.marked = counts_.marked;
  all.cnps = counts_.notifications;
  for (const ControlUse& one : control_use()) all.reductions += one.reductions;
  all.pauses = counts_.pauses;
  all.paused = static_cast<std::uint64_t>(counts_.paused);
  for (std::size_t link = 0; link < buffers_.paused_since.size(); ++link) {
    if (ports_[link].paused != 0)
      all.paused += static_cast<std::uint64_t>(now_ - buffers_.paused_since[link]);
  }
  all.longest_queue = static_cast<std::uint64_t>(counts_.longest_queue);
  return all;
}

std::vector<PacketEngine::ControlUse> PacketEngine::control_use() const {
  std::vector<ControlUse> all;
  for (const platform::PacketRules& rules : rules_) all.push_back({.transport = rules.transport});
  for (const Connection& one : connections_) {
    ++all[one.rules].connections;
    all[one.rules].reductions += one.congestion.reductions();
    all[one.rules].acted =
        all[one.rules].acted || one.lacked_credit || one.congestion.reductions() > 0;
  }
  return all;
}

std::optional<PacketRecord> PacketEngine::recorded() const {
  if (!monitor_) return {};
  PacketRecord made = monitor_->finish(now_);
  made.totals = totals();
  return made;
}

std::int64_t PacketEngine::waiting(std::uint32_t link) const {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < priorities_; ++i) sum += queues_[link * priorities_ + i].waiting;
  return sum;
}

}  // namespace orrery::model
