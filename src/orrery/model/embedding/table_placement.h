// SPDX-License-Identifier: Apache-2.0
//
// The placement of embedding tables, or parts of them, on devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::model {

/// A table or a part of one, which is placed on one device.
struct TablePart {
  double us = 0;         ///< time of its lookup and its gradient in a step
  double bytes = 0;      ///< size in memory
  double exchanged = 0;  ///< bytes that its device sends to each other device in a pass
  // Inputs of greedy sharders
  double rows = 0, features = 0, pooling = 0;
};

struct PlacementTask {
  std::vector<TablePart> parts;
  std::uint32_t devices = 1;
  double memory = 0;            ///< bytes of a device for tables; 0: no limit
  std::uint32_t max_parts = 0;  ///< maximum number of parts on a device; 0: no limit
  double link = 0;  ///< bytes/us of a device's links in one direction; 0: exchanges cost nothing
  double latency_us = 0;  ///< of an exchange
};

/// The device of each part.
using Placement = std::vector<std::uint32_t>;

/// The cost of a placement in a step: the time of the slowest device, and two all-to-all exchanges
/// (pooled rows forward, their gradients backward).
struct PlacementCost {
  double lookup_us = 0, exchange_us = 0;
  [[nodiscard]] double us() const { return lookup_us + exchange_us; }
};

/// The cost of a placement. The device that sends or receives most determines the time of an
/// exchange: if each device sends s bytes to each other, the maximum of all s (n-1) and Σs - s.
/// Source: Lin et al. (TPDS 2024) section 4.1, the rule with the lowest measured error (5.31 %).
[[nodiscard]] PlacementCost cost_of(const PlacementTask& task, const Placement& placement);
[[nodiscard]] bool fits(const PlacementTask& task, const Placement& placement);

/// A lower bound of the cost of all placements. The slowest device needs at least the mean of all
/// devices and the time of the longest part, and no exchange is faster than an even one.
[[nodiscard]] double lower_bound_us(const PlacementTask& task);

/// The six sharders of Lin et al. (TPDS 2024, after AutoShard, KDD 2022). naive: parts in order,
/// round-robin. random: random devices. The greedy ones place the heaviest part first on the device
/// with the lowest load; the weights are rows × features, features × pooling, features × pooling ×
/// log(rows), and rows × features × pooling.
enum class Sharder : std::uint8_t {
  naive,
  random,
  size_greedy,
  lookup_greedy,
  norm_lookup_greedy,
  size_lookup_greedy
};
inline constexpr std::uint32_t kSharders = 6;
[[nodiscard]] std::string_view name(Sharder sharder);

/// Places parts by a sharder, which skips devices without room. Empty: a part fits on no device.
[[nodiscard]] std::optional<Placement> place_with(Sharder sharder, const PlacementTask& task,
                                                  std::uint64_t seed);

/// Local search for a placement. It starts from the best of the six sharders and of two more greedy
/// ones (weights: time, bytes). It moves parts to other devices and swaps pairs as long as the cost
/// falls. Then it repeats this after moving a few random parts, up to 200 times or until the lower
/// bound is reached. Empty: no start fits. Equal seeds give equal placements. O(rounds × parts²)
[[nodiscard]] std::optional<Placement> search_placement(const PlacementTask& task,
                                                        std::uint64_t seed);

}  // namespace orrery::model
