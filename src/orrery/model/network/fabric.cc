// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/fabric.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::model {

using platform::Block;

Fabric::Fabric(const platform::Platform& platform)
    : dims_(platform.dims), astra_(platform.rules == platform::Rules::astra) {
  for (const platform::Dimension& dim : dims_) {
    strides_.push_back(ranks_);
    ranks_ *= static_cast<std::uint32_t>(dim.size);
    bytes_per_ns_.push_back(dim.bandwidth.count() / 1e9);
  }
}

std::uint32_t Fabric::hops(std::size_t d, std::uint32_t from, std::uint32_t to) const {
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

std::int64_t Fabric::delay_in_dim(std::size_t d, std::uint32_t hops, std::int64_t size) const {
  const double latency = static_cast<double>(hops) * dims_[d].latency_ns;
  const double nanoseconds = latency + static_cast<double>(size) / bytes_per_ns_[d];
  if (!(nanoseconds < 4e15)) return kTooLong;
  if (astra_) return static_cast<std::int64_t>(nanoseconds) * kPsPerNs;
  return static_cast<std::int64_t>(std::ceil(nanoseconds * 1e3));
}

std::int64_t Fabric::delay(std::uint32_t from, std::uint32_t to, std::int64_t size) const {
  double latency = 0;
  double bytes_per_ns = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const std::uint32_t a = coordinate(from, d);
    const std::uint32_t b = coordinate(to, d);
    if (a == b) continue;
    if (astra_) return delay_in_dim(d, hops(d, a, b), size);
    latency += static_cast<double>(hops(d, a, b)) * dims_[d].latency_ns;
    bytes_per_ns = std::min(bytes_per_ns, bytes_per_ns_[d]);
  }
  const double nanoseconds = latency + static_cast<double>(size) / bytes_per_ns;
  if (!(nanoseconds < 4e15)) return kTooLong;
  return static_cast<std::int64_t>(std::ceil(nanoseconds * 1e3));
}

}  // namespace orrery::model
