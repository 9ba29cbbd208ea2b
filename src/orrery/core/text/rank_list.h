// SPDX-License-Identifier: Apache-2.0
//
// Sets of ranks in a few words.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace orrery {

/// Ranks without a gap between them.
struct RankRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// "rank 3", "ranks 0-3", "ranks 0, 2, 4, 6"; of more than four pieces the first two and the last:
/// "ranks 0, 8 … 120". `piece` tells those of 0 … pieces-1, ascending; "no ranks" if there is none.
[[nodiscard]] std::string format_ranks(std::uint64_t pieces,
                                       const std::function<RankRange(std::uint64_t)>& piece);

/// The same of a list in any order. A rank that is listed twice counts once.
[[nodiscard]] std::string format_ranks(std::span<const std::uint32_t> ranks);

}  // namespace orrery
