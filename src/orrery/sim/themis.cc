// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/themis.h"

#include <algorithm>

namespace orrery::sim {

using graph::CollectiveType;

namespace {
constexpr double kMebi = 1048576.0;
constexpr double kSmallestGap = 1.0 / 16.0;  // of a chunk
}  // namespace

Themis::Themis(const platform::Platform& platform) : platform_(platform), load_(platform.dims.size(), 0.0) {}

double Themis::relative_bandwidth(const model::LogicalDim& dim) const {
  return platform_.dims[dim.dim].bandwidth.count() / platform_.dims[0].bandwidth.count();
}

void Themis::charge(const std::vector<std::uint8_t>& order, bool gather, double mebibytes,
                    const model::LogicalTopology& topology) {
  for (const std::uint8_t d : order) {
    const model::LogicalDim& dim = topology.dims[d];
    const double n = dim.ring.size;
    if (!dim.involved || dim.ring.size <= 1) continue;
    const double factor = gather ? n - 1 : (n - 1) / n;
    load_[dim.dim] += mebibytes * factor / relative_bandwidth(dim);
    mebibytes = gather ? mebibytes * n : mebibytes / n;
  }
}

Themis::Decision Themis::next(CollectiveType type, std::int64_t bytes, std::int64_t remaining,
                              const model::LogicalTopology& topology, std::int64_t time, bool flex) {
  if (time != issued_at_) std::fill(load_.begin(), load_.end(), 0.0);
  issued_at_ = time;
  const bool gather = type == CollectiveType::all_gather;
  Decision decision{{}, bytes};
  for (std::uint8_t d = 0; d < topology.dims.size(); ++d) {
    if (topology.dims[d].involved && topology.dims[d].ring.size > 1) decision.order.push_back(d);
  }
  std::vector<std::uint8_t>& order = decision.order;
  std::vector<std::uint8_t> natural = order;
  if (order.empty() || type == CollectiveType::all_to_all) return {natural, bytes};
  const auto load = [&](std::uint8_t d) { return load_[topology.dims[d].dim]; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint8_t a, std::uint8_t b) { return load(a) < load(b); });
  if (gather) std::reverse(order.begin(), order.end());

  // The chunk that would just fill the gap between the least and the most loaded dimension.
  const std::uint8_t least = gather ? order.back() : order.front();
  const std::uint8_t most = gather ? order.front() : order.back();
  const model::LogicalDim& dim = topology.dims[least];
  const double n = dim.ring.size;
  double gap = (load(most) - load(least)) * relative_bandwidth(dim) / (gather ? n - 1 : (n - 1) / n) * kMebi;
  if (gather) {
    for (const std::uint8_t d : order) gap /= d == least ? 1.0 : topology.dims[d].ring.size;
  }
  const auto levelling = static_cast<std::int64_t>(gap);
  if (static_cast<double>(levelling) < static_cast<double>(bytes) * kSmallestGap) {
    order = natural;
  } else if (flex) {
    decision.bytes = std::clamp(levelling, std::min(bytes, remaining), remaining);
  }
  charge(order, gather, static_cast<double>(decision.bytes) / kMebi, topology);
  return decision;
}

}  // namespace orrery::sim
