// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/dimensions/multi_dim_fabric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/placement/node_dimensions.h"

namespace orrery::model {

using platform::Block;

MultiDimFabric::MultiDimFabric(const platform::Platform& platform)
    : dims_(platform.dims), astra_(platform.rules == platform::Rules::astra) {
  for (const platform::Dimension& dim : dims_) {
    strides_.push_back(ranks_);
    ranks_ *= static_cast<std::uint32_t>(dim.size);
    bytes_per_ns_.push_back(dim.bandwidth.count() / 1e9);
  }
  set_ports(platform.deviations);
  if (!astra_ && platform.collectives.library == platform::CollectiveLibrary::nccl)
    send_recv_ = send_recv_limits(platform);
}

// Stores nothing if all ports are identical.
void MultiDimFabric::set_ports(const std::vector<platform::Deviation>& deviations) {
  std::map<std::vector<Port>, std::uint32_t> classes{{std::vector<Port>(dims_.size()), 0}};
  for (const platform::Deviation& deviation : deviations) {
    std::vector<Port> ports(dims_.size());
    for (const platform::Deviation::Port& port : deviation.ports) {
      if (port.dim < dims_.size()) ports[port.dim] = {port.bandwidth, port.latency_ns};
    }
    const auto next = static_cast<std::uint32_t>(classes.size());
    const std::uint32_t number = classes.try_emplace(std::move(ports), next).first->second;
    if (number == 0) continue;
    port_class_.resize(ranks_);
    for (const std::uint32_t rank : deviation.ranks) {
      if (rank < ranks_) port_class_[rank] = number;
    }
  }
  if (port_class_.empty()) return;
  dim_deviates_.resize(dims_.size());
  ports_.resize(classes.size() * dims_.size());
  for (const auto& [ports, number] : classes) {
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (ports[d] != Port{}) dim_deviates_[d] = true;
      ports_[number * dims_.size() + d] = ports[d];
    }
  }
}

MultiDimFabric::Port MultiDimFabric::ports_between(std::uint32_t from, std::uint32_t to,
                                                   std::size_t d) const {
  const Port a = port(from, d), b = port(to, d);
  return {std::min(a.share, b.share), a.latency_ns + b.latency_ns};
}

std::uint32_t MultiDimFabric::hops(std::size_t d, std::uint32_t from, std::uint32_t to) const {
  if (from == to) return 0;
  switch (dims_[d].block) {
    case Block::fully_connected:
      return 1;
    case Block::switched:
      return 2;
    case Block::ring:
      break;
  }
  const auto size = static_cast<std::uint32_t>(dims_[d].size);
  const std::uint32_t clockwise = to > from ? to - from : size - (from - to);
  return std::min(clockwise, size - clockwise);
}

std::int64_t MultiDimFabric::picoseconds(double nanoseconds) {
  return nanoseconds < 4e15 ? static_cast<std::int64_t>(std::ceil(nanoseconds * 1e3)) : kTooLong;
}

std::int64_t MultiDimFabric::message_time(double latency, double bytes_per_ns,
                                          std::int64_t size) const {
  const double nanoseconds = latency + static_cast<double>(size) / bytes_per_ns;
  if (astra_ && nanoseconds < 4e15) return static_cast<std::int64_t>(nanoseconds) * kPsPerNs;
  return picoseconds(nanoseconds);
}

std::int64_t MultiDimFabric::delay_in_dim(std::size_t d, std::uint32_t hops,
                                          std::int64_t size) const {
  return message_time(static_cast<double>(hops) * dims_[d].latency_ns, bytes_per_ns_[d], size);
}

std::int64_t MultiDimFabric::delay(std::uint32_t from, std::uint32_t to, std::int64_t size) const {
  double latency = 0;
  double bytes_per_ns = std::numeric_limits<double>::infinity();
  std::size_t outermost = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const std::uint32_t a = coordinate(from, d);
    const std::uint32_t b = coordinate(to, d);
    if (a == b) continue;
    outermost = d;
    latency += static_cast<double>(hops(d, a, b)) * dims_[d].latency_ns;
    double left = bytes_per_ns_[d];
    if (ports_deviate(d)) {
      const Port ends = ports_between(from, to, d);
      latency += ends.latency_ns;
      left *= ends.share;
    }
    bytes_per_ns = std::min(bytes_per_ns, left);
    if (astra_) break;
  }
  if (send_recv_ && from != to) {
    const std::size_t scope = outermost < send_recv_->node_dims ? 0 : 1;
    latency = std::max(latency, send_recv_->latency_ns[scope]);
    bytes_per_ns *= send_recv_->share[scope];
  }
  // If the message crosses no dimension: 0 + size / infinity = 0.
  return message_time(latency, bytes_per_ns, size);
}

SendRecvLimits send_recv_limits(const platform::Platform& platform) {
  SendRecvLimits sends{platform::node_dimensions(platform), {7300, 20000}, {0.79, 0.72}};
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  if (entry == nullptr) return sends;
  switch (entry->architecture) {
    case platform::Architecture::volta:
    case platform::Architecture::turing:
    case platform::Architecture::ampere:
    case platform::Architecture::ada:
      sends.latency_ns[0] = 12700;
      sends.share[0] = 0.94;
      break;
    default:
      break;
  }
  return sends;
}

}  // namespace orrery::model
