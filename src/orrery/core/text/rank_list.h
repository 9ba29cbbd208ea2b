// SPDX-License-Identifier: Apache-2.0
//
// Formats sets of ranks in a few words.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace orrery {

/// Consecutive ranks.
struct RankRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// "rank 3", "ranks 0-3", "ranks 0, 2, 4, 6"; for more than four ranges the first two and the last:
/// "ranks 0, 8 … 120". `piece` returns range 0 … pieces-1, ascending. No range: "no ranks".
[[nodiscard]] std::string format_ranks(std::uint64_t pieces,
                                       const std::function<RankRange(std::uint64_t)>& piece);

/// The same for a list in any order. Duplicates count once.
[[nodiscard]] std::string format_ranks(std::span<const std::uint32_t> ranks);

}  // namespace orrery
