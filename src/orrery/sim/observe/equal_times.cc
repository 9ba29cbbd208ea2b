// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/equal_times.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery::sim {

namespace {

std::uint64_t difference(const NodeTimes& a, const NodeTimes& b) {
  return static_cast<std::uint64_t>((a.start ^ b.start) | (a.end ^ b.end)) |
         (a.released_by ^ b.released_by);
}

std::uint64_t add_to_hash(std::uint64_t hash, const NodeTimes& times) {
  hash ^= static_cast<std::uint64_t>(times.end) + (std::uint64_t{times.released_by} << 40);
  return hash * 0x9e3779b97f4a7c15u;  // digits of the golden ratio
}

/// Ranks with one graph whose nodes alternate, divided into sets of ranks with equal times. Starts
/// with one set, and divides it node by node.
class Tile {
 public:
  Tile(const NodeTimes* times, std::vector<std::uint32_t> ranks)
      : times_(times), ranks_(std::move(ranks)), hashes_(ranks_.size()) {
    firsts_.push_back(0);
    for (std::uint32_t i = 1; i < ranks_.size(); ++i) pairs_.push_back({i, 0});
  }

  void compare(std::uint32_t nodes, std::size_t step) {
    const NodeTimes* row = times_;
    for (std::uint32_t node = 0; node < nodes; ++node, row += step) {
      std::uint64_t differ = 0;
      for (const auto& [one, first] : pairs_) differ |= difference(row[one], row[first]);
      if (differ != 0) divide(row);
      for (const std::uint32_t first : firsts_)
        hashes_[first] = add_to_hash(hashes_[first], row[first]);
    }
  }

  /// Calls `use(rank, hash of its times)` for the first rank of each set, ascending, and sets
  /// `first_of` of the others to it.
  template <class Use>
  void report(std::vector<std::uint32_t>& first_of, const Use& use) const {
    std::vector<bool> is_first(ranks_.size());
    for (const std::uint32_t first : firsts_) is_first[first] = true;
    for (std::uint32_t i = 0; i < ranks_.size(); ++i)
      if (is_first[i]) use(ranks_[i], hashes_[i]);
    for (const auto& [one, first] : pairs_) first_of[ranks_[one]] = first_of[ranks_[first]];
  }

 private:
  // A rank that differs from the first of its set joins a set that this node has made, or is the
  // first of a new one.
  void divide(const NodeTimes* row) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        made;  // first of a new set, of its old one
    std::vector<std::pair<std::uint32_t, std::uint32_t>> left;
    for (const auto& [one, first] : pairs_) {
      std::uint32_t now = difference(row[one], row[first]) == 0 ? first : one;
      for (std::size_t i = 0; now == one && i < made.size(); ++i)
        if (made[i].second == first && difference(row[one], row[made[i].first]) == 0)
          now = made[i].first;
      if (now != one) {
        left.emplace_back(one, now);
        continue;
      }
      made.emplace_back(one, first);
      firsts_.push_back(one);
      hashes_[one] = hashes_[first];
    }
    pairs_ = std::move(left);
  }

  const NodeTimes* times_;
  std::vector<std::uint32_t> ranks_;   // by place in the tile
  std::vector<std::uint64_t> hashes_;  // by place, of the first of each set
  std::vector<std::uint32_t> firsts_;  // places of the first of each set
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // places: any other, its first
};

/// Finds equal ranks of different tiles among the first ranks of their sets.
class TileComparison {
 public:
  TileComparison(const std::vector<const graph::Graph*>& graphs, const NodeLayout& layout,
                 const std::vector<NodeTimes>& times)
      : graphs_(graphs), layout_(layout), times_(times), first_of_(graphs.size()) {}

  std::vector<std::uint32_t> find() && {
    std::unordered_map<const graph::Graph*, std::vector<std::uint32_t>> open;
    for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
      std::vector<std::uint32_t>& ranks = open[graphs_[rank]];
      ranks.push_back(rank);
      if (ranks.size() == layout_.step(rank)) compare(std::exchange(ranks, {}));
    }
    return std::move(first_of_);
  }

 private:
  void compare(std::vector<std::uint32_t> ranks) {
    const std::uint32_t one = ranks.front();
    const graph::Graph& graph = *graphs_[one];
    Tile tile(times_.data() + layout_.index(one, 0), std::move(ranks));
    tile.compare(graph.size(), layout_.step(one));
    tile.report(first_of_, [&](std::uint32_t rank, std::uint64_t hash) {
      std::vector<std::uint32_t>& known = known_[{&graph, hash}];
      const auto equal = std::find_if(known.begin(), known.end(),
                                      [&](std::uint32_t other) { return are_equal(other, rank); });
      first_of_[rank] = equal == known.end() ? rank : *equal;
      if (equal == known.end()) known.push_back(rank);
    });
  }

  [[nodiscard]] bool are_equal(std::uint32_t a, std::uint32_t b) const {
    const auto x = layout_.of(a, times_.data()), y = layout_.of(b, times_.data());
    for (graph::NodeId node = 0; node < graphs_[a]->size(); ++node)
      if (difference(x[node], y[node]) != 0) return false;
    return true;
  }

  const std::vector<const graph::Graph*>& graphs_;
  const NodeLayout& layout_;
  const std::vector<NodeTimes>& times_;
  std::vector<std::uint32_t> first_of_;  // by rank
  std::map<std::pair<const graph::Graph*, std::uint64_t>, std::vector<std::uint32_t>>
      known_;  // by graph and hash: ranks with different times
};

}  // namespace

std::vector<std::uint32_t> find_equal_times(const std::vector<const graph::Graph*>& graphs,
                                            const NodeLayout& layout,
                                            const std::vector<NodeTimes>& times) {
  return TileComparison(graphs, layout, times).find();
}

}  // namespace orrery::sim
