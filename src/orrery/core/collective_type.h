// SPDX-License-Identifier: Apache-2.0
//
// The types of collectives and their names, once for all rooms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery {

/// In Chakra's numbering. `unknown`: any number that the schema does not define.
enum class CollectiveType : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier,
  unknown
};

/// In the order of CollectiveType.
inline constexpr std::array<std::string_view, 11> kCollectiveNames{
    "all_reduce", "reduce",         "all_gather",           "gather",  "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier", "unknown"};
static_assert(kCollectiveNames.size() == static_cast<std::size_t>(CollectiveType::unknown) + 1);

/// "all_reduce", "all_to_all" …
[[nodiscard]] constexpr std::string_view name(CollectiveType type) {
  return kCollectiveNames[static_cast<std::size_t>(type)];
}
/// The type with this name, as name() spells it, including "unknown"; none for other names.
[[nodiscard]] constexpr std::optional<CollectiveType> collective_type(std::string_view name) {
  for (std::size_t i = 0; i < kCollectiveNames.size(); ++i)
    if (kCollectiveNames[i] == name) return static_cast<CollectiveType>(i);
  return std::nullopt;
}
/// Whether one rank sends the same bytes to all, or receives the sum of all.
[[nodiscard]] constexpr bool is_broadcast_or_reduce(CollectiveType type) {
  return type == CollectiveType::broadcast || type == CollectiveType::reduce;
}

/// The ratio of bus bandwidth to algorithm bandwidth for n ranks. Source: nccl-tests,
/// doc/PERFORMANCE.md.
enum class BusFactor : std::uint8_t {
  twice,  ///< 2(n-1)/n
  once,   ///< (n-1)/n
  one     ///< 1
};
[[nodiscard]] constexpr BusFactor bus_factor(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
      return BusFactor::twice;
    case CollectiveType::all_gather:
    case CollectiveType::all_to_all:
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
      return BusFactor::once;
    default:
      return BusFactor::one;
  }
}
/// The ratio for `ranks` ranks, at least 1.
[[nodiscard]] constexpr double bus_factor(CollectiveType type, double ranks) {
  const BusFactor factor = bus_factor(type);
  return factor == BusFactor::one ? 1 : (factor == BusFactor::twice ? 2 : 1) * (ranks - 1) / ranks;
}

}  // namespace orrery
