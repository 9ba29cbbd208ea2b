// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/placement/host_crossings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/placement/node_dimensions.h"

namespace orrery::platform {

HostCrossings::HostCrossings(const Topology& topology, std::span<const NodeIndex> rank_devices,
                             Routing routing, std::vector<bool> down) {
  for (const NodeIndex device : rank_devices) hosts_.push_back(topology.host(device));
  find_pairs();
  std::shared_ptr<const Router> router;  // made when a group crosses: that takes a while
  bandwidth_ = [=, &topology](std::uint32_t from, std::uint32_t to) mutable {
    if (router == nullptr) router = std::make_shared<const Router>(topology, routing, down);
    std::vector<RouteLink> route;
    return router->find(rank_devices[from], rank_devices[to], route)
               ? route_capacity(topology, route)
               : 0.0;
  };
}

HostCrossings::HostCrossings(const std::vector<Dimension>& dims, std::size_t of_host) {
  std::int64_t ranks = 1, each = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    ranks *= dims[d].size;
    if (d < of_host) each *= dims[d].size;
  }
  for (std::int64_t rank = 0; of_host > 0 && rank < ranks; ++rank)
    hosts_.push_back(static_cast<std::uint32_t>(rank / each));
  find_pairs();
  bandwidth_ = [dims](std::uint32_t from, std::uint32_t to) {
    double minimum = std::numeric_limits<double>::infinity();
    for (const Dimension& dim : dims) {
      const auto size = static_cast<std::uint32_t>(dim.size);
      if (from % size != to % size) minimum = std::min(minimum, dim.bandwidth.count());
      from /= size;
      to /= size;
    }
    return minimum;
  };
}

HostCrossings HostCrossings::of(const Platform& platform) {
  if (platform.fabric == nullptr) return HostCrossings(platform.dims, node_dimensions(platform));
  const Fabric& fabric = *platform.fabric;
  return {fabric.topology, fabric.rank_devices, fabric.routing, permanently_down(fabric)};
}

void HostCrossings::find_pairs() {
  constexpr std::pair kNoPair{Topology::kNoRank, Topology::kNoRank};
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) {
    const std::uint32_t host = hosts_[rank];
    if (host == Topology::kNoHost) continue;
    if (host >= pairs_.size()) pairs_.resize(host + std::size_t{1}, kNoPair);
    auto& [first, second] = pairs_[host];
    if (first == Topology::kNoRank) {
      first = rank;
    } else if (second == Topology::kNoRank) {
      second = rank;
    }
  }
}

bool HostCrossings::spans_hosts(std::span<const std::uint32_t> ranks) const {
  bool several = false;
  for (const std::uint32_t rank : ranks) {
    if (rank >= hosts_.size() || hosts_[rank] == Topology::kNoHost) return false;
    several |= hosts_[rank] != hosts_[ranks.front()];
  }
  return several;
}

std::optional<double> HostCrossings::bandwidth_inside(std::span<const std::uint32_t> ranks) const {
  for (const std::uint32_t rank : ranks) {
    const auto [first, second] = pairs_[hosts_[rank]];
    if (second != Topology::kNoRank) return bandwidth_(first, second);
  }
  return std::nullopt;
}

double HostCrossings::bandwidth_across(std::span<const std::uint32_t> ranks) const {
  double minimum = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::uint32_t from = ranks[i], to = ranks[(i + 1) % ranks.size()];
    if (hosts_[from] != hosts_[to]) minimum = std::min(minimum, bandwidth_(from, to));
  }
  return minimum;
}

void HostCrossings::add_group(std::span<const std::uint32_t> ranks) {
  if (ranks.size() < 2 || !spans_hosts(ranks)) return;
  const std::optional<double> within = bandwidth_inside(ranks);
  if (!within) return;
  const double in = *within, out = bandwidth_across(ranks);
  if (in > 0 && out >= in) return;
  if (++groups_ > 1) return;
  std::set<std::uint32_t> hosts;
  for (const std::uint32_t rank : ranks) hosts.insert(hosts_[rank]);
  description_ = fmt::format("{} span {} hosts", format_ranks(ranks), hosts.size());
  if (out > 0)
    description_ += fmt::format(", with {} between hosts", format_bandwidth(Bandwidth(out)));
  if (out > 0 && in > 0)
    description_ += fmt::format(" and {:.3g} times as much inside a host", in / out);
}

}  // namespace orrery::platform
