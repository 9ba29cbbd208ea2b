// SPDX-License-Identifier: Apache-2.0
//
// Searches the orders in which a collective's chunks visit the dimensions, starting from known good
// orders.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/model/collective/chunk_bound.h"
#include "orrery/model/collective/chunk_model.h"

namespace orrery::model {

using DimOrder = std::vector<std::uint8_t>;  ///< dimensions, first to last

/// The paths of chunks that visit dimensions in `order`: of full chunks, and of the last chunk.
struct OrderPaths {
  DimOrder order;
  ChunkPath full, last;
};

/// The order of each chunk.
struct ChunkSchedule {
  std::string_view method;            ///< origin: "themis", "search" …
  std::vector<std::uint16_t> orders;  ///< by chunk: index in a list of OrderPaths
  std::int64_t time = 0;              ///< predicted by ChunkModel, picoseconds
};

/// Evaluates schedules and stores the fastest; of equally fast ones the first.
class ChunkSearch {
 public:
  /// `paths`: all orders that schedules may use; they must outlive this object. `chunks`: number of
  /// chunks of a schedule.
  ChunkSearch(const ChunkRules& rules, std::span<const OrderPaths> paths, std::size_t chunks);

  void consider(std::string_view method, std::vector<std::uint16_t> orders);
  /// Local search from the fastest schedule. A step changes the order of one chunk, swaps two
  /// chunks, or moves one, if the result is not slower. Ends after `steps` simulated phases, or
  /// when the best time is at most `enough`. Equal seeds give equal steps.
  void improve(std::uint64_t seed, std::uint64_t steps, std::int64_t target);

  [[nodiscard]] const ChunkSchedule& best() const { return best_; }

 private:
  [[nodiscard]] std::int64_t time_of(std::span<const std::uint16_t> orders);

  std::span<const OrderPaths> paths_;
  ChunkModel model_;
  std::vector<const ChunkPath*> chosen_;  // scratch of time_of
  std::size_t chunks_;
  ChunkSchedule best_;
};

/// Orders of `dims` dimensions: the natural one and its rotations first, then all others in
/// lexicographic order, up to kMaxOrders.
[[nodiscard]] std::vector<DimOrder> orders_of(std::size_t dims);
inline constexpr std::size_t kMaxOrders = 120;

/// The order of each chunk, as an index in `mixture`: each chunk uses the order that is furthest
/// behind its share. Source: deficit round-robin (Shreedhar and Varghese, SIGCOMM 1995) with chunks
/// as packets.
[[nodiscard]] std::vector<std::size_t> round_mixture(std::span<const OrderShare> mixture,
                                                     std::size_t chunks);

}  // namespace orrery::model
