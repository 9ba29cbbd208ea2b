// SPDX-License-Identifier: Apache-2.0
//
// The state of an engine without flits.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "orrery/network/noc/deadlock_check.h"
#include "orrery/network/noc/flit_engine.h"
#include "orrery/platform/noc_numbers.h"

namespace orrery::noc {

namespace {

constexpr std::uint32_t kMostPorts = 0xffff;  // numbers of 16 bits, of which one means none
constexpr double kMostStateBytes = 0x1p30;

Result<void> check_settings(const platform::NocSettings& settings) {
  for (const platform::NocNumber& one : platform::kNocNumbers) {
    // An input of the switch serves at least one channel.
    const std::int64_t most =
        one.key == "speedup" ? std::min(one.most, settings.channels) : one.most;
    const std::int64_t value = settings.*one.member;
    if (value < one.least || value > most)
      return tl::unexpected(Error{Errc::config_range, std::string(one.key),
                                  fmt::format("{} is out of range", value),
                                  fmt::format("use {} to {}{}", one.least, most,
                                              most < one.most ? ", the number of channels" : "")});
  }
  return {};
}

}  // namespace

Result<FlitEngine> FlitEngine::make(const NocGraph& graph, const platform::NocSettings& settings,
                                    RouteTable table) {
  if (auto done = check_settings(settings); !done) return tl::unexpected(done.error());
  FlitEngine made;
  made.settings_ = settings;
  made.channels_ = static_cast<std::uint32_t>(settings.channels);
  made.shift_ = static_cast<std::uint32_t>(std::bit_width(made.channels_ - 1));
  made.depth_ = static_cast<std::uint32_t>(settings.buffer);
  made.hold_ = settings.stages == 1 ? 1 : 2;
  if (auto done = made.check_size(graph); !done) return tl::unexpected(done.error());
  auto routes = find_safe_routes(graph, settings, std::move(table));
  if (!routes) return tl::unexpected(routes.error());
  made.graph_ = std::make_shared<const NocGraph>(graph);
  made.routes_ = std::make_shared<const NocRoutes>(std::move(*routes));
  made.build(graph);
  return made;
}

/// Whether the state fits into memory, and ports into the numbers of channels.
Result<void> FlitEngine::check_size(const NocGraph& graph) const {
  std::uint64_t ports = 0, most = 1;
  for (const std::uint32_t count : graph.ports) {
    ports += count;
    most = std::max<std::uint64_t>(most, count);
  }
  if (most > kMostPorts)
    return tl::unexpected(Error{Errc::config_range, "network",
                                fmt::format("a router has {} ports", most),
                                fmt::format("use at most {} per router", kMostPorts)});
  const auto speedup = static_cast<std::uint64_t>(settings_.speedup);
  const std::uint64_t channels = ports << shift_;
  // Buffers, channels, and the table of requests for the switch of the largest router.
  const double bytes =
      static_cast<double>(channels) *
          static_cast<double>(depth_ * sizeof(Flit) + sizeof(Channel) + 3 * sizeof(std::uint32_t)) +
      static_cast<double>(ports) * static_cast<double>(sizeof(OutPort) + sizeof(InPort)) +
      static_cast<double>(most * most * speedup) * sizeof(std::uint32_t);
  if (bytes > kMostStateBytes)
    return tl::unexpected(
        Error{Errc::config_range, "network",
              fmt::format("its routers need {:.1f} GiB of memory, and 1 GiB is the limit",
                          bytes / 0x1p30),
              "use fewer channels, shorter buffers, less speedup, or routers with fewer ports"});
  return {};
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
    const std::int64_t waits = from.domain == to.domain ? 0 : link.synchronizer;
    OutPort& out = out_ports_[from.first_port + link.from_port];
    InPort& in = in_ports_[to.first_port + link.to_port];
    out.target = (to.first_port + link.to_port) << shift_;
    out.domain = to.domain;
    out.link = i;
    out.delay = (hold_ + link.cycles) * from_period + link.extra + waits * to_period;
    out.cycles = one_clock ? hold_ + link.cycles : 0;
    out.flit_time = std::max(from_period, link.flit_time);
    in.target = (from.first_port + link.from_port) << shift_;
    in.domain = from.domain;
    in.delay = (1 + link.cycles) * to_period + link.extra + waits * from_period;
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

bool FlitEngine::is_idle() const {
  return undelivered_ == 0 && std::ranges::all_of(domains_, [](const Domain& domain) {
           return domain.active == 0 && domain.pending == 0;
         });
}

FlitEngine::Part FlitEngine::part(std::uint32_t number) const {
  if (number < graph_->links.size()) {
    const NocLink& link = graph_->links[number];
    return {routers_[link.from].first_port + link.from_port,
            routers_[link.to].first_port + link.to_port, kNone};
  }
  const bool is_entry = number < exit_of(0);
  const std::uint32_t node = number - (is_entry ? entry_of(0) : exit_of(0));
  const NocNode& place = graph_->nodes[node];
  const std::uint32_t port = routers_[place.router].first_port + place.port;
  return is_entry ? Part{kNone, port, node} : Part{port, kNone, kNone};
}

/// Calls `use(pointer)` for the pointers of a part.
template <class Engine, class Use>
void FlitEngine::for_turns(Engine& engine, std::uint32_t number, const Use& use) {
  const Part part = engine.part(number);
  const auto speedup = static_cast<std::uint32_t>(engine.settings_.speedup);
  if (part.out_port != kNone) {
    use(engine.switch_out_[part.out_port]);
    for (std::uint32_t i = 0; i < engine.channels_; ++i)
      use(engine.channel_out_[(part.out_port << engine.shift_) + i]);
  }
  if (part.in_port != kNone) {
    for (std::uint32_t i = 0; i < speedup; ++i) {
      use(engine.switch_in_[part.in_port * speedup + i]);
      use(engine.switch_turn_[part.in_port * speedup + i]);
    }
    for (std::uint32_t i = 0; i < engine.channels_; ++i)
      use(engine.channel_in_[(part.in_port << engine.shift_) + i]);
  }
  if (part.node != kNone) use(engine.nodes_[part.node].last_channel);
}

void FlitEngine::append_turns(std::uint32_t part, std::vector<std::uint32_t>& out) const {
  for_turns(*this, part, [&](const std::uint32_t& turn) { out.push_back(turn); });
}

std::size_t FlitEngine::set_turns(std::uint32_t part, std::span<const std::uint32_t> turns) {
  std::size_t next = 0;
  for_turns(*this, part, [&](std::uint32_t& turn) { turn = turns[next++]; });
  return next;
}

std::int64_t FlitEngine::busy_until(std::uint32_t number) const {
  const std::uint32_t port = part(number).out_port;
  return port == kNone ? 0 : out_ports_[port].idle_at;
}

bool FlitEngine::uses_diagonals() const {
  return settings_.channel_allocator == platform::NocAllocator::wavefront ||
         settings_.switch_allocator == platform::NocAllocator::wavefront;
}

std::array<std::int64_t, 2> FlitEngine::diagonals_of(std::uint32_t router) const {
  const std::int64_t ports = routers_[router].ports;
  return {ports << shift_, ports * settings_.speedup};
}

std::size_t FlitEngine::state_bytes() const {
  return inputs_.size() * (sizeof(Channel) + depth_ * sizeof(Flit) + 3 * sizeof(std::uint32_t)) +
         out_ports_.size() * (sizeof(OutPort) + sizeof(InPort)) + nodes_.size() * sizeof(Node);
}

}  // namespace orrery::noc
