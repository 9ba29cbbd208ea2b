// SPDX-License-Identifier: Apache-2.0
//
// A lower bound of the time of a collective for all orders in which chunks visit the dimensions,
// and the mixture of orders that reaches it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::model {

/// Minimum duration of a phase: `fixed` + `per_byte` × the bytes that leave a rank. Picoseconds.
struct PhaseCost {
  double fixed = 0;
  double per_byte = 0;

  friend bool operator==(const PhaseCost&, const PhaseCost&) = default;
};

/// A dimension that chunks visit.
struct ChunkDim {
  std::uint32_t size = 2;  ///< ranks along it, two or more
  double servers = 1;      ///< number of concurrent phases
  PhaseCost scatter, gather;

  friend bool operator==(const ChunkDim&, const ChunkDim&) = default;
};

/// Maximum number of dimensions, because the bound evaluates all their subsets.
inline constexpr std::size_t kMaxOrderedDims = 8;

/// Whether the bytes of the collective depend on the order of dimensions: all-reduce,
/// reduce-scatter, all-gather.
[[nodiscard]] bool has_chunk_order(graph::CollectiveType type);

struct ChunkBound {
  Time time{};
  /// The dimensions whose work determines the bound. Empty: the path of one chunk determines it.
  std::vector<std::uint8_t> dims;
};

/// A lower bound of the time in which `whole` bytes (graph::full_buffer) pass `dims`, for all
/// mixtures of orders, in `chunks` chunks (0: any number). Empty for other types, without
/// dimensions, and beyond kMaxOrderedDims. O(2^dims × dims log dims).
///
/// Among n ranks, the dimensions S that a reduce-scatter visits last, with p(S) ranks, move
/// f(S) = whole/n × (p(S) - 1) bytes; in any other order they move at least as much. f is
/// supermodular, and orders are the vertices of its base polytope. So the linear program over
/// fractions of orders, minimize max work/servers, has the optimum max over sets S of f(S) / (sum
/// of rates in S) (Edmonds, "Submodular functions, matroids, and certain polyhedra", 1970). An
/// all-gather is a reduce-scatter in reverse, an all-reduce is both. If the costs of scatter and
/// gather differ, sets are weighted by their mean; the result may be below the optimum, never
/// above. Source of the program: Themis (ISCA 2022, arXiv 2110.04478) section 4, which balances the
/// same loads.
[[nodiscard]] std::optional<ChunkBound> chunk_bound(graph::CollectiveType type, std::int64_t whole,
                                                    std::span<const ChunkDim> dims,
                                                    std::int64_t chunks = 0);

/// The share of the bytes that visits dimensions in this order (of a reduce-scatter; an all-gather
/// uses the reverse order).
struct OrderShare {
  std::vector<std::uint8_t> order;
  double share = 0;
};

/// A mixture of orders that reaches the bound, with at most as many orders as dimensions; largest
/// share first. It also balances the work of the dimensions that do not determine the bound. Needs
/// two to kMaxOrderedDims dimensions. `chunks`: number of chunks that each cost `fixed`.
/// O(2^dims × dims²).
[[nodiscard]] std::vector<OrderShare> best_order_mixture(std::int64_t whole,
                                                         std::span<const ChunkDim> dims,
                                                         std::int64_t chunks);

}  // namespace orrery::model
