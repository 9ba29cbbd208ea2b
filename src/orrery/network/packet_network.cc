// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/network/packet_paths.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {

namespace {

std::int64_t whole_picoseconds(double time) {
  return time < static_cast<double>(MultiDimFabric::kTooLong) ? static_cast<std::int64_t>(time)
                                                              : MultiDimFabric::kTooLong;
}

}  // namespace

std::vector<PacketLink> packet_links(const FabricRoutes& routes) {
  std::vector<PacketLink> links;
  for (platform::LinkIndex link = 0; link < routes.topology().link_count(); ++link) {
    const platform::NodeIndex from = routes.topology().link(link).from;
    links.push_back({routes.bytes_per_ns(routes.initial_state(), link) / routes.efficiency(),
                     std::llround(routes.latency_ns(link) * 1e3),
                     platform::is_switch(routes.topology().kind(from))});
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
  if (!made.window && platform.fabric != nullptr && platform.fabric->window.count() > 0)
    made.window = std::max<std::int64_t>(
        1, platform.fabric->window.count() / (*made.payload + *made.header).count());
  return made;
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
      engine_(settings_, packet_links(*routes), std::make_shared<PacketPaths>(routes)) {}

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
  engine_.report_links(observed());
  engine_.run(now, reporter);
  std::sort(sent_.begin(), sent_.end());
  for (const Send& message : sent_) {
    if (uncontended_time(message.from, message.to, message.bytes) >= MultiDimFabric::kTooLong - now)
      sink.exceeds_clock();
    else
      engine_.post({message.from, message.to, message.bytes, message.token}, now, reporter);
  }
  sent_.clear();
  find_next();
}

void PacketNetwork::advance(std::int64_t until, Sink& sink) {
  Reporter reporter(*this, sink);
  engine_.report_links(observed());
  engine_.run(until, reporter);
  find_next();
}

void PacketNetwork::find_next() {
  const std::int64_t next = engine_.next_arrival();
  if (next == next_) return;
  next_ = next;
  ++epoch_;
}

}  // namespace orrery::model
