// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/options/rank_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "orrery/core/limits.h"

namespace orrery::commands {

Result<std::vector<std::pair<std::uint32_t, std::uint32_t>>> parse_ranks(std::string_view text) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    std::uint32_t low = 0;
    const char* const end = item.data() + item.size();
    std::from_chars_result parsed = std::from_chars(item.data(), end, low);
    std::uint32_t high = low;
    if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-')
      parsed = std::from_chars(parsed.ptr + 1, end, high);
    if (parsed.ec != std::errc{} || parsed.ptr != end || high < low)
      return fail(Errc::usage, "--ranks", fmt::format("'{}' is not a rank or a range", item),
                  "write it like 0,3-5");
    list.emplace_back(low, high);
  }
  return list;
}

Result<std::vector<std::uint32_t>> listed_ranks(std::string_view text) {
  const auto ranges = parse_ranks(text);
  if (!ranges) return tl::unexpected(ranges.error());
  std::vector<std::uint32_t> ranks;
  for (const auto& [first, last] : *ranges) {
    if (last >= limits::kRanks)
      return fail(Errc::usage, "--ranks",
                  fmt::format("rank {} is above the limit, {}", last, limits::kRanks - 1),
                  "0-7,16");
    for (std::uint32_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace orrery::commands
