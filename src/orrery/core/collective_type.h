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

/// In Chakra's numbering. `unknown` stands for a number the schema does not have.
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
/// The type of that name, spelled as name() does; of "unknown", too.
[[nodiscard]] constexpr std::optional<CollectiveType> collective_type(std::string_view name) {
  for (std::size_t i = 0; i < kCollectiveNames.size(); ++i)
    if (kCollectiveNames[i] == name) return static_cast<CollectiveType>(i);
  return std::nullopt;
}

}  // namespace orrery
