// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/fabric/min_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "orrery/core/check.h"

namespace orrery::synthesis {

namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 4;

/// Whole numbers in the proportion of the wires' capacities; their sum is at most 2^40.
std::vector<std::int64_t> whole_capacities(const FabricState& fabric) {
  double sum = 0;
  std::int64_t common = 0;
  for (const Wire& wire : fabric.wires) {
    sum += wire.capacity;
    common = std::gcd(common, std::llround(std::min(wire.capacity, 0x1p62)));
  }
  const double unit = std::max(static_cast<double>(common), sum * 0x1p-40);
  std::vector<std::int64_t> whole;
  whole.reserve(fabric.wires.size());
  for (const Wire& wire : fabric.wires) whole.push_back(std::llround(wire.capacity / unit));
  return whole;
}

/// Dinic's algorithm, from the sink backwards: only what is near it is looked at.
class Flow {
 public:
  Flow(const FabricState& fabric, Direction direction, std::uint64_t steps)
      : fabric_(fabric),
        along_(direction == Direction::along),
        whole_(whole_capacities(fabric)),
        room_(fabric.wires.size()),
        back_(fabric.wires.size()),
        supply_(fabric.node_count()),
        level_(fabric.node_count()),
        seen_(fabric.node_count()),
        next_(fabric.node_count()),
        steps_left_(steps) {}

  [[nodiscard]] bool spent() const { return steps_left_ == 0; }
  [[nodiscard]] std::int64_t whole(std::uint32_t wire) const { return whole_[wire]; }
  [[nodiscard]] std::vector<std::int64_t>& supply() { return supply_; }

  /// All capacities times so much, and no flow.
  void reset(std::int64_t scale) {
    for (std::size_t w = 0; w < room_.size(); ++w) room_[w] = whole_[w] * scale;
    std::fill(back_.begin(), back_.end(), 0);
    steps_left_ -= std::min<std::uint64_t>(steps_left_, room_.size() / 8);
  }

  /// From the supplies to `sinks`, up to `wanted`.
  std::int64_t run(std::span<const NodeIndex> sinks, std::int64_t wanted) {
    std::int64_t total = 0;
    while (total < wanted && levels(sinks)) {
      for (const NodeIndex node : sinks) {
        while (total < wanted && !spent()) {
          const std::int64_t more = push(node, wanted - total);
          if (more == 0) break;
          total += more;
        }
      }
      if (spent()) break;
    }
    return total;
  }

  /// After run() found no more: the nodes that reach no sink any more.
  [[nodiscard]] std::vector<bool> source_side() const {
    std::vector<bool> inside(fabric_.node_count());
    for (NodeIndex node = 0; node < inside.size(); ++node) inside[node] = seen_[node] != round_;
    return inside;
  }

 private:
  /// The i-th way from which something may come to a node.
  struct Arc {
    NodeIndex from;
    std::int64_t* room;
    std::int64_t* other;
  };
  [[nodiscard]] std::size_t arcs(NodeIndex node) const {
    return fabric_.out_offsets[node + 1] - fabric_.out_offsets[node] +
           fabric_.in_offsets[node + 1] - fabric_.in_offsets[node];
  }
  Arc arc(NodeIndex node, std::size_t i) {
    const std::size_t ins = fabric_.in_offsets[node + 1] - fabric_.in_offsets[node];
    const bool in = i < ins;
    const std::uint32_t wire = in ? fabric_.in[fabric_.in_offsets[node] + i]
                                  : static_cast<std::uint32_t>(fabric_.out_offsets[node] + i - ins);
    const NodeIndex other = in ? fabric_.wires[wire].from : fabric_.wires[wire].to;
    return in == along_ ? Arc{other, &room_[wire], &back_[wire]}
                        : Arc{other, &back_[wire], &room_[wire]};
  }
  void spend() { steps_left_ -= steps_left_ > 0 ? 1 : 0; }

  /// Hops from where something is left to a sink, up to the nearest of such nodes.
  bool levels(std::span<const NodeIndex> sinks) {
    ++round_;
    order_.assign(sinks.begin(), sinks.end());
    for (const NodeIndex node : sinks) {
      level_[node] = 0;
      seen_[node] = round_;
      next_[node] = 0;
    }
    std::uint32_t found = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < order_.size() && !spent(); ++i) {
      const NodeIndex at = order_[i];
      if (level_[at] > found) break;
      if (supply_[at] > 0) found = level_[at];
      for (std::size_t a = 0; a < arcs(at) && found > level_[at]; ++a) {
        spend();
        const Arc one = arc(at, a);
        if (*one.room <= 0 || seen_[one.from] == round_) continue;
        seen_[one.from] = round_;
        level_[one.from] = level_[at] + 1;
        next_[one.from] = 0;
        order_.push_back(one.from);
      }
    }
    return found != std::numeric_limits<std::uint32_t>::max() && !spent();
  }

  /// One way to `sink`; what it carries, 0: none of this round is left.
  std::int64_t push(NodeIndex sink, std::int64_t wanted) {
    way_.clear();
    NodeIndex at = sink;
    while (supply_[at] <= 0) {
      spend();
      if (spent()) return 0;
      if (next_[at] >= arcs(at)) {
        if (way_.empty()) return 0;
        at = way_.back().first;
        way_.pop_back();
        ++next_[at];
        continue;
      }
      const Arc one = arc(at, next_[at]);
      if (*one.room <= 0 || seen_[one.from] != round_ || level_[one.from] != level_[at] + 1) {
        ++next_[at];
        continue;
      }
      way_.emplace_back(at, one);
      at = one.from;
    }
    std::int64_t least = std::min(wanted, supply_[at]);
    for (const auto& [node, one] : way_) least = std::min(least, *one.room);
    for (const auto& [node, one] : way_) {
      *one.room -= least;
      *one.other += least;
    }
    if (supply_[at] < kEndless) supply_[at] -= least;
    return least;
  }

  const FabricState& fabric_;
  bool along_;
  std::vector<std::int64_t> whole_, room_, back_, supply_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::size_t> next_;
  std::vector<NodeIndex> order_;
  std::vector<std::pair<NodeIndex, Arc>> way_;
  std::uint64_t round_ = 0, steps_left_;
};

/// Neighbours after each other, so that a sink stands beside those that were before it.
std::vector<NodeIndex> spread_out(const FabricState& fabric, std::span<const NodeIndex> wants) {
  std::vector<bool> seen(fabric.node_count()), wanted(fabric.node_count());
  for (const NodeIndex node : wants) wanted[node] = true;
  std::vector<NodeIndex> order, queue;
  for (const NodeIndex start : wants) {
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
      for (const Wire& wire : fabric.out(at)) visit(wire.to);
      for (const std::uint32_t wire : fabric.into(at)) visit(fabric.wires[wire].from);
    }
  }
  return order;
}

std::int64_t sum_inside(std::span<const std::int64_t> weight, const std::vector<bool>& inside) {
  std::int64_t sum = 0;
  for (std::size_t node = 0; node < inside.size(); ++node) sum += inside[node] ? weight[node] : 0;
  return sum;
}

/// Of whole capacities, as Flow has them.
std::int64_t whole_across(const FabricState& fabric, const Flow& flow,
                          const std::vector<bool>& inside, bool along) {
  std::int64_t sum = 0;
  for (std::uint32_t w = 0; w < fabric.wires.size(); ++w) {
    const Wire& wire = fabric.wires[w];
    const bool crosses =
        along ? inside[wire.from] && !inside[wire.to] : inside[wire.to] && !inside[wire.from];
    if (crosses) sum += flow.whole(w);
  }
  return sum;
}

}  // namespace

double cut_capacity(const FabricState& fabric, const std::vector<bool>& inside,
                    Direction direction) {
  double sum = 0;
  for (const Wire& wire : fabric.wires) {
    const NodeIndex a = direction == Direction::along ? wire.from : wire.to;
    const NodeIndex b = direction == Direction::along ? wire.to : wire.from;
    if (inside[a] && !inside[b]) sum += wire.capacity;
  }
  return sum;
}

TightCut tightest_cut(const FabricState& fabric, std::span<const std::int64_t> weight,
                      std::span<const NodeIndex> wants, Direction direction, std::uint64_t steps) {
  ORRERY_CHECK(!wants.empty() && weight.size() == fabric.node_count());
  const bool along = direction == Direction::along;
  Flow flow(fabric, direction, steps);
  const std::int64_t all = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
  ORRERY_CHECK(all <= kMaxWeight);
  TightCut best;
  std::int64_t best_whole = 0;
  const auto consider = [&](std::vector<bool> inside) {
    const std::int64_t own = sum_inside(weight, inside);
    const std::int64_t across = whole_across(fabric, flow, inside, along);
    if (own == 0) return false;
    // across / own < best_whole / best.weight
    if (best.weight > 0 &&
        static_cast<__int128>(across) * best.weight >= static_cast<__int128>(best_whole) * own)
      return false;
    best.inside = std::move(inside);
    best.weight = own;
    best_whole = across;
    return true;
  };
  const std::vector<NodeIndex> sinks = spread_out(fabric, wants);
  for (const NodeIndex sink : sinks) {
    if (best.weight > 0) break;
    std::vector<bool> others(fabric.node_count(), true);
    others[sink] = false;
    consider(std::move(others));
  }
  std::vector<bool> settled(fabric.node_count());
  for (const NodeIndex sink : sinks) {
    for (bool found = best.weight > 0 && best_whole > 0; found && !flow.spent();) {
      flow.reset(best.weight);
      for (NodeIndex node = 0; node < fabric.node_count(); ++node)
        flow.supply()[node] = settled[node] ? kEndless : weight[node] * best_whole;
      const NodeIndex one[] = {sink};
      const std::int64_t wanted = all * best_whole;
      found = flow.run(one, wanted) < wanted && !flow.spent() && consider(flow.source_side());
    }
    settled[sink] = true;
  }
  best.exact = !flow.spent();
  if (best.inside.empty()) best.inside.assign(fabric.node_count(), true);
  best.capacity = cut_capacity(fabric, best.inside, direction);
  return best;
}

std::optional<std::vector<bool>> min_cut(const FabricState& fabric, std::span<const NodeIndex> from,
                                         std::span<const NodeIndex> to, std::uint64_t steps) {
  Flow flow(fabric, Direction::along, steps);
  flow.reset(1);
  for (const NodeIndex node : from) flow.supply()[node] = kEndless;
  (void)flow.run(to, kEndless);
  if (flow.spent()) return std::nullopt;
  return flow.source_side();
}

}  // namespace orrery::synthesis
