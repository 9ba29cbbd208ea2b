// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/text_lines.h"

#include <algorithm>

namespace orrery {

std::vector<std::string_view> text_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace orrery
