// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/folded_ports.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

using platform::Block;
using platform::LinkIndex;
using platform::Topology;

FoldedPorts::FoldedPorts(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes)
    : routes_(std::move(routes)), port_class_(routes_->rank_count()) {
  if (platform.fabric == nullptr) {
    dims_ = platform.dims;
    const MultiDimFabric ports(platform);
    for (EndPoint rank = 0; rank < port_class_.size(); ++rank)
      port_class_[rank] = ports.port_class(rank);
    foldable_ = true;
    shares_links_ = routes_->memory_count() > 0;  // links of memories belong to no rank
    return;
  }
  const auto& faults = platform.fabric->faults;
  foldable_ = !routes_->needs_loads() &&
              std::all_of(faults.begin(), faults.end(),
                          [](const auto& fault) { return fault.is_permanent(); });
  if (faults.empty() && routes_->memory_count() == 0 && on_one_switch(*platform.fabric)) return;
  shares_links_ = foldable_;
  port_class_.assign(port_class_.size(), 0);
}

bool FoldedPorts::on_one_switch(const platform::Fabric& fabric) {
  const Topology& topology = routes_->topology();
  std::map<std::tuple<double, std::int64_t, double, std::int64_t>, std::uint32_t> kinds;
  platform::NodeIndex hub = 0;
  for (EndPoint rank = 0; rank < port_class_.size(); ++rank) {
    const platform::NodeIndex device = fabric.rank_devices[rank];
    const auto [first, last] = topology.out(device);
    if (last - first != 1 || topology.in(device).size() != 1) return false;
    const platform::Link &up = topology.link(first), &down = topology.link(topology.in(device)[0]);
    if (rank == 0) hub = up.to;
    if (up.to != hub || down.from != hub || !platform::is_switch(topology.kind(hub))) return false;
    const auto latency = [](const platform::Link& link) {
      return link.figures.latency.value_or(Time{}).count();
    };
    const auto next = static_cast<std::uint32_t>(kinds.size());
    port_class_[rank] =
        kinds.try_emplace({up.capacity(), latency(up), down.capacity(), latency(down)}, next)
            .first->second;
  }
  return true;
}

// Encodes the distance in every dimension. All ranks at a switch have the same distance.
std::uint32_t FoldedPorts::pair_class(EndPoint from, EndPoint to) const {
  if (from == to) return 0;
  if (shares_links_) return routes_->pair_class(from, to);
  if (dims_.empty()) return 1;
  std::uint32_t all = 0, stride = 1;
  for (const platform::Dimension& dim : dims_) {
    const auto size = static_cast<std::uint32_t>(dim.size);
    std::uint32_t distance = (to / stride % size + size - from / stride % size) % size;
    if (dim.block == Block::switched) distance = std::min(distance, 1U);
    all += distance * stride;
    stride *= size;
  }
  return all;
}

bool FoldedPorts::uniform() const {
  return foldable_ && !shares_links_ &&
         std::all_of(port_class_.begin(), port_class_.end(),
                     [&](std::uint32_t place) { return place == port_class_.front(); });
}

void FoldedPorts::crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const {
  out.clear();
  const Route* route = routes_->find(routes_->initial_state(), from, to);
  if (route == nullptr) return;
  for (const platform::RouteLink& step : route->steps)
    out.push_back({step.link, static_cast<float>(step.share)});
}

// Latencies add up along a route and do not affect rates: pair_class() contains them.
LinkKind FoldedPorts::link_kind(std::uint32_t link) const {
  return {routes_->bytes_per_ns(routes_->initial_state(), link), 0};
}

void FoldedPorts::fold(const std::vector<std::uint32_t>& class_of,
                       const std::vector<std::uint32_t>& members, const EquivalentLinks& links) {
  class_of_ = class_of;
  members_ = members;
  links_ = links;
  known_links_.clear();
}

std::optional<std::vector<MaxMin::Hop>> FoldedPorts::hops(const Send& message, const Route& route) {
  if (!shares_links_) {
    auto made = hops_on_rank_ports(message, route);
    is_refused_ = is_refused_ || !made;
    return made;
  }
  std::vector<MaxMin::Hop> made;
  for (const platform::RouteLink& step : route.steps) {
    const LinkIndex first = links_.first[step.link];
    const double share =
        step.share * static_cast<double>(message.weight) / static_cast<double>(links_.count[first]);
    const auto known = std::find_if(made.begin(), made.end(),
                                    [&](const MaxMin::Hop& hop) { return hop.link == first; });
    if (known == made.end())
      made.push_back({first, share});
    else
      known->share += share;
  }
  return made;
}

std::span<const FoldedPorts::Carried> FoldedPorts::carried(const Send& message,
                                                           const Route& route) {
  carried_.clear();
  if (is_refused_) return {};
  const std::span<const std::uint32_t> first = reported_as();
  for (const platform::RouteLink& step : route.steps) {
    const LinkIndex link = first[step.link];
    const auto same = [&](const Carried& one) {
      return one.link == link && one.share == step.share;
    };
    const auto known = std::find_if(carried_.begin(), carried_.end(), same);
    if (known == carried_.end()) {
      carried_.push_back({link, step.share, message.weight});
    } else {
      known->times += message.weight;
    }
  }
  for (Carried& one : carried_) {
    ORRERY_CHECK(one.times % links_.count[one.link] == 0);
    one.times /= links_.count[one.link];
  }
  return carried_;
}

bool FoldedPorts::knows_equivalent_links() const {
  return shares_links_ || std::all_of(dims_.begin(), dims_.end(), [](const auto& dim) {
           return dim.block == Block::switched || dim.size <= 2;
         });
}

std::span<const std::uint32_t> FoldedPorts::reported_as() {
  if (links_.empty()) compare_ports();
  return links_.first;
}

// Links of ranks: a link is equivalent to the same link of the other members of the class. Every
// rank has one link out of a dimension and one into it (knows_equivalent_links()).
void FoldedPorts::compare_ports() {
  std::map<PortOfClass, LinkIndex> known;
  const LinkIndex links = routes_->topology().link_count();
  links_.count.assign(links, 0);
  for (LinkIndex link = 0; link < links; ++link) {
    const LinkPlace place = routes_->describe(link);
    const PortOfClass port{class_of_[place.from], place.dim,
                           place.down ? PortKind::in : PortKind::out, 0};
    links_.first.push_back(known.try_emplace(port, link).first->second);
    ++links_.count[links_.first.back()];
  }
}

std::optional<std::uint32_t> FoldedPorts::crossed_dim(EndPoint from, EndPoint to) const {
  if (dims_.empty()) return 0;
  const EndPoint ranks = routes_->rank_count();
  std::optional<std::uint32_t> crossed;
  std::uint32_t stride = 1;
  for (std::uint32_t d = 0; d < dims_.size(); ++d) {
    const auto size = static_cast<std::uint32_t>(dims_[d].size);
    const bool differs = from < ranks && to < ranks
                             ? from / stride % size != to / stride % size
                             : routes_->reducer_of(d, std::min(from, to)) == std::max(from, to);
    if (differs && crossed) return std::nullopt;
    if (differs) crossed = d;
    stride *= size;
  }
  return crossed;
}

LinkIndex FoldedPorts::link_of_class(const PortOfClass& port, LinkIndex link) {
  return known_links_.try_emplace(port, link).first->second;
}

// The sender may be any member of its class: a receiver names the member that sends to it. All
// members use the links of the first one, so that all messages of the class meet there.
std::optional<std::vector<MaxMin::Hop>> FoldedPorts::hops_on_rank_ports(const Send& message,
                                                                        const Route& route) {
  const EndPoint ranks = routes_->rank_count();
  const auto dim = crossed_dim(message.from, message.to);
  if (!dim || route.steps.empty() || route.steps.size() > 2) return std::nullopt;
  const auto out = [&](std::uint32_t relation) {
    return link_of_class({class_of_[message.from], *dim, PortKind::out, relation},
                         route.steps.front().link);
  };
  const auto in = [&] {
    return link_of_class({class_of_[message.to], *dim, PortKind::in, 0}, route.steps.back().link);
  };
  const bool through_switch = dims_.empty() || dims_[*dim].block == Block::switched;
  if (route.steps.size() == 1) {
    if (message.from >= ranks) return std::vector<MaxMin::Hop>{{in(), 1}};
    // A link to a neighbor belongs to the pair.
    const bool to_switch = message.to >= ranks;
    if (!to_switch && through_switch) return std::nullopt;
    return std::vector<MaxMin::Hop>{{out(to_switch ? 0 : pair_class(message.from, message.to)), 1}};
  }
  if (!through_switch || message.from >= ranks || message.to >= ranks) return std::nullopt;
  const auto members = static_cast<double>(members_[class_of_[message.to]]);
  return std::vector<MaxMin::Hop>{{out(0), 1},
                                  {in(), static_cast<double>(message.weight) / members}};
}

}  // namespace orrery::model
