// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/rank_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace orrery {

namespace {

constexpr std::uint64_t kMaxPieces = 4;

std::string words_of(RankRange piece) {
  return piece.first == piece.last ? fmt::format("{}", piece.first)
                                   : fmt::format("{}-{}", piece.first, piece.last);
}

}  // namespace

std::string format_ranks(std::uint64_t pieces,
                         const std::function<RankRange(std::uint64_t)>& piece) {
  if (pieces == 0) return "no ranks";
  const RankRange first = piece(0);
  std::string text = pieces == 1 && first.first == first.last ? "rank " : "ranks ";
  text += words_of(first);
  const bool all = pieces <= kMaxPieces;
  for (std::uint64_t i = 1; i < (all ? pieces : 2); ++i) text += ", " + words_of(piece(i));
  return all ? text : text + " … " + words_of(piece(pieces - 1));
}

std::string format_ranks(std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> sorted(ranks.begin(), ranks.end());
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  std::vector<RankRange> pieces;
  for (const std::uint32_t rank : sorted) {
    if (!pieces.empty() && rank - pieces.back().last <= 1) {
      pieces.back().last = rank;
    } else {
      pieces.push_back({rank, rank});
    }
  }
  return format_ranks(pieces.size(), [&](std::uint64_t i) { return pieces[i]; });
}

}  // namespace orrery
