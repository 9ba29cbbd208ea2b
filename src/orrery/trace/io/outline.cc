// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/outline.h"

#include "orrery/trace/io/json_space.h"

namespace orrery::trace {
namespace {

using json::is_space;

constexpr std::size_t kKeys = 256;
constexpr std::size_t kKeyBytes = 64;

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

/// `at` is behind the opening quote; the result is at the closing one, or at the end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

}  // namespace

Outline outline_of(std::string_view head) {
  Outline outline;
  if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
  std::size_t at = skip_space(head, 0);
  if (at == head.size() || (head[at] != '{' && head[at] != '[')) return outline;
  outline.array = head[at] == '[';
  const std::size_t inside = skip_space(head, at + 1);
  const char next = inside < head.size() ? head[inside] : ' ';
  outline.json = outline.array ? next == '{' || next == ']' : next == '"' || next == '}';
  if (!outline.json) return outline;
  const std::size_t wanted = outline.array ? 2 : 1;
  for (std::size_t depth = 0; at < head.size() && outline.keys.size() < kKeys; ++at) {
    const char c = head[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c != '"') continue;
    const std::size_t begin = at + 1;
    at = end_of_string(head, begin);
    if (depth != wanted || at - begin > kKeyBytes) continue;
    const std::size_t colon = skip_space(head, at + 1);
    if (colon >= head.size() || head[colon] != ':') continue;
    const std::string_view key = head.substr(begin, at - begin);
    if (!outline.has(key)) outline.keys.emplace_back(key);
  }
  return outline;
}

}  // namespace orrery::trace
