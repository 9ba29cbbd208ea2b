// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/flit_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/network/noc/deadlock_check.h"

namespace orrery::noc {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Result<void> check_settings(const platform::NocSettings& settings) {
  const auto within = [](std::int64_t value, std::int64_t low, std::int64_t high) {
    return value >= low && value <= high;
  };
  const auto wrong = [](std::string key, std::string hint) {
    return tl::unexpected(
        Error{Errc::config_range, std::move(key), "is out of range", std::move(hint)});
  };
  if (!within(settings.channels, 1, 32)) return wrong("channels", "use 1 to 32");
  if (!within(settings.buffer, 1, 32768)) return wrong("buffer", "use 1 to 32,768 flits");
  if (!within(settings.stages, 1, 4)) return wrong("stages", "use 1 to 4");
  if (!within(settings.credit, 0, 1024)) return wrong("credit", "use 0 to 1024 cycles");
  if (!within(settings.speedup, 1, settings.channels))
    return wrong("speedup", "use 1 to the number of channels");
  if (!within(settings.iterations, 1, 64)) return wrong("iterations", "use 1 to 64");
  return {};
}

Result<NocRoutes> find_routes(const NocGraph& graph, platform::NocSettings settings,
                              RouteTable table) {
  auto routes = NocRoutes::make(graph, settings, std::move(table));
  if (!routes) return routes;
  const auto checked = check_deadlock(graph, *routes);
  if (checked) return routes;
  if (settings.routing != platform::NocRouting::automatic) return tl::unexpected(checked.error());
  settings.routing = platform::NocRouting::up_down;
  routes = NocRoutes::make(graph, settings);
  if (routes) {
    if (auto again = check_deadlock(graph, *routes); !again) return tl::unexpected(again.error());
  }
  return routes;
}

}  // namespace

Result<FlitEngine> FlitEngine::make(const NocGraph& graph, const platform::NocSettings& settings,
                                    RouteTable table) {
  if (auto done = check_settings(settings); !done) return tl::unexpected(done.error());
  auto routes = find_routes(graph, settings, std::move(table));
  if (!routes) return tl::unexpected(routes.error());
  FlitEngine made;
  made.graph_ = std::make_shared<const NocGraph>(graph);
  made.routes_ = std::make_shared<const NocRoutes>(std::move(*routes));
  made.settings_ = settings;
  made.channels_ = static_cast<std::uint32_t>(settings.channels);
  made.shift_ = static_cast<std::uint32_t>(std::bit_width(made.channels_ - 1));
  made.depth_ = static_cast<std::uint32_t>(settings.buffer);
  made.hold_ = settings.stages == 1 ? 1 : 2;
  std::uint64_t ports = 0;
  for (const std::uint32_t count : graph.ports) ports += count;
  if ((ports << made.shift_) * made.depth_ > (std::uint64_t{1} << 30))
    return tl::unexpected(Error{Errc::config_range, "buffer",
                                "all buffers together have more than 2^30 flits",
                                "use fewer channels, or shorter buffers"});
  made.build(graph);
  return made;
}

void FlitEngine::build(const NocGraph& graph) {
  for (const std::int64_t period : graph.periods) domains_.emplace_back().period = period;
  std::uint32_t ports = 0, words = 0, most = 1;
  for (std::uint32_t i = 0; i < graph.router_count(); ++i) {
    const std::uint32_t count = graph.ports[i];
    Domain& domain = domains_[graph.domain[i]];
    const auto slot = static_cast<std::uint32_t>(domain.routers.size());
    domain.routers.push_back(i);
    const std::uint32_t own_words = ((count << shift_) + 63) / 64;
    routers_.push_back({ports, count, words, own_words, graph.domain[i], slot});
    router_of_.insert(router_of_.end(), count, i);
    ports += count;
    words += own_words;
    most = std::max(most, count);
  }
  const std::size_t channels = std::size_t{ports} << shift_;
  inputs_.resize(channels);
  buffers_.resize(channels * depth_);
  credits_.assign(channels + (graph.nodes.size() << shift_), static_cast<std::int32_t>(depth_));
  waiting_.resize(words);
  active_.resize(words);
  channel_in_.resize(channels);
  channel_out_.resize(channels);
  const auto speedup = static_cast<std::uint32_t>(settings_.speedup);
  switch_in_.resize(std::size_t{ports} * speedup);
  switch_out_.resize(ports);
  for (std::uint32_t i = 0; i < ports * speedup; ++i) switch_turn_.push_back(i % speedup);
  scratch_.channels.resize(most << shift_, most << shift_);
  scratch_.switches.resize(most * speedup, most);
  scratch_.request_of.resize(std::size_t{most} * speedup * most);
  link_flits_.resize(graph.links.size());
  build_ports(graph);
  build_clocks(graph);
}

void FlitEngine::build_ports(const NocGraph& graph) {
  out_ports_.resize(router_of_.size());
  in_ports_.resize(router_of_.size());
  const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << channels_) - 1);
  for (OutPort& port : out_ports_) port.free = all;
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const NocLink& link = graph.links[i];
    const Router& from = routers_[link.from];
    const Router& to = routers_[link.to];
    const std::int64_t from_period = domains_[from.domain].period;
    const std::int64_t to_period = domains_[to.domain].period;
    const bool one_clock = from.domain == to.domain && link.extra == 0;
    OutPort& out = out_ports_[from.first_port + link.from_port];
    InPort& in = in_ports_[to.first_port + link.to_port];
    out.target = (to.first_port + link.to_port) << shift_;
    out.domain = to.domain;
    out.link = i;
    out.delay = (hold_ + link.cycles) * from_period + link.extra;
    out.cycles = one_clock ? hold_ + link.cycles : 0;
    out.flit_time = std::max(from_period, link.flit_time);
    in.target = (from.first_port + link.from_port) << shift_;
    in.domain = from.domain;
    in.delay = (1 + link.cycles) * to_period + link.extra;
    in.cycles = one_clock ? 1 + link.cycles : 0;
    in.use = settings_.credit;
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Router& router = routers_[graph.nodes[i].router];
    const std::uint32_t port = router.first_port + graph.nodes[i].port;
    out_ports_[port].target = i;
    out_ports_[port].domain = router.domain;
    out_ports_[port].flit_time = domains_[router.domain].period;
    out_ports_[port].cycles = hold_ + graph.node_cycles;
    in_ports_[port].target = static_cast<std::uint32_t>((router_of_.size() + i) << shift_);
    in_ports_[port].domain = router.domain;
    in_ports_[port].cycles = 1 + graph.node_cycles;
    Domain& domain = domains_[router.domain];
    nodes_.push_back({.free = all,
                      .router = graph.nodes[i].router,
                      .in_port = port,
                      .domain = router.domain,
                      .slot = static_cast<std::uint32_t>(domain.nodes.size()),
                      .arrival = 1 + graph.node_cycles});
    domain.nodes.push_back(i);
  }
}

void FlitEngine::build_clocks(const NocGraph& graph) {
  for (Domain& domain : domains_) {
    domain.active_routers.resize((domain.routers.size() + 63) / 64);
    domain.active_nodes.resize((domain.nodes.size() + 63) / 64);
  }
  std::vector<std::int64_t> most(domains_.size(), 4 + graph.node_cycles + settings_.credit);
  for (const OutPort& port : out_ports_) {
    if (port.link != kNone)
      most[port.domain] =
          std::max(most[port.domain], 2 + ceil_div(port.delay, domains_[port.domain].period));
  }
  for (const InPort& port : in_ports_) {
    if (port.delay > 0)
      most[port.domain] = std::max(
          most[port.domain], 2 + port.use + ceil_div(port.delay, domains_[port.domain].period));
  }
  for (std::size_t i = 0; i < domains_.size(); ++i)
    // Twice: the first arrival may be that far behind the current time, the last that far ahead.
    domains_[i].wheel.resize(std::bit_ceil(2 * static_cast<std::uint64_t>(most[i])));
}

void FlitEngine::activate(std::uint32_t router) {
  Domain& domain = domains_[routers_[router].domain];
  const std::uint32_t slot = routers_[router].slot;
  std::uint64_t& word = domain.active_routers[slot / 64];
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  if ((word & bit) == 0) ++domain.active;
  word |= bit;
}

FlitEngine::Bucket& FlitEngine::bucket_of(std::uint32_t number, std::int64_t cycle) {
  Domain& domain = domains_[number];
  // A clock that was idle skips the time until now.
  if (domain.active == 0 && domain.pending == 0)
    domain.cycle = std::max(domain.cycle, ceil_div(now_, domain.period));
  ++domain.pending;
  return domain.wheel[static_cast<std::uint64_t>(cycle) & (domain.wheel.size() - 1)];
}

void FlitEngine::schedule_flit(std::uint32_t domain, std::int64_t cycle, const Arrival& arrival) {
  bucket_of(domain, cycle).flits.push_back(arrival);
}

void FlitEngine::schedule_credit(std::uint32_t domain, std::int64_t cycle, std::uint32_t channel) {
  bucket_of(domain, cycle).credits.push_back(channel);
}

std::int64_t FlitEngine::arrival_cycle(const Domain& from, std::uint32_t to, std::int64_t delay,
                                       std::int64_t cycles) const {
  if (cycles > 0) return from.cycle + cycles;
  return ceil_div(from.cycle * from.period + delay, domains_[to].period);
}

void FlitEngine::post(Packet packet) {
  ORRERY_CHECK(packet.source < nodes_.size() && packet.destination < nodes_.size() &&
               packet.size > 0 && packet.size < (1u << 30));
  ORRERY_CHECK(settings_.switching == platform::NocSwitching::wormhole || packet.size <= depth_);
  std::uint32_t number = unused_;
  packet.next = kNone;
  packet.hops = 0;
  packet.received = 0;
  routes_->prepare(packet);
  if (number == kNone) {
    number = static_cast<std::uint32_t>(packets_.size());
    packets_.push_back(packet);
  } else {
    unused_ = packets_[number].next;
    packets_[number] = packet;
  }
  ++undelivered_;
  Node& node = nodes_[packet.source];
  node.queued += packet.size;
  Domain& domain = domains_[node.domain];
  if (domain.active == 0 && domain.pending == 0)
    domain.cycle = std::max(domain.cycle, ceil_div(packet.created, domain.period));
  if (node.first == kNone) {
    node.first = number;
    domain.active_nodes[node.slot / 64] |= std::uint64_t{1} << (node.slot % 64);
    ++domain.active;
  } else {
    packets_[node.last].next = number;
  }
  node.last = number;
}

std::int64_t FlitEngine::next_cycle(const Domain& domain) const {
  if (domain.active > 0) return domain.cycle;
  if (domain.pending == 0) return kNever;
  std::int64_t cycle = domain.cycle;
  while (true) {
    const Bucket& bucket =
        domain.wheel[static_cast<std::uint64_t>(cycle) & (domain.wheel.size() - 1)];
    if (!bucket.flits.empty() || !bucket.credits.empty()) return cycle;
    ++cycle;
  }
}

std::int64_t FlitEngine::next() const {
  std::int64_t found = kNever;
  for (const Domain& domain : domains_) {
    const std::int64_t cycle = next_cycle(domain);
    if (cycle != kNever) found = std::min(found, cycle * domain.period);
  }
  return found;
}

std::int64_t FlitEngine::next_delivery() const {
  if (undelivered_ == 0) return kNever;
  std::int64_t found = kNever;
  for (const Domain& domain : domains_) {
    const std::int64_t cycle = next_cycle(domain);
    if (cycle == kNever) continue;
    // A flit that no router has sent to a node yet needs at least this long.
    std::int64_t after = cycle + hold_ + graph_->node_cycles;
    if (!domain.leaving.empty()) after = std::min(after, domain.leaving.front());
    found = std::min(found, after * domain.period);
  }
  return found;
}

void FlitEngine::run(std::int64_t until) {
  while (true) {
    Domain* first = nullptr;
    std::int64_t time = kNever, cycle = 0;
    for (Domain& domain : domains_) {
      const std::int64_t next = next_cycle(domain);
      if (next == kNever || next * domain.period >= time) continue;
      first = &domain;
      cycle = next;
      time = next * domain.period;
    }
    if (first == nullptr || time > until) break;
    first->cycle = cycle;
    step(*first);
  }
  if (until >= kNever - 1) return;  // all clocks are idle
  for (Domain& domain : domains_) domain.cycle = std::max(domain.cycle, until / domain.period + 1);
}

void FlitEngine::step(Domain& domain) {
  now_ = domain.cycle * domain.period;
  Bucket& bucket =
      domain.wheel[static_cast<std::uint64_t>(domain.cycle) & (domain.wheel.size() - 1)];
  receive(domain, bucket);
  for (std::size_t i = 0; i < domain.active_nodes.size(); ++i) {
    for (std::uint64_t bits = domain.active_nodes[i]; bits != 0; bits &= bits - 1)
      inject(domain, domain.nodes[i * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
  }
  for (std::size_t i = 0; i < domain.active_routers.size(); ++i) {
    for (std::uint64_t bits = domain.active_routers[i]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      step_router(domain, routers_[domain.routers[i * 64 + bit]]);
    }
  }
  ++domain.cycle;
}

void FlitEngine::receive(Domain& domain, Bucket& bucket) {
  for (const std::uint32_t channel : bucket.credits) receive_credit(channel);
  for (const Arrival& arrival : bucket.flits) {
    if (arrival.place >= kNode)
      eject(domain, arrival.place - kNode, arrival.flit);
    else
      receive_flit(domain, arrival);
  }
  domain.pending -= bucket.credits.size() + bucket.flits.size();
  bucket.credits.clear();
  bucket.flits.clear();
}

void FlitEngine::receive_credit(std::uint32_t channel) {
  const std::int32_t credits = ++credits_[channel];
  ORRERY_CHECK(credits <= static_cast<std::int32_t>(depth_));
  if (!settings_.waits_for_tail || credits < static_cast<std::int32_t>(depth_)) return;
  const std::uint32_t port = channel >> shift_, bit = 1u << (channel - (port << shift_));
  const auto release = [bit](std::uint32_t& free, std::uint32_t& tail_sent) {
    free |= tail_sent & bit;
    tail_sent &= ~bit;
  };
  if (port < out_ports_.size()) {
    release(out_ports_[port].free, out_ports_[port].tail_sent);
  } else {
    Node& node = nodes_[port - out_ports_.size()];
    release(node.free, node.tail_sent);
  }
}

void FlitEngine::receive_flit(const Domain& domain, const Arrival& arrival) {
  Channel& input = inputs_[arrival.place];
  ORRERY_CHECK(input.count < depth_);
  std::uint32_t at = input.first + input.count;
  if (at >= depth_) at -= depth_;
  buffers_[std::size_t{arrival.place} * depth_ + at] = arrival.flit;
  const bool was_empty = input.count++ == 0;
  if (!was_empty) return;
  const std::uint32_t port = arrival.place >> shift_;
  activate(router_of_[port]);
  if (input.state == State::idle) {
    begin_packet(arrival.place, domain.cycle);
  } else {
    const Router& router = routers_[router_of_[port]];
    const std::uint32_t local = arrival.place - (router.first_port << shift_);
    active_[router.first_word + local / 64] |= std::uint64_t{1} << (local % 64);
  }
}

/// The head at the front of a channel requests a channel of the next router.
void FlitEngine::begin_packet(std::uint32_t channel, std::int64_t ready) {
  Channel& input = inputs_[channel];
  const std::uint32_t port = channel >> shift_;
  const Router& router = routers_[router_of_[port]];
  const Flit& flit = buffers_[std::size_t{channel} * depth_ + input.first];
  ORRERY_CHECK(flit.head);
  routes_->find(packets_[flit.packet], router_of_[port], port - router.first_port,
                channel - (port << shift_), input.route);
  input.state = State::waiting;
  input.ready = ready + (settings_.stages == 4 ? 1 : 0);
  const std::uint32_t local = channel - (router.first_port << shift_);
  waiting_[router.first_word + local / 64] |= std::uint64_t{1} << (local % 64);
}

void FlitEngine::eject(const Domain& domain, std::uint32_t channel, const Flit& flit) {
  ++counts_.ejected;
  const OutPort& port = out_ports_[channel >> shift_];
  schedule_credit(port.domain, domain.cycle + 1 + graph_->node_cycles + settings_.credit, channel);
  Packet& packet = packets_[flit.packet];
  ORRERY_CHECK(packet.received++ == flit.number);
  if (!flit.tail) return;
  domains_[port.domain].leaving.pop_front();
  --undelivered_;
  deliveries_.push_back({packet, domain.cycle * domain.period});
  packet.next = unused_;
  unused_ = flit.packet;
}

bool FlitEngine::take_channel(Node& node, std::uint32_t number, const Packet& packet) {
  const std::size_t first = (out_ports_.size() + number) << shift_;
  const std::int32_t needed = settings_.switching == platform::NocSwitching::cut_through
                                  ? static_cast<std::int32_t>(packet.size)
                                  : 1;
  // In turn, after the last one.
  for (std::uint32_t i = 1; i <= channels_; ++i) {
    const std::uint32_t channel =
        node.last_channel == kNone ? i - 1 : (node.last_channel + i) % channels_;
    if ((node.free >> channel & 1) == 0 || credits_[first + channel] < needed) continue;
    node.channel = node.last_channel = channel;
    node.free &= ~(1u << channel);
    return true;
  }
  return false;
}

void FlitEngine::inject(Domain& domain, std::uint32_t number) {
  Node& node = nodes_[number];
  const std::uint32_t first = node.first;
  Packet& packet = packets_[first];
  const std::int64_t now = domain.cycle * domain.period;
  if (packet.created > now) return;
  if (node.sent == 0 && !take_channel(node, number, packet)) return;
  std::int32_t& credits = credits_[((out_ports_.size() + number) << shift_) + node.channel];
  if (credits == 0) return;
  --credits;
  if (node.sent == 0) packet.injected = now;
  ++counts_.injected;
  --node.queued;
  const std::uint32_t sent = node.sent++;
  const bool tail = node.sent == packet.size;
  schedule_flit(node.domain, domain.cycle + node.arrival,
                {(node.in_port << shift_) + node.channel, {first, sent, sent == 0, tail}});
  if (!tail) return;
  (settings_.waits_for_tail ? node.tail_sent : node.free) |= 1u << node.channel;
  node.sent = 0;
  node.first = packet.next;
  if (node.first != kNone) return;
  domain.active_nodes[node.slot / 64] &= ~(std::uint64_t{1} << (node.slot % 64));
  --domain.active;
}

std::pair<std::int32_t, std::int32_t> FlitEngine::credit_range() const {
  const auto [least, most] = std::minmax_element(credits_.begin(), credits_.end());
  return {*least, *most};
}

}  // namespace orrery::noc
