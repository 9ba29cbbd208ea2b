// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace orrery::bench {

/// Whether `pattern` stands for the name; '*' at its end matches any suffix.
[[nodiscard]] inline bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace orrery::bench
