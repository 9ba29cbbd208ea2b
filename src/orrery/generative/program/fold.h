// SPDX-License-Identifier: Apache-2.0
//
// Repeated parts of a sequence as loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::generative {

/// A sequence of symbols, or what a loop repeats.
struct FoldedItem {
  enum class Kind : std::uint8_t { symbol, loop, end };
  Kind kind = Kind::symbol;
  std::uint32_t value = 0;  ///< the symbol; of a loop, how often it runs (2 or more)
  friend auto operator<=>(const FoldedItem&, const FoldedItem&) = default;
};
using Folded = std::vector<FoldedItem>;

inline constexpr std::uint32_t kMaxPeriod = 512;   ///< symbols of a loop's body
inline constexpr std::uint32_t kMinSaving = 4;     ///< unfolded symbols that a loop saves
inline constexpr std::uint32_t kMaxFoldDepth = 8;  ///< nested loops

/// Replaces adjacent repetitions by loops, shortest bodies first, until none is left. Of several
/// rotations of a body, the leftmost is used. O(length × kMaxPeriod) for each round.
[[nodiscard]] Folded fold(std::span<const std::uint32_t> symbols);

/// The unfolded sequence; empty if loops do not match, nest deeper than kMaxFoldDepth, or if it has
/// more than `limit` symbols.
[[nodiscard]] std::vector<std::uint32_t> unfold(const Folded& folded, std::uint64_t limit);

}  // namespace orrery::generative
