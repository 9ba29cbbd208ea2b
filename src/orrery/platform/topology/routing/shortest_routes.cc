// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/routing/shortest_routes.h"

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::platform {

ShortestRoutes::ShortestRoutes(const Topology& topology, std::vector<bool> down)
    : ShortestRoutes(topology, std::move(down), false) {}

ShortestRoutes::ShortestRoutes(const Topology& topology, std::vector<bool> down, bool is_whole)
    : topology_(topology), down_(std::move(down)) {
  down_.resize(topology.link_count());
  std::vector<double> capacities;
  for (const Link& link : topology.links()) capacities.push_back(link.capacity());
  std::sort(capacities.begin(), capacities.end());
  capacities.erase(std::unique(capacities.begin(), capacities.end()), capacities.end());
  for (const Link& link : topology.links()) {
    const auto place = std::lower_bound(capacities.begin(), capacities.end(), link.capacity());
    widths_.push_back(
        static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(place - capacities.begin(), 0xFFFE)));
  }
  divide(is_whole);
}

// Region 0 is the network between hosts. Each host, and each device outside all hosts, is a region.
void ShortestRoutes::divide(bool is_whole) {
  const NodeIndex nodes = topology_.node_count();
  region_.assign(nodes, 0);
  position_.assign(nodes, 0);
  std::uint32_t regions = topology_.host_count() + 1;
  for (NodeIndex node = 0; node < nodes && !is_whole; ++node) {
    if (topology_.host(node) != Topology::kNoHost) {
      region_[node] = topology_.host(node) + 1;
    } else if (topology_.kind(node) == NodeClass::device) {
      region_[node] = regions++;
    }
  }
  is_divided_ = !is_whole && std::none_of(topology_.links().begin(), topology_.links().end(),
                                          [&](const Link& link) {
                                            const auto a = region_[link.from], b = region_[link.to];
                                            return a != b && a != 0 && b != 0;
                                          });
  if (!is_divided_) {
    region_.assign(nodes, 0);
    regions = 1;
  }
  members_.resize(regions);
  for (NodeIndex node = 0; node < nodes; ++node) {
    position_[node] = static_cast<std::uint32_t>(members_[region_[node]].size());
    members_[region_[node]].push_back(node);
  }
}

ShortestRoutes::Cost ShortestRoutes::cost_over(LinkIndex link, Cost from_there,
                                               NodeIndex to) const {
  const NodeIndex there = topology_.link(link).to;
  const bool passes = there != to && topology_.kind(there) == NodeClass::device;
  const std::uint32_t hops = from_there.hops + 1U + (passes ? 1U : 0U);
  if (from_there.hops == kNoRoute || hops >= kNoRoute) return {};
  return {static_cast<std::uint16_t>(hops), std::min(from_there.width, widths_[link])};
}

// Processes nodes in order of hops, so that the costs of all next nodes are final.
ShortestRoutes::Table ShortestRoutes::flood(std::uint32_t region, std::vector<Seed> seeds,
                                            NodeIndex to) const {
  Table table(members_[region].size());
  std::vector<std::vector<NodeIndex>> by_hops;
  const auto improve = [&](NodeIndex node, Cost cost) {
    Cost& known = table[position_[node]];
    if (cost.hops > known.hops) return;
    if (cost.hops == known.hops) {
      known.width = std::max(known.width, cost.width);
      return;
    }
    known = cost;
    if (cost.hops >= by_hops.size()) by_hops.resize(cost.hops + std::size_t{1});
    by_hops[cost.hops].push_back(node);
  };
  for (const Seed& seed : seeds) improve(seed.node, seed.cost);
  for (std::size_t hops = 0; hops < by_hops.size(); ++hops) {
    for (std::size_t i = 0; i < by_hops[hops].size(); ++i) {
      const NodeIndex there = by_hops[hops][i];
      const Cost from_there = table[position_[there]];
      if (from_there.hops != hops) continue;
      for (const LinkIndex link : topology_.in(there)) {
        const NodeIndex here = topology_.link(link).from;
        if (region_[here] == region && !down_[link]) improve(here, cost_over(link, from_there, to));
      }
    }
  }
  return table;
}

void ShortestRoutes::limit_memory(std::size_t entries) const {
  entries_ += entries;
  if (entries_ * sizeof(Cost) <= kMaxBytes) return;
  between_.clear();
  destinations_.clear();
  hosts_.clear();
  entries_ = entries;
}

std::vector<ShortestRoutes::Seed> ShortestRoutes::exits(std::uint32_t region, const Table& between,
                                                        NodeIndex to) const {
  std::vector<Seed> seeds;
  for (const NodeIndex node : members_[region]) {
    const auto [first, last] = topology_.out(node);
    for (LinkIndex link = first; link < last; ++link) {
      const NodeIndex there = topology_.link(link).to;
      if (region_[there] != 0 || down_[link]) continue;
      const Cost cost = cost_over(link, between[position_[there]], to);
      if (cost.hops != kNoRoute) seeds.push_back({node, cost});
    }
  }
  return seeds;
}

ShortestRoutes::Destination ShortestRoutes::destination(NodeIndex to) const {
  const std::uint32_t home = region_[to];
  const auto known = destinations_.find(to);
  if (known != destinations_.end())
    return {to, known->second.first, home == 0 ? nullptr : &known->second.second};
  limit_memory(members_[0].size() + 2 * members_[home].size());
  const Seed itself{to, {0, 0xFFFF}};
  std::vector<Seed> seeds;
  HostTables at_home;
  if (home == 0) {
    seeds.push_back(itself);
  } else {
    at_home.inside = flood(home, {itself}, to);
    for (const NodeIndex node : members_[home]) {
      for (const LinkIndex link : topology_.in(node)) {
        const NodeIndex here = topology_.link(link).from;
        if (region_[here] != 0 || down_[link]) continue;
        const Cost cost = cost_over(link, at_home.inside[position_[node]], to);
        if (cost.hops != kNoRoute) seeds.push_back({here, cost});
      }
    }
  }
  std::sort(seeds.begin(), seeds.end());
  auto between = between_.find(seeds);
  if (between == between_.end()) between = between_.emplace(seeds, flood(0, seeds, to)).first;
  if (home != 0) {
    std::vector<Seed> all = exits(home, between->second, to);
    all.push_back(itself);
    at_home.leaving = flood(home, std::move(all), to);
  }
  const auto& retained =
      destinations_.emplace(to, std::pair(&between->second, std::move(at_home))).first->second;
  return {to, retained.first, home == 0 ? nullptr : &retained.second};
}

const ShortestRoutes::Table& ShortestRoutes::host_table(std::uint32_t region,
                                                        const Destination& to) const {
  if (region == region_[to.node]) {
    ORRERY_CHECK(to.home != nullptr);
    return to.home->leaving;
  }
  const std::pair key{region, to.between};
  const auto known = hosts_.find(key);
  if (known != hosts_.end()) return known->second;
  entries_ += members_[region].size();
  return hosts_.emplace(key, flood(region, exits(region, *to.between, to.node), to.node))
      .first->second;
}

ShortestRoutes::Cost ShortestRoutes::cost(NodeIndex node, std::uint32_t region,
                                          const Destination& to, const Table* here) const {
  const std::uint32_t own_region = region_[node];
  if (own_region == 0) return (*to.between)[position_[node]];
  if (own_region == region_[to.node]) {
    ORRERY_CHECK(to.home != nullptr);
    return (own_region == region ? to.home->leaving : to.home->inside)[position_[node]];
  }
  return own_region == region && here != nullptr ? (*here)[position_[node]] : Cost{};
}

const ShortestRoutes& ShortestRoutes::undivided() const {
  if (!undivided_) undivided_.reset(new ShortestRoutes(topology_, down_, true));
  return *undivided_;
}

void ShortestRoutes::next(NodeIndex at, NodeIndex to, std::vector<LinkIndex>& out) const {
  out.clear();
  if (at == to) return;
  const Destination destined = destination(to);
  const std::uint32_t region = region_[at];
  const Table* here = region == 0 ? nullptr : &host_table(region, destined);
  const Cost from_here = cost(at, region, destined, here);
  if (from_here.hops == kNoRoute) {
    if (is_divided_) undivided().next(at, to, out);
    return;
  }
  const auto [first, last] = topology_.out(at);
  for (LinkIndex link = first; link < last; ++link) {
    if (down_[link]) continue;
    const NodeIndex there = topology_.link(link).to;
    if (cost_over(link, cost(there, region, destined, here), to) == from_here) out.push_back(link);
  }
}

std::uint32_t ShortestRoutes::distance(NodeIndex at, NodeIndex to) const {
  if (at == to) return 0;
  const Destination destined = destination(to);
  const std::uint32_t region = region_[at];
  const Table* here = region == 0 ? nullptr : &host_table(region, destined);
  const Cost from_here = cost(at, region, destined, here);
  if (from_here.hops == kNoRoute && is_divided_) return undivided().distance(at, to);
  return from_here.hops;
}

}  // namespace orrery::platform
