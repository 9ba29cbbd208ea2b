// SPDX-License-Identifier: Apache-2.0
//
// The order of values in arrays with one value per node of each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// The values of one rank's nodes.
template <class T>
class RankNodes {
 public:
  RankNodes(T* first, std::size_t step) : first_(first), step_(step) {}
  [[nodiscard]] T& operator[](graph::NodeId node) const { return first_[node * step_]; }
  /// The values of nodes `from` … `to`.
  [[nodiscard]] std::vector<std::remove_const_t<T>> copy(graph::NodeId from,
                                                         graph::NodeId to) const {
    std::vector<std::remove_const_t<T>> values;
    for (graph::NodeId node = from; node <= to; ++node) values.push_back((*this)[node]);
    return values;
  }

 private:
  T* first_;
  std::size_t step_;
};

/// Ranks with the same graph usually run a node at the same time. So up to kTile ranks with one
/// graph form a tile, which stores the values of a node for all of its ranks together: a few cache
/// lines of one page, instead of one line and one page per rank.
class NodeLayout {
 public:
  /// Places the values of ranks, whose graphs are `graphs`. `tile`: the largest number of ranks of
  /// a tile; 1: the values of each rank are consecutive.
  void make(const std::vector<const graph::Graph*>& graphs, std::uint32_t tile = kTile);

  static constexpr std::uint32_t kTile = 64;

  /// The number of values.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t index(std::uint32_t rank, graph::NodeId node) const {
    return ranks_[rank].first + std::size_t{node} * ranks_[rank].step;
  }
  /// The distance of the values of two consecutive nodes.
  [[nodiscard]] std::size_t step(std::uint32_t rank) const { return ranks_[rank].step; }
  template <class T>
  [[nodiscard]] RankNodes<T> of(std::uint32_t rank, T* values) const {
    return {values + ranks_[rank].first, ranks_[rank].step};
  }

 private:
  struct Rank {
    std::size_t first = 0;  ///< index of the value of its first node
    std::size_t step = 1;   ///< from one node to the next
  };
  std::vector<Rank> ranks_;
  std::size_t size_ = 0;
};

}  // namespace orrery::sim
