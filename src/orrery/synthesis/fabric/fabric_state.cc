// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/fabric/fabric_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::synthesis {

std::optional<std::uint32_t> wire_between(const FabricState& fabric, NodeIndex from, NodeIndex to) {
  for (std::uint32_t wire = fabric.out_offsets[from]; wire < fabric.out_offsets[from + 1]; ++wire)
    if (fabric.wires[wire].to == to) return wire;
  return std::nullopt;
}

Result<FabricState> make_fabric_state(std::shared_ptr<const Topology> topology,
                                      std::vector<NodeIndex> rank_devices,
                                      std::span<const double> usable_share,
                                      const std::string& where) {
  if (auto stated = topology->check_figures(where); !stated) return tl::unexpected(stated.error());
  FabricState state;
  const NodeIndex nodes = topology->node_count();
  state.out_offsets.assign(nodes + std::size_t{1}, 0);
  state.in_offsets.assign(nodes + std::size_t{1}, 0);
  for (LinkIndex l = 0; l < topology->link_count(); ++l) {
    const platform::Link& link = topology->link(l);
    const double capacity = link.capacity() * (usable_share.empty() ? 1 : usable_share[l]);
    if (capacity < 1) continue;
    state.wires.push_back({link.from, link.to, l, capacity, *link.figures.latency});
    ++state.out_offsets[link.from + std::size_t{1}];
    ++state.in_offsets[link.to + std::size_t{1}];
  }
  for (NodeIndex node = 0; node < nodes; ++node) {
    state.out_offsets[node + std::size_t{1}] += state.out_offsets[node];
    state.in_offsets[node + std::size_t{1}] += state.in_offsets[node];
  }
  state.in_wires.resize(state.wires.size());
  std::vector<std::uint32_t> next(state.in_offsets.begin(), state.in_offsets.end() - 1);
  for (std::uint32_t wire = 0; wire < state.wires.size(); ++wire)
    state.in_wires[next[state.wires[wire].to]++] = wire;
  state.rank_devices = std::move(rank_devices);
  state.topology = std::move(topology);
  return state;
}

Result<FabricState> make_fabric_state(const platform::Platform& platform) {
  if (platform.fabric == nullptr) {
    Result<Topology> made = platform::stack_dimensions(platform.dims, platform.name);
    if (!made) return tl::unexpected(made.error());
    auto topology = std::make_shared<const Topology>(std::move(*made));
    std::vector<NodeIndex> rank_devices(topology->devices().begin(), topology->devices().end());
    Result<FabricState> state =
        make_fabric_state(std::move(topology), std::move(rank_devices), {}, platform.name);
    if (state) {
      for (const platform::Dimension& dim : platform.dims) state->sizes.push_back(dim.size);
    }
    return state;
  }
  const std::shared_ptr<const platform::Fabric> fabric = platform.fabric;
  std::vector<double> usable_share(fabric->topology.link_count(), fabric->efficiency);
  for (const platform::LinkFault& fault : fabric->faults) {
    if (!fault.is_permanent()) continue;
    for (const LinkIndex link : fault.links)
      usable_share[link] = std::min(usable_share[link], fabric->efficiency * fault.bandwidth);
  }
  // The state shares ownership of the fabric.
  Result<FabricState> state =
      make_fabric_state(std::shared_ptr<const Topology>(fabric, &fabric->topology),
                        fabric->rank_devices, usable_share, platform.name);
  if (state && fabric->definition.network) state->sizes = fabric->definition.network->sizes;
  return state;
}

Result<std::vector<NodeIndex>> members_of(const FabricState& state,
                                          std::span<const std::uint32_t> ranks) {
  std::vector<NodeIndex> members;
  if (ranks.empty()) members = state.rank_devices;
  std::vector<bool> taken(state.rank_devices.size());
  for (const std::uint32_t rank : ranks) {
    if (rank >= state.rank_devices.size())
      return fail(Errc::usage, "--ranks",
                  fmt::format("rank {} does not exist: the fabric has {} ranks", rank,
                              state.rank_devices.size()),
                  {});
    if (taken[rank])
      return fail(Errc::usage, "--ranks", fmt::format("rank {} is listed twice", rank), {});
    taken[rank] = true;
    members.push_back(state.rank_devices[rank]);
  }
  if (members.size() < 2)
    return fail(Errc::usage, "--ranks", "a collective needs at least two ranks", {});
  return members;
}

}  // namespace orrery::synthesis
