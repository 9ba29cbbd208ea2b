// SPDX-License-Identifier: Apache-2.0
//
// In which orders a collective's chunks should visit the dimensions: what is known to be good, and
// better by search.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/model/collective/chunk_bound.h"
#include "orrery/model/collective/chunk_model.h"

namespace orrery::model {

using DimOrder = std::vector<std::uint8_t>;  ///< dimensions, first to last

/// The ways of a collective's chunks, by order: those of full ones and that of the last.
struct OrderPaths {
  DimOrder order;
  ChunkPath full, last;
};

/// Orders by chunk, as numbers in a list of ways.
struct ChunkSchedule {
  std::string_view from;  ///< "themis", "search" …
  std::vector<std::uint16_t> orders;
  std::int64_t time = 0;  ///< by the model
};

/// Takes schedules and keeps the quickest, the first of equals.
class ChunkSearch {
 public:
  /// `ways`: of every order that a schedule may name; they outlive it. `chunks`: of a schedule.
  ChunkSearch(const ChunkRules& rules, std::span<const OrderPaths> ways, std::size_t chunks);

  void consider(std::string_view from, std::vector<std::uint16_t> orders);
  /// Steps from the quickest: a chunk takes another order, two change places, one moves. What is as
  /// quick is a step, too. Ends when `steps` phases have been worked out or something is at most
  /// `enough`. Same seed, same steps.
  void improve(std::uint64_t seed, std::uint64_t steps, std::int64_t enough);

  [[nodiscard]] const ChunkSchedule& best() const { return best_; }

 private:
  [[nodiscard]] std::int64_t time_of(std::span<const std::uint16_t> orders);

  std::span<const OrderPaths> ways_;
  ChunkModel model_;
  std::vector<const ChunkPath*> chosen_;  // scratch of time_of
  std::size_t chunks_;
  ChunkSchedule best_;
};

/// Orders of so many dimensions: the natural one and its rotations first, then all others in
/// lexicographic order, up to kMaxOrders.
[[nodiscard]] std::vector<DimOrder> orders_of(std::size_t dims);
inline constexpr std::size_t kMaxOrders = 120;

/// Chunk by chunk the order that is furthest behind its share, as a number in the mixture. Source:
/// deficit round-robin (Shreedhar and Varghese, SIGCOMM 1995) with chunks as packets.
[[nodiscard]] std::vector<std::size_t> round_mixture(std::span<const OrderShare> mixture,
                                                     std::size_t chunks);

}  // namespace orrery::model
