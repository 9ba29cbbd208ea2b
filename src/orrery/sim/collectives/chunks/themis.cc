// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/themis.h"

#include <algorithm>
#include <utility>

namespace orrery::sim {

using graph::CollectiveType;
using model::LogicalTopology;

namespace {

constexpr double kMebi = 1048576.0;
constexpr std::int64_t kSmallestGap = 16;  // a gap below this fraction of a chunk does not count

bool carries(const LogicalTopology& topology, std::uint8_t dim) {
  return dim < topology.dims.size() && topology.dims[dim].involved &&
         topology.dims[dim].ring.size > 1;
}

}  // namespace

Themis::Themis(const platform::Platform& platform) : platform_(platform) {
  for (std::size_t d = 0; d < platform.dims.size(); ++d)
    loads_.push_back({static_cast<std::uint8_t>(d), 0.0});
}

void Themis::begin(std::int64_t time) {
  if (time == issued_at_) return;
  issued_at_ = time;
  has_no_loads_ = true;
  sort_naturally(false);
  for (Load& load : loads_) load.mebibytes = 0;
}

void Themis::sort_naturally(bool gather) {
  std::sort(loads_.begin(), loads_.end(),
            [](const Load& a, const Load& b) { return a.dim < b.dim; });
  if (gather) std::reverse(loads_.begin(), loads_.end());
}

// Bandwidth of a logical dimension.
double Themis::bandwidth(const TopologySpeeds& on, std::uint8_t dim) const {
  if (!on.speeds.bandwidths.empty()) return on.speeds.bandwidths[dim];
  return platform_.dims[on.topology.dims[dim].dim].bandwidth.count();
}

double Themis::relative_bandwidth(const TopologySpeeds& on, std::uint8_t dim) const {
  return bandwidth(on, dim) / bandwidth(on, 0);
}

// MiB that the first dimension moves during a phase without bytes in `dim`.
double Themis::latency_mebibytes(const TopologySpeeds& on, std::uint8_t dim) const {
  if (dim >= on.speeds.latencies.size()) return 0;
  return on.speeds.latencies[dim] * 1e-12 * bandwidth(on, 0) / kMebi;
}

// The size of the chunk that would just fill the gap between the least and the most loaded
// dimension.
std::int64_t Themis::levelling_bytes(const std::vector<const Load*>& path, bool gather,
                                     const TopologySpeeds& on) const {
  const Load& least = gather ? *path.back() : *path.front();
  const Load& most = gather ? *path.front() : *path.back();
  const double n = on.topology.dims[least.dim].ring.size;
  const double share = gather ? n - 1 : (n - 1) / n;
  const double gap =
      (most.mebibytes - least.mebibytes) * relative_bandwidth(on, least.dim) / share * kMebi;
  auto bytes = static_cast<std::int64_t>(gap);
  if (!gather) return bytes;
  for (std::size_t i = path.size() - 1; i-- > 0;) bytes /= on.topology.dims[path[i]->dim].ring.size;
  return bytes;
}

// Adds the traffic of `bytes` in `dim` to `load`. Returns the bytes for the next dimension.
std::int64_t Themis::charge(Load& load, std::uint8_t dim, std::int64_t bytes, bool gather,
                            const TopologySpeeds& on) const {
  const std::int64_t n = on.topology.dims[dim].ring.size;
  const double share =
      gather ? static_cast<double>(n - 1) : static_cast<double>(n - 1) / static_cast<double>(n);
  load.mebibytes += static_cast<double>(bytes) / kMebi * share / relative_bandwidth(on, dim);
  return gather ? bytes * n : bytes / n;
}

Themis::Decision Themis::next(CollectiveType type, std::int64_t bytes, std::int64_t remaining,
                              const LogicalTopology& topology, bool flex,
                              const PhaseSpeeds& speeds) {
  const TopologySpeeds on{topology, speeds};
  const bool gather = type == CollectiveType::all_gather;
  if (std::exchange(has_no_loads_, false))
    for (Load& load : loads_) load.mebibytes += latency_mebibytes(on, load.dim);
  std::stable_sort(loads_.begin(), loads_.end(),
                   [](const Load& a, const Load& b) { return a.mebibytes < b.mebibytes; });
  if (gather) std::reverse(loads_.begin(), loads_.end());
  std::vector<const Load*> path;
  for (const Load& load : loads_) {
    if (carries(topology, load.dim)) path.push_back(&load);
  }
  if (path.empty()) return {{}, std::min(bytes, remaining)};

  const std::int64_t levelling = levelling_bytes(path, gather, on);
  const bool natural = levelling < (flex ? bytes : bytes / kSmallestGap);
  std::int64_t left = natural || !flex ? bytes : levelling;
  Decision decision{{}, std::min(left, remaining)};
  if (natural) sort_naturally(gather);
  const bool mirrored = natural && platform_.rules == platform::Rules::astra;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const std::uint8_t dim = mirrored ? static_cast<std::uint8_t>(i) : loads_[i].dim;
    if (!carries(topology, dim)) continue;
    decision.order.push_back(dim);
    left = charge(loads_[i], dim, left, gather, on);
    loads_[i].mebibytes += latency_mebibytes(on, dim);
  }
  return decision;
}

}  // namespace orrery::sim
