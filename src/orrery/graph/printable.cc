// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/printable.h"

namespace orrery::graph {

std::string printable(std::string_view text, std::size_t limit) {
  std::size_t length = text.size();
  if (length > limit) {
    length = limit;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  }
  std::string out;
  out.reserve(length + 3);
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  if (length < text.size()) out += "…";
  return out;
}

}  // namespace orrery::graph
