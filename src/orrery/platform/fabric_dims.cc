// SPDX-License-Identifier: Apache-2.0
//
// A fabric as dimensions, as collectives see it, and dimensions as a graph.
#include <algorithm>
#include <cmath>
#include <limits>

#include "orrery/platform/fabric.h"

namespace orrery::platform {

namespace {

/// Of the ranks of one block: the sizes of a grid, hosts within and between, or one.
std::vector<Dimension> dims_of_block(const Fabric& fabric, std::int64_t ranks) {
  const Dimension all{Block::switched, ranks, {}, 0};
  const FabricSection& written = fabric.written;
  if (written.network && written.network->sizes && !written.placement) {
    std::int64_t product = 1;
    std::vector<Dimension> dims;
    for (const std::int64_t size : *written.network->sizes) {
      product *= size;
      dims.push_back({Block::ring, size, {}, 0});
    }
    if (product == ranks) return dims;
  }
  std::int64_t per_host = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const auto host_of = [&](std::int64_t one) {
      return fabric.topology.host(fabric.seats[static_cast<std::size_t>(one)]);
    };
    if (host_of(rank) == Topology::kNoHost) return {all};
    const bool begins = rank == 0 || host_of(rank) != host_of(rank - 1);
    if (begins && rank > 0 && per_host == 0) per_host = rank;
    if (per_host > 0 && begins != (rank % per_host == 0)) return {all};
  }
  const bool packed = !written.placement && written.hosts && written.hosts->size() == 1 &&
                      written.hosts->front().package;
  const bool part = ranks < static_cast<std::int64_t>(fabric.seats.size());
  if (per_host == 0 && (packed || part)) per_host = ranks;  // one host is all
  if (per_host <= 1 || ranks % per_host != 0) return {all};
  std::vector<Dimension> dims;
  const std::int64_t dies = packed ? written.hosts->front().package->devices : 1;
  for (const std::int64_t size : {dies, per_host / dies, ranks / per_host}) {
    if (size > 1) dims.push_back({Block::switched, size, {}, 0});
  }
  return dims;
}

}  // namespace

std::vector<Dimension> Fabric::logical_dims() const {
  std::int64_t blocks = 1;
  if (written.levels && !written.placement) {
    for (const LevelSection& level : *written.levels) blocks *= level.count;
  }
  std::vector<Dimension> dims =
      dims_of_block(*this, static_cast<std::int64_t>(seats.size()) / blocks);
  if (blocks > 1 && dims.front().size == 1) dims.clear();  // a block is a device
  for (std::size_t i = 0; blocks > 1 && i < written.levels->size(); ++i) {
    const LevelSection& level = (*written.levels)[i];
    const bool grid = level.network.sizes.has_value();
    for (const std::int64_t size : grid ? *level.network.sizes : std::vector{level.count}) {
      if (size > 1) dims.push_back({grid ? Block::ring : Block::switched, size, {}, 0});
    }
  }
  return dims;
}

Result<Topology> stacked(const std::vector<Dimension>& dims, const std::string& name) {
  using Joined = StackedDim::Block;
  std::vector<StackedDim> all;
  for (const Dimension& dim : dims) {
    const Joined block = dim.block == Block::ring              ? Joined::ring
                         : dim.block == Block::fully_connected ? Joined::fully_connected
                                                               : Joined::switched;
    const Time latency(std::llround(dim.latency_ns * kPsPerNs));
    all.push_back({block, dim.size, {dim.bandwidth, latency, 1, LinkClass::network}});
  }
  return stacked(name, all, name);
}

void complete_dims(std::vector<Dimension>& dims, const Fabric& fabric) {
  const Router router(fabric.topology, fabric.routing, down_always(fabric));
  std::int64_t stride = 1;
  for (Dimension& dim : dims) {
    const std::int64_t other = std::min(stride, static_cast<std::int64_t>(fabric.seats.size()) - 1);
    std::vector<Step> way;
    if (dim.bandwidth.count() == 0 && other > 0 &&
        router.find(fabric.seats[0], fabric.seats[static_cast<std::size_t>(other)], way)) {
      double least = std::numeric_limits<double>::infinity(), latency = 0;
      for (const Step& step : way) {
        const Link& link = fabric.topology.link(step.link);
        least = std::min(least, link.capacity() / step.share);
        latency += static_cast<double>(link.figures.latency.value_or(Time{}).count()) / kPsPerNs *
                   step.share;
      }
      dim.bandwidth = Bandwidth(least);
      dim.latency_ns = dim.block == Block::switched ? latency / 2 : latency;
    }
    if (dim.bandwidth.count() == 0) dim.bandwidth = Bandwidth(1e9);  // nobody is along it
    stride *= dim.size;
  }
}

}  // namespace orrery::platform
