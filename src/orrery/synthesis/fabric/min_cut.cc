// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/fabric/min_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "orrery/core/check.h"

namespace orrery::synthesis {

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 4;

/// Integers proportional to the wires' capacities; their sum is at most 2^40.
std::vector<std::int64_t> scaled_capacities(const FabricState& fabric) {
  double sum = 0;
  std::int64_t common = 0;
  for (const Wire& wire : fabric.wires) {
    sum += wire.capacity;
    common = std::gcd(common, std::llround(std::min(wire.capacity, 0x1p62)));
  }
  const double unit = std::max(static_cast<double>(common), sum * 0x1p-40);
  std::vector<std::int64_t> capacity;
  capacity.reserve(fabric.wires.size());
  for (const Wire& wire : fabric.wires) capacity.push_back(std::llround(wire.capacity / unit));
  return capacity;
}

/// Dinic's algorithm, backwards from the sink, so that it visits only nodes near the sink.
class Flow {
 public:
  Flow(const FabricState& fabric, Direction direction, std::uint64_t steps)
      : fabric_(fabric),
        is_forward_(direction == Direction::forward),
        capacities_(scaled_capacities(fabric)),
        residual_(fabric.wires.size()),
        reverse_residual_(fabric.wires.size()),
        supply_(fabric.node_count()),
        level_(fabric.node_count()),
        seen_(fabric.node_count()),
        next_(fabric.node_count()),
        steps_left_(steps) {}

  [[nodiscard]] bool is_exhausted() const { return steps_left_ == 0; }
  [[nodiscard]] std::int64_t capacity(std::uint32_t wire) const { return capacities_[wire]; }
  [[nodiscard]] std::vector<std::int64_t>& supply() { return supply_; }

  /// Sets all capacities to `scale` times theirs, without flow.
  void reset(std::int64_t scale) {
    for (std::size_t w = 0; w < residual_.size(); ++w) residual_[w] = capacities_[w] * scale;
    std::fill(reverse_residual_.begin(), reverse_residual_.end(), 0);
    steps_left_ -= std::min<std::uint64_t>(steps_left_, residual_.size() / 8);
  }

  /// Sends up to `wanted` from the supplies to `sinks`; returns the amount.
  std::int64_t run(std::span<const NodeIndex> sinks, std::int64_t wanted) {
    std::int64_t total = 0;
    while (total < wanted && build_levels(sinks)) {
      for (const NodeIndex node : sinks) {
        while (total < wanted && !is_exhausted()) {
          const std::int64_t more = augment(node, wanted - total);
          if (more == 0) break;
          total += more;
        }
      }
      if (is_exhausted()) break;
    }
    return total;
  }

  /// After run() found no more flow: the nodes that cannot reach a sink.
  [[nodiscard]] std::vector<bool> source_side() const {
    std::vector<bool> inside(fabric_.node_count());
    for (NodeIndex node = 0; node < inside.size(); ++node) inside[node] = seen_[node] != round_;
    return inside;
  }

 private:
  /// An arc over which flow may reach a node.
  struct Arc {
    NodeIndex from;
    std::int64_t* residual;
    std::int64_t* reverse;
  };
  [[nodiscard]] std::size_t arcs(NodeIndex node) const {
    return fabric_.out_offsets[node + 1] - fabric_.out_offsets[node] +
           fabric_.in_offsets[node + 1] - fabric_.in_offsets[node];
  }
  Arc arc(NodeIndex node, std::size_t i) {
    const std::size_t ins = fabric_.in_offsets[node + 1] - fabric_.in_offsets[node];
    const bool in = i < ins;
    const std::uint32_t wire = in ? fabric_.in_wires[fabric_.in_offsets[node] + i]
                                  : static_cast<std::uint32_t>(fabric_.out_offsets[node] + i - ins);
    const NodeIndex other = in ? fabric_.wires[wire].from : fabric_.wires[wire].to;
    return in == is_forward_ ? Arc{other, &residual_[wire], &reverse_residual_[wire]}
                             : Arc{other, &reverse_residual_[wire], &residual_[wire]};
  }
  void spend() { steps_left_ -= steps_left_ > 0 ? 1 : 0; }

  /// Computes the hops to a sink, up to the nearest nodes with supply. False if there are none.
  bool build_levels(std::span<const NodeIndex> sinks) {
    ++round_;
    order_.assign(sinks.begin(), sinks.end());
    for (const NodeIndex node : sinks) {
      level_[node] = 0;
      seen_[node] = round_;
      next_[node] = 0;
    }
    std::uint32_t found = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < order_.size() && !is_exhausted(); ++i) {
      const NodeIndex at = order_[i];
      if (level_[at] > found) break;
      if (supply_[at] > 0) found = level_[at];
      for (std::size_t a = 0; a < arcs(at) && found > level_[at]; ++a) {
        spend();
        const Arc one = arc(at, a);
        if (*one.residual <= 0 || seen_[one.from] == round_) continue;
        seen_[one.from] = round_;
        level_[one.from] = level_[at] + 1;
        next_[one.from] = 0;
        order_.push_back(one.from);
      }
    }
    return found != std::numeric_limits<std::uint32_t>::max() && !is_exhausted();
  }

  /// Adds flow on one path to `sink`; returns the amount. 0: this round has no more paths.
  std::int64_t augment(NodeIndex sink, std::int64_t wanted) {
    path_.clear();
    NodeIndex at = sink;
    while (supply_[at] <= 0) {
      spend();
      if (is_exhausted()) return 0;
      if (next_[at] >= arcs(at)) {
        if (path_.empty()) return 0;
        at = path_.back().first;
        path_.pop_back();
        ++next_[at];
        continue;
      }
      const Arc one = arc(at, next_[at]);
      if (*one.residual <= 0 || seen_[one.from] != round_ || level_[one.from] != level_[at] + 1) {
        ++next_[at];
        continue;
      }
      path_.emplace_back(at, one);
      at = one.from;
    }
    std::int64_t least = std::min(wanted, supply_[at]);
    for (const auto& [node, one] : path_) least = std::min(least, *one.residual);
    for (const auto& [node, one] : path_) {
      *one.residual -= least;
      *one.reverse += least;
    }
    if (supply_[at] < kUnlimited) supply_[at] -= least;
    return least;
  }

  const FabricState& fabric_;
  bool is_forward_;
  std::vector<std::int64_t> capacities_, residual_, reverse_residual_, supply_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::size_t> next_;
  std::vector<NodeIndex> order_;
  std::vector<std::pair<NodeIndex, Arc>> path_;
  std::uint64_t round_ = 0, steps_left_;
};

/// Orders sinks so that each is near the sinks before it.
std::vector<NodeIndex> nearest_first(const FabricState& fabric, std::span<const NodeIndex> sinks) {
  std::vector<bool> seen(fabric.node_count()), wanted(fabric.node_count());
  for (const NodeIndex node : sinks) wanted[node] = true;
  std::vector<NodeIndex> order, queue;
  for (const NodeIndex start : sinks) {
    if (seen[start]) continue;
    queue.assign(1, start);
    seen[start] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const NodeIndex at = queue[i];
      if (wanted[at]) order.push_back(at);
      const auto visit = [&](NodeIndex other) {
        if (!seen[other]) queue.push_back(other);
        seen[other] = true;
      };
      for (const Wire& wire : fabric.outgoing_wires(at)) visit(wire.to);
      for (const std::uint32_t wire : fabric.incoming_wires(at)) visit(fabric.wires[wire].from);
    }
  }
  return order;
}

std::int64_t sum_inside(std::span<const std::int64_t> weight, const std::vector<bool>& inside) {
  std::int64_t sum = 0;
  for (std::size_t node = 0; node < inside.size(); ++node) sum += inside[node] ? weight[node] : 0;
  return sum;
}

/// The sum of `capacity_of(wire)` over the links that leave a set (`backward`: that enter it).
template <class Capacity>
auto sum_across(const FabricState& fabric, const std::vector<bool>& inside, Direction direction,
                const Capacity& capacity_of) {
  decltype(capacity_of(0)) sum = 0;
  for (std::uint32_t w = 0; w < fabric.wires.size(); ++w) {
    const Wire& wire = fabric.wires[w];
    if (inside[wire.from] == inside[wire.to]) continue;
    if (inside[wire.from] == (direction == Direction::forward)) sum += capacity_of(w);
  }
  return sum;
}

}  // namespace

TightCut tightest_cut(const FabricState& fabric, std::span<const std::int64_t> weight,
                      std::span<const NodeIndex> sinks, Direction direction, std::uint64_t steps) {
  ORRERY_CHECK(!sinks.empty() && weight.size() == fabric.node_count());
  Flow flow(fabric, direction, steps);
  const std::int64_t all = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
  ORRERY_CHECK(all <= kMaxWeight);
  TightCut best;
  std::int64_t best_crossing = 0;
  const auto consider = [&](std::vector<bool> inside) {
    const std::int64_t weight_inside = sum_inside(weight, inside);
    const std::int64_t crossing = sum_across(
        fabric, inside, direction, [&](std::uint32_t wire) { return flow.capacity(wire); });
    if (weight_inside == 0) return false;
    // crossing / weight_inside < best_crossing / best.weight
    if (best.weight > 0 && static_cast<__int128>(crossing) * best.weight >=
                               static_cast<__int128>(best_crossing) * weight_inside)
      return false;
    best.inside = std::move(inside);
    best.weight = weight_inside;
    best_crossing = crossing;
    return true;
  };
  const std::vector<NodeIndex> order = nearest_first(fabric, sinks);
  for (const NodeIndex sink : order) {
    if (best.weight > 0) break;
    std::vector<bool> others(fabric.node_count(), true);
    others[sink] = false;
    consider(std::move(others));
  }
  std::vector<bool> is_source(fabric.node_count());
  for (const NodeIndex sink : order) {
    for (bool found = best.weight > 0 && best_crossing > 0; found && !flow.is_exhausted();) {
      flow.reset(best.weight);
      for (NodeIndex node = 0; node < fabric.node_count(); ++node)
        flow.supply()[node] = is_source[node] ? kUnlimited : weight[node] * best_crossing;
      const NodeIndex one[] = {sink};
      const std::int64_t wanted = all * best_crossing;
      found =
          flow.run(one, wanted) < wanted && !flow.is_exhausted() && consider(flow.source_side());
    }
    is_source[sink] = true;
  }
  best.exact = !flow.is_exhausted();
  if (best.inside.empty()) best.inside.assign(fabric.node_count(), true);
  best.capacity = sum_across(fabric, best.inside, direction,
                             [&](std::uint32_t wire) { return fabric.wires[wire].capacity; });
  return best;
}

std::optional<std::vector<bool>> min_cut(const FabricState& fabric, std::span<const NodeIndex> from,
                                         std::span<const NodeIndex> to, std::uint64_t steps) {
  Flow flow(fabric, Direction::forward, steps);
  flow.reset(1);
  for (const NodeIndex node : from) flow.supply()[node] = kUnlimited;
  (void)flow.run(to, kUnlimited);
  if (flow.is_exhausted()) return std::nullopt;
  return flow.source_side();
}

}  // namespace orrery::synthesis
