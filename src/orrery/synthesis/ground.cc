// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/ground.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/platform/fabric.h"

namespace orrery::synthesis {

Result<Ground> ground_of(std::shared_ptr<const Topology> topology, std::vector<NodeIndex> seats,
                         std::span<const double> left, const std::string& where) {
  if (auto stated = topology->check_figures(where); !stated) return tl::unexpected(stated.error());
  Ground ground;
  const NodeIndex nodes = topology->node_count();
  ground.first_out.assign(nodes + std::size_t{1}, 0);
  ground.first_in.assign(nodes + std::size_t{1}, 0);
  for (LinkIndex l = 0; l < topology->link_count(); ++l) {
    const platform::Link& link = topology->link(l);
    const double capacity = link.capacity() * (left.empty() ? 1 : left[l]);
    if (capacity < 1) continue;
    ground.wires.push_back({link.from, link.to, l, capacity, *link.figures.latency});
    ++ground.first_out[link.from + std::size_t{1}];
    ++ground.first_in[link.to + std::size_t{1}];
  }
  for (NodeIndex node = 0; node < nodes; ++node) {
    ground.first_out[node + std::size_t{1}] += ground.first_out[node];
    ground.first_in[node + std::size_t{1}] += ground.first_in[node];
  }
  ground.in.resize(ground.wires.size());
  std::vector<std::uint32_t> next(ground.first_in.begin(), ground.first_in.end() - 1);
  for (std::uint32_t wire = 0; wire < ground.wires.size(); ++wire)
    ground.in[next[ground.wires[wire].to]++] = wire;
  ground.seats = std::move(seats);
  ground.topology = std::move(topology);
  return ground;
}

Result<Ground> ground_of(const platform::Platform& platform) {
  if (platform.fabric == nullptr) {
    Result<Topology> made = platform::stacked(platform.dims, platform.name);
    if (!made) return tl::unexpected(made.error());
    auto topology = std::make_shared<const Topology>(std::move(*made));
    std::vector<NodeIndex> seats(topology->devices().begin(), topology->devices().end());
    Result<Ground> ground = ground_of(std::move(topology), std::move(seats), {}, platform.name);
    if (ground) {
      for (const platform::Dimension& dim : platform.dims) ground->sizes.push_back(dim.size);
    }
    return ground;
  }
  const std::shared_ptr<const platform::Fabric> fabric = platform.fabric;
  std::vector<double> left(fabric->topology.link_count(), fabric->efficiency);
  for (const platform::LinkFault& fault : fabric->faults) {
    if (!fault.always()) continue;
    for (const LinkIndex link : fault.links)
      left[link] = std::min(left[link], fabric->efficiency * fault.bandwidth);
  }
  // Shares its owner: the fabric lives as long as the ground does.
  Result<Ground> ground = ground_of(std::shared_ptr<const Topology>(fabric, &fabric->topology),
                                    fabric->seats, left, platform.name);
  if (ground && fabric->written.network && fabric->written.network->sizes)
    ground->sizes = *fabric->written.network->sizes;
  return ground;
}

Result<std::vector<NodeIndex>> members_of(const Ground& ground,
                                          std::span<const std::uint32_t> ranks) {
  std::vector<NodeIndex> members;
  if (ranks.empty()) members = ground.seats;
  std::vector<bool> taken(ground.seats.size());
  for (const std::uint32_t rank : ranks) {
    if (rank >= ground.seats.size())
      return fail(Errc::usage, "--ranks",
                  fmt::format("there is no rank {}: the fabric has {}", rank, ground.seats.size()),
                  {});
    if (taken[rank])
      return fail(Errc::usage, "--ranks", fmt::format("rank {} is named twice", rank), {});
    taken[rank] = true;
    members.push_back(ground.seats[rank]);
  }
  if (members.size() < 2)
    return fail(Errc::usage, "--ranks", "a collective takes at least two ranks", {});
  return members;
}

}  // namespace orrery::synthesis
