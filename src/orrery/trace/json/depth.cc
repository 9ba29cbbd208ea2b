// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/depth.h"

#include <cstddef>

namespace orrery::trace::json {

bool nests_deeper(std::string_view text, int most) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      if (++depth > most) return true;
    } else if (!in_string && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return false;
}

}  // namespace orrery::trace::json
