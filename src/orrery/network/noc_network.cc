// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/random.h"
#include "orrery/network/noc_fabric.h"

namespace orrery::model {

namespace {

/// Flits that a source has ready: more than it sends until the next delivery.
constexpr std::uint64_t kReadyFlits = 64;

noc::FlitEngine make_engine(FabricRoutes& routes, const platform::Platform& platform,
                            platform::NocSettings& settings) {
  NocFabric fabric = make_noc_fabric(routes, platform);
  settings = fabric.settings;
  auto made = noc::FlitEngine::make(fabric.graph, fabric.settings, std::move(fabric.table));
  ORRERY_CHECK(made.has_value());  // see check_noc()
  return std::move(*made);
}

}  // namespace

Result<void> check_noc(const platform::Platform& platform, const std::string& where) {
  FabricRoutes routes(platform, true);
  NocFabric fabric = make_noc_fabric(routes, platform);
  const noc::NocGraph& graph = fabric.graph;
  const auto made = noc::FlitEngine::make(graph, fabric.settings, std::move(fabric.table));
  if (!made) {
    Error error = made.error();
    error.where = where + ": noc: " + error.where;
    return tl::unexpected(error);
  }
  const platform::NocRouting kind = made->routes().kind();
  if (kind == platform::NocRouting::shortest) return {};
  for (platform::LinkIndex link = 0; link < routes.topology().link_count(); ++link) {
    if (routes.bytes_per_ns(routes.initial_state(), link) <= 0)
      return tl::unexpected(Error{Errc::config_conflict, where + ": noc: routing",
                                  "a link is down, and this routing may use it", "use `shortest`"});
  }
  return {};
}

NocNetwork::NocNetwork(const platform::Platform& platform)
    : NocNetwork(platform, std::make_shared<FabricRoutes>(platform, true)) {}

NocNetwork::NocNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes)
    : Network({.ranks = routes->rank_count(),
               .memories = routes->memory_count(),
               .switches = static_cast<std::uint32_t>(routes->reducers().size())},
              {.tick_order_free = true, .in_order = true}),
      routes_(std::move(routes)),
      engine_(make_engine(*routes_, platform, settings_)),
      waiting_(routes_->end_point_count()) {
  const noc::NocGraph& graph = engine_.graph();
  std::vector<std::size_t> first_port{0};
  for (const std::uint32_t ports : graph.ports) first_port.push_back(first_port.back() + ports);
  std::vector<std::uint32_t> link_at(first_port.back(), noc::kNone);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i)
    link_at[first_port[graph.links[i].from] + graph.links[i].from_port] = i;
  link_at_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(link_at));
  first_port_ = std::make_shared<const std::vector<std::size_t>>(std::move(first_port));
}

std::unique_ptr<Network> NocNetwork::snapshot() const {
  return std::unique_ptr<Network>(new NocNetwork(*this));
}

std::uint64_t NocNetwork::packet_count(std::int64_t bytes) const {
  const std::int64_t capacity = (settings_.packet - settings_.head) * settings_.flit->count();
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(1, bytes / capacity + (bytes % capacity != 0)));
}

std::int64_t NocNetwork::compute_uncontended_time(EndPoint from, EndPoint to,
                                                  std::int64_t bytes) const {
  if (from == to) return 0;
  const noc::NocGraph& graph = engine_.graph();
  const std::int64_t period = graph.periods[0];
  noc::Packet packet;
  packet.source = from;
  packet.destination = to;
  engine_.routes().prepare(packet);
  packet.second_phase = true;  // Valiant's way is not shorter
  std::uint32_t at = graph.nodes[from].router, in_port = graph.nodes[from].port, channel = 0;
  const std::int64_t flits = std::max<std::int64_t>(
      1, bytes / settings_.flit->count() + (bytes % settings_.flit->count() != 0) +
             static_cast<std::int64_t>(packet_count(bytes)) * settings_.head);
  // `most`: of the last flit, which follows the first at the rate of a link and overtakes it
  // nowhere; unlike the first, it needs no channel.
  const std::int64_t hold = settings_.stages == 1 ? 1 : 2;
  double head = static_cast<double>(1 + graph.node_cycles), most = 0;
  const auto pass = [&](std::int64_t delay, std::int64_t flit_time) {
    head += static_cast<double>(settings_.stages);
    const double behind = std::floor(static_cast<double>(flits - 1) *
                                     static_cast<double>(flit_time) / static_cast<double>(period));
    most = std::max(most + static_cast<double>(hold + delay),
                    head + static_cast<double>(delay) + behind);
    head += static_cast<double>(delay);
  };
  while (true) {
    noc::RouteSet next;
    engine_.routes().find(packet, at, in_port, channel, next);
    const std::uint32_t number = (*link_at_)[(*first_port_)[at] + next.choices[0].port];
    if (number == noc::kNone) break;
    const noc::NocLink& link = graph.links[number];
    pass(link.cycles + (link.extra + period - 1) / period, std::max(period, link.flit_time));
    at = link.to;
    in_port = link.to_port;
    channel = static_cast<std::uint32_t>(std::countr_zero(next.choices[0].channels));
  }
  pass(graph.node_cycles, period);
  const double time = most * static_cast<double>(period);
  return time < static_cast<double>(MultiDimFabric::kTooLong) ? static_cast<std::int64_t>(time)
                                                              : MultiDimFabric::kTooLong;
}

void NocNetwork::post_packet(EndPoint from, std::uint32_t number) {
  Message& message = messages_[number];
  const std::int64_t flit = settings_.flit->count();
  const std::int64_t payload = std::min(message.bytes, (settings_.packet - settings_.head) * flit);
  message.bytes -= payload;
  --message.packets;
  noc::Packet packet;
  packet.source = from;
  packet.destination = message.to;
  packet.size = static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, settings_.head + payload / flit + (payload % flit != 0)));
  packet.tag = number;
  packet.payload = payload;
  packet.created = message.created;
  packet.key = mix_bits(message.key + message.packets);
  engine_.post(packet);
}

void NocNetwork::feed(EndPoint from) {
  std::deque<std::uint32_t>& waiting = waiting_[from];
  while (!waiting.empty() && engine_.queued(from) < kReadyFlits) {
    post_packet(from, waiting.front());
    if (messages_[waiting.front()].packets == 0) waiting.pop_front();
  }
}

void NocNetwork::settle(std::int64_t now, Sink& sink) {
  run(now, sink);
  std::sort(sent_.begin(), sent_.end());
  for (const Send& message : sent_) {
    if (uncontended_time(message.from, message.to, message.bytes) >=
        MultiDimFabric::kTooLong - now) {
      sink.exceeds_clock();
      continue;
    }
    std::uint32_t number = static_cast<std::uint32_t>(messages_.size());
    if (unused_.empty()) {
      messages_.emplace_back();
    } else {
      number = unused_.back();
      unused_.pop_back();
    }
    const std::uint64_t packets = packet_count(message.bytes);
    messages_[number] = {message.token,
                         message.to,
                         message.bytes,
                         now + 1,
                         packets,
                         packets,
                         mix_bits(static_cast<std::uint64_t>(settings_.seed) ^ ++posted_ << 20)};
    if (waiting_[message.from].empty()) senders_.push_back(message.from);
    waiting_[message.from].push_back(number);
    feed(message.from);
  }
  sent_.clear();
  std::erase_if(senders_, [&](EndPoint from) { return waiting_[from].empty(); });
  find_next();
}

void NocNetwork::advance(std::int64_t until, Sink& sink) {
  run(until, sink);
  find_next();
}

void NocNetwork::run(std::int64_t until, Sink& sink) {
  engine_.report_links(observed());
  // In steps, so that no source runs out of packets.
  while (engine_.next_delivery() <= until) {
    engine_.run(engine_.next_delivery());
    take_deliveries(sink);
  }
  engine_.run(until);
  take_deliveries(sink);
}

void NocNetwork::take_deliveries(Sink& sink) {
  for (const noc::LinkPass& one : engine_.link_passes())
    report_carried(one.link, one.from, one.until, one.payload);
  engine_.clear_link_passes();
  for (const EndPoint from : senders_) feed(from);
  std::erase_if(senders_, [&](EndPoint from) { return waiting_[from].empty(); });
  for (const noc::Delivery& one : engine_.deliveries()) {
    Message& message = messages_[one.packet.tag];
    if (--message.undelivered > 0) continue;
    unused_.push_back(one.packet.tag);
    sink.arrives(message.token);
  }
  engine_.clear_deliveries();
}

void NocNetwork::find_next() {
  const std::int64_t next = engine_.next_delivery();
  if (next == next_) return;
  next_ = next;
  ++epoch_;
}

}  // namespace orrery::model
