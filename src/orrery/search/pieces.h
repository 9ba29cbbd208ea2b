// SPDX-License-Identifier: Apache-2.0
//
// Lists as people type them.
#pragma once

#include <string_view>
#include <vector>

namespace orrery::search {

/// "8", "2" of "8,2"; an empty text has one, which is empty.
[[nodiscard]] inline std::vector<std::string_view> pieces(std::string_view list) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t comma = list.find(',');
    found.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return found;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace orrery::search
