// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/algorithms/ring_order.h"

#include <algorithm>
#include <numeric>

namespace orrery::synthesis {

namespace {

constexpr std::uint32_t kNoRoute = ~0U;

// Each digit counts up and down in turn; the outermost changes slowest.
std::vector<std::uint32_t> along_grid(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> at(sizes.size(), 0), step(sizes.size(), 1);
  std::vector<std::uint32_t> order;
  for (;;) {
    std::int64_t rank = 0, stride = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      rank += at[d] * stride;
      stride *= sizes[d];
    }
    order.push_back(static_cast<std::uint32_t>(rank));
    std::size_t d = 0;
    while (d < sizes.size() && (at[d] + step[d] < 0 || at[d] + step[d] >= sizes[d])) {
      step[d] = -step[d];
      ++d;
    }
    if (d == sizes.size()) return order;
    at[d] += step[d];
  }
}

// Computes the number of hops from a node to all others.
void flood(const FabricState& fabric, NodeIndex from, std::vector<std::uint32_t>& hops,
           std::vector<NodeIndex>& queue) {
  std::fill(hops.begin(), hops.end(), kNoRoute);
  queue.assign(1, from);
  hops[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Wire& wire : fabric.outgoing_wires(queue[i])) {
      if (hops[wire.to] != kNoRoute) continue;
      hops[wire.to] = hops[queue[i]] + 1;
      queue.push_back(wire.to);
    }
  }
}

}  // namespace

std::vector<std::uint32_t> ring_order(const FabricState& fabric,
                                      std::span<const std::uint32_t> ranks) {
  const std::int64_t all = std::accumulate(fabric.sizes.begin(), fabric.sizes.end(),
                                           std::int64_t{1}, std::multiplies<>());
  if (!fabric.sizes.empty() && all == static_cast<std::int64_t>(ranks.size()) &&
      ranks.size() == fabric.rank_devices.size())
    return along_grid(fabric.sizes);
  std::vector<std::uint32_t> order{0};
  std::vector<bool> taken(ranks.size());
  taken[0] = true;
  std::vector<std::uint32_t> hops(fabric.node_count());
  std::vector<NodeIndex> queue;
  while (order.size() < ranks.size()) {
    flood(fabric, fabric.rank_devices[ranks[order.back()]], hops, queue);
    std::uint32_t best = kNoRoute, least = kNoRoute;
    for (std::uint32_t i = 0; i < ranks.size(); ++i) {
      const std::uint32_t away = hops[fabric.rank_devices[ranks[i]]];
      if (taken[i] || (best != kNoRoute && away >= least)) continue;
      best = i;
      least = away;
    }
    taken[best] = true;
    order.push_back(best);
  }
  return order;
}

}  // namespace orrery::synthesis
