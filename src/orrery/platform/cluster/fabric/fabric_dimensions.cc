// SPDX-License-Identifier: Apache-2.0
//
// The logical dimensions of a fabric, and dimensions as a graph.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/system/memory_limit.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/fabric/fabric_internal.h"

namespace orrery::platform {

namespace {

/// The dimensions of a grid of `count` members; empty: the network has no sizes, or other sizes.
std::vector<Dimension> dims_of_grid(const FabricNetworkSection& network, std::int64_t count) {
  std::vector<Dimension> dims;
  std::int64_t product = 1;
  for (const std::int64_t size : network.sizes) {
    if (__builtin_mul_overflow(product, size, &product)) return {};
    dims.push_back({Block::ring, size, {}, 0});
  }
  return product == count ? dims : std::vector<Dimension>{};
}

/// The dimensions of one block: the sizes of a grid, inside and between hosts, or one dimension.
std::vector<Dimension> dims_of_block(const Fabric& fabric, std::int64_t ranks) {
  const Dimension all{Block::switched, ranks, {}, 0};
  const FabricSection& definition = fabric.definition;
  if (definition.network && !definition.placement) {
    if (auto dims = dims_of_grid(*definition.network, ranks); !dims.empty()) return dims;
  }
  std::int64_t per_host = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const auto host_of = [&](std::int64_t one) {
      return fabric.topology.host(fabric.rank_devices[static_cast<std::size_t>(one)]);
    };
    if (host_of(rank) == Topology::kNoHost) return {all};
    const bool begins = rank == 0 || host_of(rank) != host_of(rank - 1);
    if (begins && rank > 0 && per_host == 0) per_host = rank;
    if (per_host > 0 && begins != (rank % per_host == 0)) return {all};
  }
  const bool packed = !definition.placement && definition.hosts && definition.hosts->size() == 1 &&
                      definition.hosts->front().packaging;
  const bool part = ranks < static_cast<std::int64_t>(fabric.rank_devices.size());
  if (per_host == 0 && (packed || part)) per_host = ranks;  // a single host
  if (per_host <= 1 || ranks % per_host != 0) return {all};
  std::vector<Dimension> dims;
  const std::int64_t dies = packed ? definition.hosts->front().packaging->devices : 1;
  for (const std::int64_t size : {dies, per_host / dies, ranks / per_host}) {
    if (size > 1) dims.push_back({Block::switched, size, {}, 0});
  }
  return dims;
}

/// The number of devices of a group, and of each of its hosts (0: they differ).
std::pair<std::int64_t, std::int64_t> size_of(const GroupSection& group) {
  std::int64_t sum = 0, each = group.hosts.empty() ? 0 : group.hosts.front().devices;
  for (const HostSection& host : group.hosts) {
    sum += host.count * host.devices;
    if (host.devices != each) each = 0;
  }
  return {sum, each};
}

bool unequal_groups(const FabricSection& definition) {
  return definition.groups &&
         std::any_of(definition.groups->begin(), definition.groups->end(), [&](const auto& group) {
           return size_of(group) != size_of(definition.groups->front());
         });
}

}  // namespace

std::vector<Dimension> Fabric::logical_dims() const {
  const bool has_levels = definition.levels && !definition.placement;
  // Groups of unequal size are no dimension; the first level joins all of them.
  const std::size_t first = unequal_groups(definition) ? 1 : 0;
  std::int64_t blocks = 1;
  for (std::size_t i = first; has_levels && i < definition.levels->size(); ++i)
    blocks *= (*definition.levels)[i].count;
  std::vector<Dimension> dims =
      dims_of_block(*this, static_cast<std::int64_t>(rank_devices.size()) / blocks);
  if (blocks > 1 && dims.front().size == 1) dims.clear();  // a block is a device
  for (std::size_t i = first; blocks > 1 && i < definition.levels->size(); ++i) {
    const LevelSection& level = (*definition.levels)[i];
    std::vector<Dimension> own = dims_of_grid(level.network, level.count);
    if (own.empty()) own.push_back({Block::switched, level.count, {}, 0});
    std::copy_if(own.begin(), own.end(), std::back_inserter(dims),
                 [](const Dimension& dim) { return dim.size > 1; });
  }
  return dims;
}

Result<Topology> stack_dimensions(const std::vector<Dimension>& dims, const std::string& name) {
  using Joined = StackedDim::Block;
  std::vector<StackedDim> all;
  for (const Dimension& dim : dims) {
    const Joined block = dim.block == Block::ring              ? Joined::ring
                         : dim.block == Block::fully_connected ? Joined::fully_connected
                                                               : Joined::switched;
    const Time latency(std::llround(dim.latency_ns * kPsPerNs));
    all.push_back({block, dim.size, {dim.bandwidth, latency, 1, LinkClass::network}});
  }
  Result<Topology> made = stack_dimensions(name, all, name);
  const auto has_memories = [](const Dimension& dim) { return dim.memories.has_value(); };
  if (!made || std::none_of(dims.begin(), dims.end(), has_memories)) return made;
  TopologyBuilder builder(*made);
  const auto ranks = static_cast<NodeIndex>(made->devices().size());
  NodeIndex hub = ranks, number = 0;  // switches follow devices, dimension by dimension
  for (const Dimension& dim : dims) {
    if (dim.block != Block::switched || dim.size < 2) continue;
    for (const NodeIndex end = hub + ranks / static_cast<NodeIndex>(dim.size); hub < end; ++hub) {
      for (std::int64_t i = 0; dim.memories && i < dim.memories->count; ++i) {
        attach_memory(builder, fmt::format("memory{}", number++), hub, Topology::kNoHost,
                      {dim.memories->bandwidth, dim.memories->latency, 1, LinkClass::memory},
                      dim.memories->rate);
      }
    }
  }
  return builder.finish(name);
}

bool has_room_for_flows(const Platform& platform) {
  if (platform.fabric != nullptr) return true;  // checked when it was read
  double links = 0;
  for (const Dimension& dim : platform.dims)
    links += static_cast<double>(platform.npu_count()) *
             (dim.block == Block::fully_connected ? static_cast<double>(dim.size) : 2);
  // Measured: the routes and rates of 16.8 million links need 5.9 GB.
  constexpr double kLinkBytes = 370, kAlwaysFits = 64e6;
  if (links > static_cast<double>(limits::kFabricLinks)) return false;
  return links * kLinkBytes <= kAlwaysFits ||
         links * kLinkBytes <= static_cast<double>(available_memory());
}

std::uint32_t memory_count(const Platform& platform) {
  if (platform.fabric != nullptr)
    return static_cast<std::uint32_t>(platform.fabric->memories.size());
  std::int64_t count = 0;
  for (const Dimension& dim : platform.dims) {
    if (dim.memories && dim.block == Block::switched && dim.size > 1)
      count += platform.npu_count() / dim.size * dim.memories->count;
  }
  return static_cast<std::uint32_t>(std::min<std::int64_t>(count, ~std::uint32_t{0}));
}

void complete_dims(std::vector<Dimension>& dims, const Fabric& fabric) {
  const Router router(fabric.topology, fabric.routing, permanently_down(fabric));
  std::int64_t stride = 1;
  for (Dimension& dim : dims) {
    const std::int64_t other =
        std::min(stride, static_cast<std::int64_t>(fabric.rank_devices.size()) - 1);
    std::vector<RouteLink> route;
    if (dim.bandwidth.count() == 0 && other > 0 &&
        router.find(fabric.rank_devices[0], fabric.rank_devices[static_cast<std::size_t>(other)],
                    route)) {
      double latency = 0;
      for (const RouteLink& step : route) {
        const Link& link = fabric.topology.link(step.link);
        latency += static_cast<double>(link.figures.latency.value_or(Time{}).count()) / kPsPerNs *
                   step.share;
      }
      dim.bandwidth = Bandwidth(route_capacity(fabric.topology, route));
      dim.latency_ns = dim.block == Block::switched ? latency / 2 : latency;
    }
    if (dim.bandwidth.count() == 0)
      dim.bandwidth = Bandwidth(1e9);  // no other rank in this dimension
    stride *= dim.size;
  }
}

}  // namespace orrery::platform
