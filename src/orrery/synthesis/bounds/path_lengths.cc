// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/path_lengths.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>

namespace orrery::synthesis {

namespace {

constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max();

/// By node: the sum of `length(wire)` on the shortest route; lengths must be 0 or 1.
template <class Length>
void zero_one_distances(const FabricState& fabric, NodeIndex start, Direction direction,
                        const Length& length, std::vector<std::int64_t>& distance) {
  distance.assign(fabric.node_count(), kUnreached);
  std::deque<NodeIndex> queue{start};
  distance[start] = 0;
  const auto visit = [&](NodeIndex at, NodeIndex other, std::uint32_t wire) {
    const std::int64_t more = length(wire);
    if (distance[at] + more >= distance[other]) return;
    distance[other] = distance[at] + more;
    if (more == 0) {
      queue.push_front(other);
    } else {
      queue.push_back(other);
    }
  };
  while (!queue.empty()) {
    const NodeIndex at = queue.front();
    queue.pop_front();
    if (direction == Direction::forward) {
      for (std::uint32_t w = fabric.out_offsets[at]; w < fabric.out_offsets[at + 1]; ++w)
        visit(at, fabric.wires[w].to, w);
    } else {
      for (const std::uint32_t w : fabric.incoming_wires(at)) visit(at, fabric.wires[w].from, w);
    }
  }
}

void latency_distances(const FabricState& fabric, NodeIndex start, Direction direction,
                       std::vector<std::int64_t>& distance) {
  using Entry = std::pair<std::int64_t, NodeIndex>;
  distance.assign(fabric.node_count(), kUnreached);
  distance[start] = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  queue.emplace(0, start);
  while (!queue.empty()) {
    const auto [least, at] = queue.top();
    queue.pop();
    if (least > distance[at]) continue;
    const auto visit = [&, here = least](NodeIndex other, const Wire& wire) {
      const std::int64_t there = here + wire.latency.count();
      if (there >= distance[other]) return;
      distance[other] = there;
      queue.emplace(there, other);
    };
    if (direction == Direction::forward) {
      for (const Wire& wire : fabric.outgoing_wires(at)) visit(wire.to, wire);
    } else {
      for (const std::uint32_t w : fabric.incoming_wires(at))
        visit(fabric.wires[w].from, fabric.wires[w]);
    }
  }
}

std::size_t stride_for(const FabricState& fabric, std::size_t sources, std::uint64_t steps) {
  const std::uint64_t each = fabric.wires.size() + fabric.node_count() + std::uint64_t{1};
  const std::uint64_t maximum = std::max<std::uint64_t>(1, steps / each);
  return static_cast<std::size_t>((sources + maximum - 1) / maximum);
}

}  // namespace

bool is_connected(const FabricState& fabric, std::span<const NodeIndex> members) {
  std::vector<std::int64_t> distance;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    zero_one_distances(
        fabric, members.front(), direction, [](std::uint32_t) { return 1; }, distance);
    if (std::any_of(members.begin(), members.end(),
                    [&](NodeIndex m) { return distance[m] == kUnreached; }))
      return false;
  }
  return true;
}

Time max_path_latency(const FabricState& fabric, std::span<const NodeIndex> from,
                      std::span<const NodeIndex> to, Direction direction, std::uint64_t steps) {
  if (fabric.wires.empty()) return {};
  const std::int64_t first = fabric.wires.front().latency.count();
  const bool equivalent =
      std::all_of(fabric.wires.begin(), fabric.wires.end(),
                  [&](const Wire& wire) { return wire.latency.count() == first; });
  std::int64_t maximum = 0;
  std::vector<std::int64_t> distance;
  // The search with different latencies is several times slower.
  const std::size_t stride = stride_for(fabric, from.size(), equivalent ? steps : steps / 8);
  for (std::size_t i = 0; i < from.size(); i += stride) {
    if (equivalent) {
      zero_one_distances(
          fabric, from[i], direction, [](std::uint32_t) { return 1; }, distance);
    } else {
      latency_distances(fabric, from[i], direction, distance);
    }
    for (const NodeIndex node : to) {
      if (distance[node] != kUnreached) maximum = std::max(maximum, distance[node]);
    }
  }
  return Time(equivalent ? maximum * first : maximum);
}

std::optional<double> min_crossings(const FabricState& fabric, std::span<const NodeIndex> members,
                                    const std::vector<bool>& counts, std::uint64_t steps) {
  if (stride_for(fabric, members.size(), steps) > 1) return std::nullopt;
  double sum = 0;
  std::vector<std::int64_t> distance;
  for (const NodeIndex from : members) {
    zero_one_distances(
        fabric, from, Direction::forward, [&](std::uint32_t wire) { return counts[wire] ? 1 : 0; },
        distance);
    std::int64_t own = 0;
    for (const NodeIndex to : members) own += distance[to];
    sum += static_cast<double>(own);
  }
  return sum;
}

}  // namespace orrery::synthesis
