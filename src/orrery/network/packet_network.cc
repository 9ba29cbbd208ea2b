// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/network/packet_paths.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {

namespace {

std::int64_t whole_picoseconds(double time) {
  return time < static_cast<double>(MultiDimFabric::kTooLong) ? static_cast<std::int64_t>(time)
                                                              : MultiDimFabric::kTooLong;
}

bool has_timed_faults(const FabricRoutes& routes) {
  return std::ranges::any_of(routes.faults(),
                             [](const platform::LinkFault& one) { return !one.is_permanent(); });
}

std::uint8_t priority_of(TrafficClass traffic, const platform::PacketPriorities& by) {
  switch (traffic) {
    case TrafficClass::point_to_point:
      return static_cast<std::uint8_t>(by.point_to_point);
    case TrafficClass::collective:
      return static_cast<std::uint8_t>(by.collective);
    case TrafficClass::announcement:
      return static_cast<std::uint8_t>(by.announcement);
    case TrafficClass::memory:
      return static_cast<std::uint8_t>(by.memory);
  }
  return 0;
}

}  // namespace

std::vector<PacketLink> packet_links(const FabricRoutes& routes) {
  const platform::Topology& topology = routes.topology();
  std::vector<PacketLink> links;
  for (platform::LinkIndex link = 0; link < topology.link_count(); ++link) {
    const platform::Link& one = topology.link(link);
    // Of several links between two nodes, the i-th ones belong together.
    const platform::LinkIndex place = link - topology.between(one.from, one.to).first;
    const auto [first, end] = topology.between(one.to, one.from);
    links.push_back(
        {.bytes_per_ns = routes.bytes_per_ns(routes.initial_state(), link) / routes.efficiency(),
         .latency = std::llround(routes.latency_ns(link) * 1e3),
         .from = one.from,
         .to = one.to,
         .reverse = first + place < end ? first + place : kNoPacket,
         .is_switch = platform::is_switch(topology.kind(one.from)),
         .kind = one.figures.kind,
         .identity = link});
  }
  return links;
}

class PacketNetwork::Reporter final : public PacketEngine::Report {
 public:
  Reporter(const PacketNetwork& network, Sink& sink) : network_(network), sink_(sink) {}
  void arrives(std::uint32_t token) override { sink_.arrives(token); }
  void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
               std::int64_t bytes) override {
    network_.report_carried(link, from, until, bytes);
  }

 private:
  const PacketNetwork& network_;
  Sink& sink_;
};

platform::PacketSettings complete_packet_settings(const platform::Platform& platform) {
  platform::PacketSettings made =
      platform.packets != nullptr ? *platform.packets : platform::PacketSettings{};
  if (platform.fabric != nullptr) {
    const platform::TransportSection& transport = platform.fabric->definition.transport;
    if (!made.payload && transport.payload.count() >= 64) {
      made.payload = transport.payload;
      if (!made.header && transport.header.count() > 0) made.header = transport.header;
    }
  }
  made.payload = made.payload.value_or(Bytes(4096));
  made.header = made.header.value_or(Bytes(62));
  return made;
}

std::optional<std::int64_t> fabric_window(const platform::Platform& platform) {
  if (platform.fabric == nullptr || platform.fabric->window.count() == 0) return {};
  const platform::PacketSettings settings = complete_packet_settings(platform);
  const std::int64_t packet = (*settings.payload + *settings.header).count();
  return std::max<std::int64_t>(1, platform.fabric->window.count() / packet);
}

PacketNetwork::PacketNetwork(const platform::Platform& platform)
    : PacketNetwork(platform, std::make_shared<FabricRoutes>(platform, true)) {}

PacketNetwork::PacketNetwork(const platform::Platform& platform,
                             std::shared_ptr<FabricRoutes> routes)
    : Network({.ranks = routes->rank_count(),
               .memories = routes->memory_count(),
               .switches = static_cast<std::uint32_t>(routes->reducers().size())},
              {.tick_order_free = true, .in_order = true}),
      routes_(routes),
      spread_routes_(routes->sprays() ? std::make_shared<FabricRoutes>(platform) : nullptr),
      settings_(complete_packet_settings(platform)),
      engine_(settings_, packet_links(*routes), std::make_shared<PacketPaths>(routes),
              has_timed_faults(*routes), fabric_window(platform)),
      fault_(has_timed_faults(*routes) ? 0 : kNever) {
  if (settings_.skip == platform::PacketSkipping::off) return;
  why_not_skipped_ = why_not_skipped(settings_, routes->sprays(), has_timed_faults(*routes));
  if (why_not_skipped_.empty())
    skipper_.emplace(PacketTraffic(settings_, packet_links(*routes),
                                   std::make_shared<PacketPaths>(routes), fabric_window(platform)));
}

void PacketNetwork::simulate_all_packets(std::string why) {
  if (!skipper_) return;
  skipper_.reset();
  why_not_skipped_ = std::move(why);
}

std::optional<SkippedEvents> PacketNetwork::skipped_events() {
  if (!skipper_) return {};
  return skipper_->count_events();
}

std::unique_ptr<Network> PacketNetwork::snapshot() const {
  return std::unique_ptr<Network>(new PacketNetwork(*this));
}

std::int64_t PacketNetwork::compute_uncontended_time(EndPoint from, EndPoint to,
                                                     std::int64_t bytes) const {
  if (from == to) return 0;
  const Route* route = routes_->find(routes_->initial_state(), from, to);
  if (route == nullptr) return MultiDimFabric::kTooLong;
  const std::int64_t payload = settings_.payload->count(), header = settings_.header->count();
  const std::int64_t packets = engine_.packet_count(bytes);
  const std::int64_t last = bytes - (packets - 1) * payload + header;
  std::int64_t alone = 0, latency = 0;
  for (const platform::RouteLink& step : route->steps) {
    alone += engine_.serial_time(step.link, last);
    latency += engine_.latency(step.link);
  }
  if (packets == 1) return latency + alone;
  const std::int64_t full_packet = payload + header;
  if (spread_routes_ != nullptr) {
    // All other packets leave the slowest links before, as many in parallel as there are links.
    const Route* spread = spread_routes_->find(spread_routes_->initial_state(), from, to);
    double parallel = 1;
    for (const platform::RouteLink& step : spread->steps)
      parallel = std::max(parallel, 1 / step.share);
    const double before = static_cast<double>(packets - 1) - parallel;
    const double rate = spread->bytes_per_ns / routes_->efficiency() / 1e3;  // per picosecond
    return whole_picoseconds(static_cast<double>(latency + alone) +
                             std::max(0.0, before) * static_cast<double>(full_packet) / rate);
  }
  double most = 0;
  std::int64_t full = 0, slowest = 0;
  for (const platform::RouteLink& step : route->steps) {
    const std::int64_t each = engine_.serial_time(step.link, full_packet);
    full += each;
    slowest = std::max(slowest, each);
    most = std::max(most, static_cast<double>(full + alone) +
                              static_cast<double>(packets - 2) * static_cast<double>(slowest));
    alone -= engine_.serial_time(step.link, last);
  }
  return whole_picoseconds(most + static_cast<double>(latency));
}

void PacketNetwork::settle(std::int64_t now, Sink& sink) {
  Reporter reporter(*this, sink);
  run(now, reporter);
  std::sort(sent_.begin(), sent_.end());
  if (!sent_.empty()) changes_in_vain_ = 0;
  if (skipper_) skipper_->begin_posts();
  for (const Send& message : sent_) {
    const std::int64_t ideal = uncontended_time(message.from, message.to, message.bytes);
    if (ideal >= MultiDimFabric::kTooLong - now)
      sink.exceeds_clock();
    else
      post(message, ideal, now, reporter);
  }
  sent_.clear();
  find_next();
}

void PacketNetwork::post(const Send& message, std::int64_t ideal, std::int64_t now,
                         Reporter& reporter) {
  const PacketPost post{message.from,
                        message.to,
                        message.bytes,
                        message.token,
                        priority_of(message.traffic, settings_.priorities),
                        ideal};
  if (skipper_)
    skipper_->post(post, now);
  else
    engine_.post(post, now, reporter);
}

void PacketNetwork::advance(std::int64_t until, Sink& sink) {
  Reporter reporter(*this, sink);
  run(until, reporter);
  find_next();
}

/// Runs the packets until a time, with the faults that begin and end before.
void PacketNetwork::run(std::int64_t until, Reporter& reporter) {
  if (skipper_) {
    skipper_->report_links(observed());
    return skipper_->run(until, reporter);
  }
  engine_.report_links(observed());
  if (observed()) engine_.record();
  while (std::min(fault_, next_reroute()) <= until) {
    const std::int64_t now = std::min(fault_, next_reroute());
    const std::uint64_t events = engine_.counts().events;
    engine_.run(now, reporter);
    const bool is_in_vain = engine_.undelivered() > 0 && engine_.counts().events == events &&
                            engine_.next_arrival() == kNever;
    changes_in_vain_ = is_in_vain ? changes_in_vain_ + 1 : 0;
    if (fault_ == now) change_links(now);
    while (next_reroute() <= now) {
      engine_.reroute(reroutes_.front().second, now, reporter);
      reroutes_.pop_front();
    }
  }
  engine_.run(until, reporter);
}

/// A fault begins or ends: links change now, routes later.
void PacketNetwork::change_links(std::int64_t now) {
  std::vector<bool> is_active;
  fault_ = kNever;
  for (const platform::LinkFault& fault : routes_->faults()) {
    is_active.push_back(fault.is_active(Time(now)));
    if (const auto next = fault.next_change(Time(now))) fault_ = std::min(fault_, next->count());
  }
  const std::uint32_t before = std::exchange(state_, routes_->state(is_active));
  for (std::uint32_t link = 0; link < link_count(); ++link) {
    const double usual = routes_->bytes_per_ns(routes_->initial_state(), link);
    const double rate = routes_->bytes_per_ns(state_, link);
    if (usual > 0 && rate != routes_->bytes_per_ns(before, link))
      engine_.set_link(link, rate / usual, now);
  }
  if (state_ != before) reroutes_.emplace_back(now + settings_.reroute_after.count(), state_);
}

void PacketNetwork::find_next() {
  std::int64_t next = skipper_ ? skipper_->next_arrival() : engine_.next_arrival();
  // Without an event, packets may wait for the end of a fault, but not forever for faults that
  // recur in vain.
  const bool may_help = engine_.counts().gave_up == 0 && changes_in_vain_ < kMostInVain;
  if (engine_.undelivered() > 0 && (next != kNever || may_help))
    next = std::min({next, fault_, next_reroute()});
  if (next == next_) return;
  next_ = next;
  ++epoch_;
}

std::string PacketNetwork::link_name(std::uint32_t link) const {
  const platform::Topology& topology = routes_->topology();
  return topology.name(topology.link(link).from) + " -> " + topology.name(topology.link(link).to);
}

void PacketNetwork::add_findings(Findings& findings) const {
  if (!why_not_skipped_.empty())
    findings.add(FindingCode::key_without_effect, "packets/skip: " + why_not_skipped_);
  if (skipper_) {  // the engine has no packets
    const SkippedEvents events = skipper_->count_events();
    if (events.simulated < events.all)
      findings.add(FindingCode::packets_skipped,
                   fmt::format("{} of {} events of packets were simulated",
                               format_count(static_cast<std::int64_t>(events.simulated)),
                               format_count(static_cast<std::int64_t>(events.all))));
    return;
  }
  for (const PacketEngine::ControlUse& one : engine_.control_use()) {
    if (one.transport == platform::PacketTransport::window || one.connections == 0 || one.acted)
      continue;
    findings.add(
        FindingCode::congestion_control_idle,
        fmt::format("{} of {} {} of devices, {} packets marked, longest queue of a switch {}",
                    platform::transport_name(one.transport), one.connections,
                    one.connections == 1 ? "pair" : "pairs", engine_.counts().marked,
                    format_bytes(Bytes(engine_.counts().longest_queue))));
  }
  for (const PauseSpread& spread : engine_.pause_spreads()) {
    findings.add(
        FindingCode::pauses_spread,
        fmt::format("{}: {} further {}, from {} on", link_name(spread.port), spread.switches.size(),
                    spread.switches.size() == 1 ? "switch" : "switches",
                    format_time(Time(spread.since))));
  }
  if (const std::string cycle = pause_cycle(); !cycle.empty())
    findings.add(FindingCode::pauses_deadlock, cycle);
}

/// "a -> b -> a": nodes that wait for each other because of pauses. Empty: there are none.
std::string PacketNetwork::pause_cycle() const {
  const std::vector<std::uint32_t> cycle =
      engine_.undelivered() > 0 ? engine_.paused_cycle() : std::vector<std::uint32_t>();
  if (cycle.empty()) return {};
  constexpr std::size_t kShown = 8;
  std::string text;
  const platform::Topology& topology = routes_->topology();
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i)
    text += topology.name(topology.link(cycle[i]).from) + " -> ";
  if (cycle.size() > kShown) text += fmt::format("{} more -> ", cycle.size() - kShown);
  return text + topology.name(topology.link(cycle.front()).from);
}

std::string PacketNetwork::why_stalled() const {
  if (engine_.undelivered() == 0) return {};
  const std::string cycle = pause_cycle();
  if (cycle.empty()) {
    return engine_.counts().gave_up > 0
               ? fmt::format("{} senders gave up after {} timeouts in a row (`packets: retries`)",
                             engine_.counts().gave_up, settings_.retries)
               : std::string();
  }
  return "pauses of priority flow control wait for each other: " + cycle;
}

}  // namespace orrery::model
