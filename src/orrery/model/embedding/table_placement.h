// SPDX-License-Identifier: Apache-2.0
//
// Which device holds which embedding table, or part of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::model {

/// What is placed as a whole.
struct TablePart {
  double us = 0;         ///< looking it up and its gradient, in a step
  double bytes = 0;      ///< it takes in memory
  double exchanged = 0;  ///< bytes that its device sends to each other one in a pass
  // What greedy sharders look at
  double rows = 0, features = 0, pooling = 0;
};

struct PlacementTask {
  std::vector<TablePart> parts;
  std::uint32_t devices = 1;
  double memory = 0;            ///< bytes of a device for tables; 0: no limit
  std::uint32_t max_parts = 0;  ///< a device holds no more; 0: no limit
  double link = 0;  ///< bytes per microsecond of a device's links, one way; 0: exchanges are free
  double latency_us = 0;  ///< of an exchange
};

/// The device of each part.
using Placement = std::vector<std::uint32_t>;

/// What a placement costs in a step: the device that takes longest, and two exchanges of all with
/// all (pooled rows forward, their gradients backward).
struct PlacementCost {
  double lookup_us = 0, exchange_us = 0;
  [[nodiscard]] double us() const { return lookup_us + exchange_us; }
};

/// An exchange takes as long as the device needs that sends or receives most: of what each sends to
/// each other device, s, the most of s (n-1) and of Σs - s. Source: Lin et al. (TPDS 2024) section
/// 4.1, the rule that measured best (5.31 %).
[[nodiscard]] PlacementCost cost_of(const PlacementTask& task, const Placement& placement);
[[nodiscard]] bool fits(const PlacementTask& task, const Placement& placement);

/// No placement costs less: neither the mean of the devices nor the longest part can be beaten by
/// the longest device, nor an even exchange by another one.
[[nodiscard]] double lower_bound_us(const PlacementTask& task);

/// Lin et al.'s six (TPDS 2024, after AutoShard, KDD 2022): parts in order one after another to the
/// devices; by chance; or the heaviest first to the device with least, where what counts is
/// rows × features, features × pooling, that times the logarithm of the rows, or rows × features ×
/// pooling.
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

/// Devices without room are passed over. Empty: some part finds no room this way.
[[nodiscard]] std::optional<Placement> place_with(Sharder sharder, const PlacementTask& task,
                                                  std::uint64_t seed);

/// From the best of the six, and from the longest part first to the device that is done first:
/// parts moved off the longest device and changed against others' as long as that helps; then again
/// from where chance has moved a few, as often as 200 times or until the bound is met. Empty:
/// nothing found fits. The same seed gives the same placement. O(rounds × parts²)
[[nodiscard]] std::optional<Placement> search_placement(const PlacementTask& task,
                                                        std::uint64_t seed);

}  // namespace orrery::model
