// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/json_outline.h"

#include "orrery/trace/json/scan.h"

namespace orrery::trace {
namespace {

constexpr std::size_t kKeys = 256;
constexpr std::size_t kKeyBytes = 64;

}  // namespace

Outline outline_of(std::string_view head) {
  Outline outline;
  if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
  const std::size_t at = json::skip_space(head);
  if (at == head.size() || (head[at] != '{' && head[at] != '[')) return outline;
  outline.is_array = head[at] == '[';
  const std::size_t inside = json::skip_space(head, at + 1);
  const char next = inside < head.size() ? head[inside] : ' ';
  outline.is_json = outline.is_array ? next == '{' || next == ']' : next == '"' || next == '}';
  if (!outline.is_json) return outline;
  const std::uint64_t wanted = outline.is_array ? 2 : 1;
  json::KeyIterator keys(head);
  while (outline.keys.size() < kKeys && keys.next()) {
    if (keys.depth() == wanted && keys.key().size() <= kKeyBytes && !outline.has(keys.key()))
      outline.keys.emplace_back(keys.key());
  }
  return outline;
}

}  // namespace orrery::trace
