// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/path_lengths.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>

namespace orrery::synthesis {

namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

/// By node, the sum of `length(wire)` on the shortest way; lengths of 0 and 1.
template <class Length>
void zero_one(const FabricState& fabric, NodeIndex start, Direction direction, const Length& length,
              std::vector<std::int64_t>& far) {
  far.assign(fabric.node_count(), kFar);
  std::deque<NodeIndex> queue{start};
  far[start] = 0;
  const auto visit = [&](NodeIndex at, NodeIndex other, std::uint32_t wire) {
    const std::int64_t more = length(wire);
    if (far[at] + more >= far[other]) return;
    far[other] = far[at] + more;
    if (more == 0) {
      queue.push_front(other);
    } else {
      queue.push_back(other);
    }
  };
  while (!queue.empty()) {
    const NodeIndex at = queue.front();
    queue.pop_front();
    if (direction == Direction::along) {
      for (std::uint32_t w = fabric.out_offsets[at]; w < fabric.out_offsets[at + 1]; ++w)
        visit(at, fabric.wires[w].to, w);
    } else {
      for (const std::uint32_t w : fabric.into(at)) visit(at, fabric.wires[w].from, w);
    }
  }
}

void by_latency(const FabricState& fabric, NodeIndex start, Direction direction,
                std::vector<std::int64_t>& far) {
  using Entry = std::pair<std::int64_t, NodeIndex>;
  far.assign(fabric.node_count(), kFar);
  far[start] = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  queue.emplace(0, start);
  while (!queue.empty()) {
    const auto [distance, at] = queue.top();
    queue.pop();
    if (distance > far[at]) continue;
    const auto visit = [&, here = distance](NodeIndex other, const Wire& wire) {
      const std::int64_t there = here + wire.latency.count();
      if (there >= far[other]) return;
      far[other] = there;
      queue.emplace(there, other);
    };
    if (direction == Direction::along) {
      for (const Wire& wire : fabric.out(at)) visit(wire.to, wire);
    } else {
      for (const std::uint32_t w : fabric.into(at)) visit(fabric.wires[w].from, fabric.wires[w]);
    }
  }
}

std::size_t stride_for(const FabricState& fabric, std::size_t sources, std::uint64_t steps) {
  const std::uint64_t each = fabric.wires.size() + fabric.node_count() + std::uint64_t{1};
  const std::uint64_t most = std::max<std::uint64_t>(1, steps / each);
  return static_cast<std::size_t>((sources + most - 1) / most);
}

}  // namespace

bool is_connected(const FabricState& fabric, std::span<const NodeIndex> members) {
  std::vector<std::int64_t> far;
  for (const Direction direction : {Direction::along, Direction::against}) {
    zero_one(
        fabric, members.front(), direction, [](std::uint32_t) { return 1; }, far);
    if (std::any_of(members.begin(), members.end(), [&](NodeIndex m) { return far[m] == kFar; }))
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
  std::int64_t most = 0;
  std::vector<std::int64_t> far;
  // The others are several times as slow.
  const std::size_t stride = stride_for(fabric, from.size(), equivalent ? steps : steps / 8);
  for (std::size_t i = 0; i < from.size(); i += stride) {
    if (equivalent) {
      zero_one(
          fabric, from[i], direction, [](std::uint32_t) { return 1; }, far);
    } else {
      by_latency(fabric, from[i], direction, far);
    }
    for (const NodeIndex node : to) {
      if (far[node] != kFar) most = std::max(most, far[node]);
    }
  }
  return Time(equivalent ? most * first : most);
}

std::optional<double> min_crossings(const FabricState& fabric, std::span<const NodeIndex> members,
                                    const std::vector<bool>& counts, std::uint64_t steps) {
  if (stride_for(fabric, members.size(), steps) > 1) return std::nullopt;
  double sum = 0;
  std::vector<std::int64_t> far;
  for (const NodeIndex from : members) {
    zero_one(
        fabric, from, Direction::along, [&](std::uint32_t wire) { return counts[wire] ? 1 : 0; },
        far);
    std::int64_t own = 0;
    for (const NodeIndex to : members) own += far[to];
    sum += static_cast<double>(own);
  }
  return sum;
}

}  // namespace orrery::synthesis
