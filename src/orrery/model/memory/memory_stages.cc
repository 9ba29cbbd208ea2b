// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/memory_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {

using platform::MemoryShape;
using platform::MemoryStage;
using platform::RemoteMemoryKind;

namespace {

double ring_bytes_per_link(double places) {
  if (places < 2) return std::numeric_limits<double>::infinity();
  const bool odd = static_cast<std::int64_t>(places) % 2 == 1;
  const double hops = odd ? (places * places - 1) / (4 * places) : places / 4;
  const double links = places == 2 ? 2 : 2 * places;
  return links / hops;
}

double mesh_bytes_per_link(const std::vector<std::int64_t>& sizes) {
  double places = 1, minimum = std::numeric_limits<double>::infinity();
  for (const std::int64_t size : sizes) places *= static_cast<double>(size);
  for (const std::int64_t size : sizes) {
    if (size < 2) continue;
    const auto a = static_cast<double>(size);
    const auto below = static_cast<double>(size / 2);
    minimum = std::min(minimum, places / a * (a * a) / (below * (a - below)));
  }
  return minimum;
}

std::string shared_by(std::int64_t devices, std::int64_t all) {
  if (devices >= all) return "";
  return devices == 1 ? " of each device" : fmt::format(" for each {} devices", devices);
}

std::string memory_name(const platform::RemoteMemory& memory) {
  return memory.groups == 1 ? "remote memory" : fmt::format("{} groups of memory", memory.groups);
}

std::string stage_name(const MemoryStage& stage) {
  switch (stage.shape) {
    case MemoryShape::straight:
      break;
    case MemoryShape::ring:
      return fmt::format("a ring of {}", stage.sizes.front());
    case MemoryShape::mesh:
      return fmt::format("a mesh of {}", fmt::join(stage.sizes, " x "));
  }
  return stage.links == 1 ? "a link" : fmt::format("{} links", stage.links);
}

}  // namespace

double stage_bytes_per_ns(const MemoryStage& stage) {
  const double link = stage.bandwidth.count() / 1e9;
  switch (stage.shape) {
    case MemoryShape::straight:
      break;
    case MemoryShape::ring:
      return link * ring_bytes_per_link(static_cast<double>(stage.sizes.front()));
    case MemoryShape::mesh:
      return link * mesh_bytes_per_link(stage.sizes);
  }
  return link * static_cast<double>(stage.links);
}

std::vector<StageCapacity> stage_capacities(const platform::Platform& platform) {
  const platform::RemoteMemory& memory = platform.remote_memory;
  if (memory.kind == RemoteMemoryKind::none || memory.kind == RemoteMemoryKind::network) return {};
  const std::int64_t all = platform.npu_count();
  std::int64_t sharing = all;
  if (memory.kind == RemoteMemoryKind::per_npu) sharing = 1;
  if (memory.kind == RemoteMemoryKind::per_node)
    sharing = std::max<std::int64_t>(memory.npus_per_node, 1);
  std::vector<StageCapacity> figures{
      {memory_name(memory) + shared_by(sharing, all),
       memory.bandwidth.count() / 1e9 * static_cast<double>(memory.groups), sharing, true}};
  for (const MemoryStage& stage : memory.stages) {
    const double carries = stage_bytes_per_ns(stage);
    sharing = stage.devices == 0 ? all : stage.devices;
    if (carries < std::numeric_limits<double>::infinity())
      figures.push_back({stage_name(stage) + shared_by(sharing, all), carries, sharing, false});
  }
  return figures;
}

StageCapacity network_memory_capacity(const platform::Platform& platform) {
  const std::uint32_t count = platform::memory_count(platform);
  StageCapacity all{
      count == 1 ? "a memory in the network" : fmt::format("{} memories in the network", count), 0,
      platform.npu_count(), false};
  double bytes_per_second = 0;
  if (platform.fabric != nullptr) {
    const platform::Topology& topology = platform.fabric->topology;
    for (const platform::NodeIndex memory : platform.fabric->memories) {
      const auto [first, last] = topology.out(memory);
      for (platform::LinkIndex link = first; link < last; ++link)
        bytes_per_second += topology.link(link).capacity() * platform.fabric->efficiency;
    }
  } else {
    for (const platform::Dimension& dim : platform.dims) {
      if (!dim.memories || dim.size < 2) continue;
      bytes_per_second +=
          static_cast<double>(platform.npu_count() / dim.size * dim.memories->count) *
          dim.memories->bandwidth.count();
    }
  }
  all.bytes_per_ns = bytes_per_second / 1e9;
  return all;
}

double all_load_ns(const platform::Platform& platform, Bytes size, std::int64_t devices) {
  const platform::RemoteMemory& memory = platform.remote_memory;
  const auto bytes = static_cast<double>(size.count());
  const double chunk =
      memory.chunk == Bytes{} ? 0 : std::min(bytes, static_cast<double>(memory.chunk.count()));
  double sum = 0, maximum = 0;
  for (const StageCapacity& stage : stage_capacities(platform)) {
    const auto sharing =
        memory.in_switch ? 1.0 : static_cast<double>(std::min(stage.devices, devices));
    const double per_byte = sharing / stage.bytes_per_ns;
    sum += per_byte;
    maximum = std::max(maximum, per_byte);
  }
  return static_cast<double>(memory.latency.count()) / 1e3 + chunk * (sum - maximum) +
         bytes * maximum;
}

}  // namespace orrery::model
