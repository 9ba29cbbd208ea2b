// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/trees.h"

#include <algorithm>
#include <limits>

namespace orrery::synthesis {

namespace {

constexpr std::uint32_t kNoWay = ~0U;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kTreeRounds = 20;

class Packer {
 public:
  Packer(const Reach& reach, const TreeTask& task)
      : reach_(reach),
        task_(task),
        load_(reach.room.size()),
        cost_(reach.room.size()),
        trees_(task.root.size()),
        pairs_(std::size_t{reach.store_count()} * reach.store_count()),
        key_(reach.store_count()),
        by_(reach.store_count()),
        back_(reach.store_count()),
        depth_(reach.store_count()),
        in_(reach.store_count()) {
    for (std::uint32_t store = 0; store < reach.store_count(); ++store) {
      for (std::uint32_t way = reach.first_out[store]; way < reach.first_out[store + 1]; ++way) {
        Range& range = pair(store, reach.to[way]);
        if (range.end == 0) range.first = way;
        range.end = way + 1;
      }
    }
    std::vector<bool> used(reach.room.size());
    for (const Held& held : reach.held) used[held.wire] = true;
    double capacity = 0, wires = 0;
    for (std::size_t wire = 0; wire < used.size(); ++wire) {
      capacity += used[wire] ? static_cast<double>(reach.room[wire]) : 0;
      wires += used[wire] ? 1 : 0;
    }
    mean_room_ = capacity / std::max(wires, 1.0);
    double sent = 0;
    for (std::size_t tree = 0; tree < task.bytes.size(); ++tree)
      sent += static_cast<double>(task.bytes[tree]) * static_cast<double>(reach.store_count() - 1) *
              (task.both_ways ? 2 : 1);
    usual_ = sent / std::max(capacity, 1.0);
  }

  PackedTrees run() {
    const std::uint64_t round_steps =
        reach_.held.size() * trees_.size() * (task_.both_ways ? 2 : 1);
    std::uint64_t steps = 0;
    PackedTrees best;
    best.busiest = kNever;
    for (int round = 0; round < kTreeRounds && (round < 2 || steps < task_.steps); ++round) {
      squarings_ = 2 + std::min(round / 3, 4);
      top_ = std::max(usual_, busiest());
      for (std::size_t wire = 0; wire < load_.size(); ++wire) price(wire);
      for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
        carry(trees_[tree], -static_cast<double>(task_.bytes[tree]));
        if (!grow(tree)) return {};
        carry(trees_[tree], static_cast<double>(task_.bytes[tree]));
      }
      steps += round_steps;
      if (busiest() >= best.busiest) continue;
      best.busiest = busiest();
      best.routes = routes();
      if (best.busiest <= task_.enough) break;
    }
    return best;
  }

 private:
  struct Range {
    std::uint32_t first = 0, end = 0;
  };
  Range& pair(std::uint32_t from, std::uint32_t to) {
    return pairs_[std::size_t{from} * reach_.store_count() + to];
  }

  void price(std::size_t wire) {
    const double room = static_cast<double>(reach_.room[wire]);
    double power = load_[wire] / room / top_;
    for (int i = 0; i < squarings_; ++i) power *= power;
    cost_[wire] = (0.02 + power) * mean_room_ / room;
  }
  [[nodiscard]] double busiest() const {
    double most = 0;
    for (std::size_t wire = 0; wire < load_.size(); ++wire)
      most = std::max(most, load_[wire] / static_cast<double>(reach_.room[wire]));
    return most;
  }
  void carry(const std::vector<std::uint32_t>& ways, double bytes) {
    for (const std::uint32_t way : ways) {
      for (const Held& held : reach_.held_by(way)) {
        load_[held.wire] += bytes;
        price(held.wire);
      }
    }
  }
  [[nodiscard]] Routes routes() const {
    Routes all;
    all.first.push_back(0);
    for (const auto& tree : trees_) {
      all.ways.insert(all.ways.end(), tree.begin(), tree.end());
      all.first.push_back(static_cast<std::uint32_t>(all.ways.size()));
    }
    return all;
  }

  [[nodiscard]] double cost_of(std::uint32_t way) const {
    double cost = 0;
    for (const Held& held : reach_.held_by(way)) cost += cost_[held.wire];
    return cost;
  }
  /// The cheapest way there, and what it costs.
  std::uint32_t cheapest(std::uint32_t from, std::uint32_t to, double& cost) {
    const Range range = pair(from, to);
    std::uint32_t best = kNoWay;
    cost = kNever;
    for (std::uint32_t way = range.first; way < range.end; ++way) {
      const double one = cost_of(way);
      if (one >= cost) continue;
      cost = one;
      best = way;
    }
    return best;
  }

  /// Whom `store`, which is in the tree, reaches more cheaply than others do.
  void offer(std::uint32_t store) {
    const double farther = task_.depth_price * (depth_[store] + 1);
    for (std::uint32_t way = reach_.first_out[store]; way < reach_.first_out[store + 1];) {
      const std::uint32_t to = reach_.to[way];
      way = std::max(way + 1, pair(store, to).end);
      if (in_[to]) continue;
      double there = 0, back = 0;
      const std::uint32_t out = cheapest(store, to, there);
      std::uint32_t home = kNoWay;
      if (task_.both_ways && (home = cheapest(to, store, back)) == kNoWay) continue;
      if (there + back + farther >= key_[to]) continue;
      key_[to] = there + back + farther;
      by_[to] = out;
      back_[to] = home;
    }
  }

  bool grow(std::size_t tree) {
    const std::vector<bool>& wanted = task_.wanted[task_.group[tree]];
    std::fill(key_.begin(), key_.end(), kNever);
    std::fill(in_.begin(), in_.end(), false);
    order_.clear();
    std::size_t lacking = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
    std::uint32_t next = task_.root[tree];
    depth_[next] = 0;
    for (;;) {
      in_[next] = true;
      lacking -= wanted[next] ? 1 : 0;
      if (lacking == 0) break;
      offer(next);
      next = kNoWay;
      for (std::uint32_t store = 0; store < reach_.store_count(); ++store) {
        if (!in_[store] && key_[store] < kNever && (next == kNoWay || key_[store] < key_[next]))
          next = store;
      }
      if (next == kNoWay) return false;
      depth_[next] = depth_[reach_.from[by_[next]]] + 1;
      order_.push_back(next);
    }
    keep_needed(wanted);
    auto& ways = trees_[tree];
    ways.clear();
    if (task_.both_ways) {
      for (std::size_t i = order_.size(); i-- > 0;) ways.push_back(back_[order_[i]]);
    }
    for (const std::uint32_t store : order_) ways.push_back(by_[store]);
    return true;
  }

  /// Without those that hand on to nobody who wants it.
  void keep_needed(const std::vector<bool>& wanted) {
    std::vector<bool> needed = wanted;
    for (std::size_t i = order_.size(); i-- > 0;) {
      if (needed[order_[i]]) needed[reach_.from[by_[order_[i]]]] = true;
    }
    order_.erase(std::remove_if(order_.begin(), order_.end(),
                                [&](std::uint32_t store) { return !needed[store]; }),
                 order_.end());
  }

  const Reach& reach_;
  const TreeTask& task_;
  std::vector<double> load_, cost_;                // by wire
  std::vector<std::vector<std::uint32_t>> trees_;  // ways
  std::vector<Range> pairs_;
  std::vector<double> key_;               // by store: what reaching it costs
  std::vector<std::uint32_t> by_, back_;  // by store: the way from its parent, and to it
  std::vector<std::uint32_t> depth_, order_;
  std::vector<bool> in_;
  double usual_ = 0, top_ = 0, mean_room_ = 1;
  int squarings_ = 2;
};

}  // namespace

PackedTrees packed_trees(const Reach& reach, const TreeTask& task) {
  return Packer(reach, task).run();
}

}  // namespace orrery::synthesis
