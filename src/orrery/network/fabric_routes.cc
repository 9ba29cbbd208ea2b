// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/fabric_routes.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "orrery/core/check.h"
#include "orrery/core/system/memory_limit.h"
#include "orrery/platform/topology/routing/adapter_routes.h"

namespace orrery::model {

using platform::Link;
using platform::LinkIndex;
using platform::NodeIndex;

FabricRoutes::FabricRoutes(const platform::Platform& platform, bool single_path)
    : fabric_(platform.fabric) {
  if (fabric_ != nullptr) {
    topology_ = {fabric_, &fabric_->topology};
    nodes_ = fabric_->rank_devices;
    routing_ = fabric_->routing;
    sprays_ = routing_.policy == platform::RoutePolicy::spray;
    if (single_path && sprays_) routing_.policy = platform::RoutePolicy::ecmp;
    splits_adapters_ = !single_path && platform::may_use_all_adapters(routing_);
    faults_ = fabric_->faults;
    window_ = fabric_->window.count();
    ranks_ = static_cast<std::uint32_t>(nodes_.size());
    memories_ = static_cast<std::uint32_t>(fabric_->memories.size());
    nodes_.insert(nodes_.end(), fabric_->memories.begin(), fabric_->memories.end());
    reducers_ = fabric_->reducers;
  } else {
    set_dims(platform);
  }
  for (const platform::Reducer& one : reducers_) nodes_.push_back(one.node);
  rank_of_.assign(topology_->node_count(), LinkPlace::kNoRank);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) rank_of_[nodes_[rank]] = rank;
  for (const Link& link : topology_->links()) {
    const double payload = fabric_ != nullptr ? fabric_->efficiency : 1;
    bytes_per_ns_.push_back(link.figures.bandwidth.count() / 1e9 *
                            static_cast<double>(link.figures.count) * payload);
    latency_ns_.push_back(static_cast<double>(link.figures.latency.value_or(Time{}).count()) /
                          kPsPerNs);
  }
  if (fabric_ == nullptr) {
    const MultiDimFabric ports(platform);
    for (LinkIndex i = 0; i < topology_->link_count() && ports.ports_deviate(); ++i) {
      const LinkPlace at = describe(i);
      if (at.from == LinkPlace::kNoRank) continue;  // a link of a memory
      const MultiDimFabric::Port port = at.to == LinkPlace::kNoRank
                                            ? ports.port(at.from, at.dim)
                                            : ports.ports_between(at.from, at.to, at.dim);
      bytes_per_ns_[i] *= port.share;
      latency_ns_[i] += port.latency_ns;
    }
  }
  std::vector<bool> is_permanent;
  for (const platform::LinkFault& fault : faults_) is_permanent.push_back(fault.is_permanent());
  (void)state(is_permanent);
  if (memories_ == 0) return;
  std::vector<bool> down(topology_->link_count());
  for (LinkIndex link = 0; link < down.size(); ++link)
    down[link] = bytes_per_ns(initial_state(), link) == 0;
  nearest_memories_.emplace(*topology_, std::span(nodes_).subspan(ranks_, memories_), down);
}

void FabricRoutes::set_dims(const platform::Platform& platform) {
  dims_ = platform.dims;
  Result<platform::Topology> made = platform::stack_dimensions(dims_, platform.name);
  if (!made && made.error().code == Errc::limit_exceeded) throw MemoryShortage(made.error());
  ORRERY_CHECK(made.has_value());
  topology_ = std::make_shared<const platform::Topology>(std::move(*made));
  nodes_.assign(topology_->devices().begin(), topology_->devices().end());
  ranks_ = static_cast<std::uint32_t>(nodes_.size());
  for (NodeIndex node = ranks_; node < topology_->node_count(); ++node) {
    if (topology_->kind(node) == platform::NodeClass::memory) nodes_.push_back(node);
  }
  memories_ = static_cast<std::uint32_t>(nodes_.size()) - ranks_;
  NodeIndex next = ranks_;  // in the topology, switches follow the devices, by dimension
  for (const platform::Dimension& dim : dims_) {
    first_reducer_.push_back(first_reducer() + static_cast<EndPoint>(reducers_.size()));
    if (dim.block != platform::Block::switched || dim.size < 2) continue;
    const NodeIndex end = next + ranks_ / static_cast<NodeIndex>(dim.size);
    for (; next < end; ++next) {
      if (dim.in_network) reducers_.push_back({next, *dim.in_network});
    }
  }
}

std::uint32_t reducer_count(const platform::Platform& platform) {
  if (platform.fabric != nullptr)
    return static_cast<std::uint32_t>(platform.fabric->reducers.size());
  std::int64_t count = 0;
  for (const platform::Dimension& dim : platform.dims) {
    if (dim.in_network && dim.block == platform::Block::switched && dim.size > 1)
      count += platform.npu_count() / dim.size;
  }
  return static_cast<std::uint32_t>(count);
}

std::optional<EndPoint> FabricRoutes::reducer_of(std::size_t dim, EndPoint rank) const {
  if (dim >= dims_.size() || !dims_[dim].in_network || dims_[dim].size < 2) return std::nullopt;
  EndPoint stride = 1;
  for (std::size_t d = 0; d < dim; ++d) stride *= static_cast<EndPoint>(dims_[d].size);
  const auto size = static_cast<EndPoint>(dims_[dim].size);
  return first_reducer_[dim] + rank / (stride * size) * stride + rank % stride;
}

bool FabricRoutes::needs_loads() const { return states_.front().router->needs_loads(); }

std::uint32_t FabricRoutes::state(const std::vector<bool>& active_faults) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].active_faults == active_faults) return static_cast<std::uint32_t>(i);
  }
  State& made = states_.emplace_back();
  made.active_faults = active_faults;
  std::vector<bool> down;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (!active_faults[i]) continue;
    down.resize(topology_->link_count());
    made.usable_share.resize(topology_->link_count(), 1.0);
    for (const LinkIndex link : faults_[i].links) {
      made.usable_share[link] = std::min(made.usable_share[link], faults_[i].bandwidth);
      if (faults_[i].bandwidth == 0) down[link] = true;
    }
  }
  made.router = std::make_unique<platform::Router>(*topology_, routing_, std::move(down));
  return static_cast<std::uint32_t>(states_.size() - 1);
}

double FabricRoutes::bytes_per_ns(std::uint32_t state, LinkIndex link) const {
  const std::vector<double>& shares = states_[state].usable_share;
  return bytes_per_ns_[link] * (shares.empty() ? 1 : shares[link]);
}

void FabricRoutes::set_latency_and_rate(std::uint32_t state, Route& route) const {
  route.latency_ns = 0;
  route.bytes_per_ns = std::numeric_limits<double>::infinity();
  for (const platform::RouteLink& step : route.steps) {
    route.latency_ns += latency_ns_[step.link] * step.share;
    route.bytes_per_ns = std::min(route.bytes_per_ns, bytes_per_ns(state, step.link) / step.share);
  }
}

double FabricRoutes::max_rate(const Route& route) const {
  if (window_ == 0 || route.latency_ns == 0) return route.bytes_per_ns;
  return std::min(route.bytes_per_ns, static_cast<double>(window_) / (2 * route.latency_ns));
}

std::int64_t FabricRoutes::message_time(double latency_ns, double bytes_per_ns,
                                        std::int64_t bytes) {
  const double serial = bytes == 0 ? 0 : static_cast<double>(bytes) / bytes_per_ns;
  return MultiDimFabric::picoseconds(latency_ns + serial);
}

std::int64_t FabricRoutes::uncontended_time(EndPoint from, EndPoint to, std::int64_t bytes) {
  if (from == to) return 0;
  const Route* route = find(initial_state(), from, to);
  return route == nullptr ? MultiDimFabric::kTooLong
                          : message_time(route->latency_ns, max_rate(*route), bytes);
}

const Route* FabricRoutes::find(std::uint32_t state, EndPoint from, EndPoint to,
                                const platform::LinkLoads* loads) {
  const std::scoped_lock lock(mutex_);
  State& now = states_[state];
  if (loads != nullptr && now.router->needs_loads()) {
    if (!now.router->find(nodes_[from], nodes_[to], adaptive_route_.steps, loads)) return nullptr;
    set_latency_and_rate(state, adaptive_route_);
    return &adaptive_route_;
  }
  const auto [entry, added] =
      now.cached_routes.try_emplace((std::uint64_t{from} << 32) | to, nullptr);
  if (!added) return entry->second;
  std::vector<platform::RouteLink> steps;
  if (!splits_adapters_ ||
      !platform::find_over_adapters(*topology_, *now.router, nodes_[from], nodes_[to], steps))
    if (!now.router->find(nodes_[from], nodes_[to], steps)) return nullptr;
  Route& route = routes_.emplace_back();
  route.number = static_cast<std::uint32_t>(routes_.size() - 1);
  route.steps.assign(steps.begin(), steps.end());
  set_latency_and_rate(state, route);
  entry->second = &route;
  return &route;
}

void FabricRoutes::next_links(std::uint32_t state, NodeIndex at, EndPoint to,
                              std::vector<LinkIndex>& out) {
  const std::scoped_lock lock(mutex_);
  states_[state].router->shortest().next(at, nodes_[to], out);
}

std::uint32_t FabricRoutes::pair_class(EndPoint from, EndPoint to) {
  if (from == to) return 0;
  const Route* route = find(initial_state(), from, to);
  if (route == nullptr) return 1;
  const std::scoped_lock lock(mutex_);
  const auto next = static_cast<std::uint32_t>(pair_classes_.size() + 2);
  return pair_classes_.try_emplace({route->latency_ns, route->bytes_per_ns}, next).first->second;
}

std::uint32_t FabricRoutes::dim_of(const Link& link) const {
  std::uint32_t stride = 1;
  NodeIndex switches = ranks_;
  NodeIndex hub = std::max(link.from, link.to);
  if (topology_->kind(hub) == platform::NodeClass::memory) hub = std::min(link.from, link.to);
  for (std::uint32_t d = 0; d < dims_.size(); ++d) {
    const auto size = static_cast<std::uint32_t>(dims_[d].size);
    if (hub < ranks_) {
      if (link.from / stride % size != link.to / stride % size) return d;
    } else if (dims_[d].block == platform::Block::switched && size > 1) {
      switches += ranks_ / size;
      if (hub < switches) return d;
    }
    stride *= size;
  }
  return 0;
}

LinkPlace FabricRoutes::describe(LinkIndex number) const {
  const Link& link = topology_->link(number);
  LinkPlace place{0, rank_of_[link.from], rank_of_[link.to], false};
  if (fabric_ == nullptr) place.dim = dim_of(link);
  if (place.from == LinkPlace::kNoRank && place.to != LinkPlace::kNoRank)
    place = {place.dim, place.to, LinkPlace::kNoRank, true};
  // Links of dimensions have no names, except those of memories.
  if (fabric_ == nullptr && place.from != LinkPlace::kNoRank) return place;
  place.name = topology_->link_name(number);
  place.kind = platform::name(link.figures.kind);
  place.bytes_per_second = link.capacity();
  return place;
}

namespace {

/// The first request of a route.
struct RouteRequest {
  std::uint32_t state = 0;
  EndPoint from = 0;
  EndPoint to = 0;
};

}  // namespace

void FabricRoutes::save(StateWriter& to) const {
  to(static_cast<std::uint64_t>(states_.size()));
  std::vector<RouteRequest> requests(routes_.size());
  for (std::uint32_t state = 0; state < states_.size(); ++state) {
    const State& at = states_[state];
    to(std::vector<std::uint8_t>(at.active_faults.begin(), at.active_faults.end()));
    for (const auto& [pair, route] : at.cached_routes) {
      if (route == nullptr) continue;
      requests[route->number] = {state, static_cast<EndPoint>(pair >> 32),
                                 static_cast<EndPoint>(pair)};
    }
  }
  to(requests);
}

void FabricRoutes::load(StateReader& from) {
  const std::size_t states = from.count();
  for (std::uint32_t number = 0; number < states && !from.failed(); ++number) {
    const auto active = from.take<std::vector<std::uint8_t>>();
    from.require(active.size() == states_.front().active_faults.size());
    if (!from.failed()) from.require(state({active.begin(), active.end()}) == number);
  }
  const auto requests = from.take<std::vector<RouteRequest>>();
  for (std::uint32_t number = 0; number < requests.size() && !from.failed(); ++number) {
    const RouteRequest& asked = requests[number];
    from.require(asked.state < states_.size() && asked.from < nodes_.size() &&
                 asked.to < nodes_.size() && asked.from != asked.to);
    if (from.failed()) return;
    const Route* route = find(asked.state, asked.from, asked.to);
    from.require(route != nullptr && route->number == number);
  }
}

std::uint32_t FabricRoutes::number_of(const Route* route) const {
  if (route == nullptr) return kNoRoute;
  return route == &adaptive_route_ ? 0 : route->number;
}

const Route* FabricRoutes::route_numbered(std::uint32_t number, StateReader& from) const {
  if (number == kNoRoute) return nullptr;
  if (needs_loads()) return &adaptive_route_;
  from.require(number < routes_.size());
  return from.failed() ? nullptr : &routes_[number];
}

}  // namespace orrery::model
