// SPDX-License-Identifier: Apache-2.0
#include "rank_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orrery::app {

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
      return fail(Errc::usage, "--ranks", fmt::format("'{}' is no rank or range", item),
                  "write it like 0,3-5");
    list.emplace_back(low, high);
  }
  return list;
}

}  // namespace orrery::app
