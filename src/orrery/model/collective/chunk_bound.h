// SPDX-License-Identifier: Apache-2.0
//
// Below what time no order of chunks over the dimensions is, and which mixture of orders comes to
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::model {

/// What a phase takes at least: `fixed` + `per_byte` × the bytes that leave a rank. Picoseconds.
struct PhaseCost {
  double fixed = 0;
  double per_byte = 0;

  friend bool operator==(const PhaseCost&, const PhaseCost&) = default;
};

/// A dimension as chunks see it.
struct ChunkDim {
  std::uint32_t size = 2;  ///< ranks along it, two or more
  double servers = 1;      ///< phases that run at a time
  PhaseCost scatter, gather;

  friend bool operator==(const ChunkDim&, const ChunkDim&) = default;
};

/// More dimensions would have more sets than are looked at.
inline constexpr std::size_t kMaxOrderedDims = 8;

/// All-reduce, reduce-scatter, all-gather: those whose bytes depend on the order of dimensions.
[[nodiscard]] bool has_chunk_order(graph::CollectiveType type);

struct ChunkBound {
  Time time{};
  std::vector<std::uint8_t> dims;  ///< whose work binds; empty: the way of a chunk through all does
};

/// The least time in which any mixture of orders takes `whole` bytes (graph::full_buffer) through
/// `dims`, in so many chunks; 0: in any number. Empty for other types, without dimensions, and
/// beyond kMaxOrderedDims. O(2^dims × dims log dims).
///
/// Of n ranks a reduce-scatter's order has its last dimensions S, of p(S) ranks, move
/// f(S) = whole/n × (p(S) - 1) bytes, and any order has them move that much at least. f is
/// supermodular and orders are the vertices of its base polytope, so that the linear program over
/// fractions of orders, minimise max work/servers, has the optimum max over sets S of f(S) / (sum
/// of rates in S) (Edmonds, "Submodular functions, matroids, and certain polyhedra", 1970). An
/// all-gather is the same from behind, an all-reduce both. Where scatter and gather do not cost the
/// same, sets are weighed by their mean: below the optimum, never above. Source of the program:
/// Themis (ISCA 2022, arXiv 2110.04478) section 4 balances what it balances.
[[nodiscard]] std::optional<ChunkBound> chunk_bound(graph::CollectiveType type, std::int64_t whole,
                                                    std::span<const ChunkDim> dims,
                                                    std::int64_t chunks = 0);

/// So much of the bytes takes this order (of a reduce-scatter; an all-gather takes it from behind).
struct OrderShare {
  std::vector<std::uint8_t> order;
  double share = 0;
};

/// A mixture of at most as many orders as dimensions that comes to the bound, and beyond the
/// dimensions that bind levels the others' work, too; largest share first. Two dimensions or more,
/// up to kMaxOrderedDims. `chunks`: over which `fixed` is charged. O(2^dims × dims²).
[[nodiscard]] std::vector<OrderShare> best_order_mixture(std::int64_t whole,
                                                         std::span<const ChunkDim> dims,
                                                         std::int64_t chunks);

}  // namespace orrery::model
