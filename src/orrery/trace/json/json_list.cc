// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/json_list.h"

#include <algorithm>

#include "orrery/trace/json/scan.h"

namespace orrery::trace::json {
namespace {

/// Calls `element(begin, end)` for each element of a list until it returns false.
template <class Fn>
void for_each(std::string_view list, Fn&& element) {
  list = trim(list);
  if (list.size() < 2 || list.front() != '[') return;
  std::size_t begin = 1;
  int depth = 0;
  for (std::size_t at = 1; at < list.size();) {
    const char c = list[at];
    if (c == '"') {
      at = string_end(list, at);
      continue;
    }
    const bool ends = depth == 0 && (c == ',' || c == ']');
    if (ends && (!trim(list.substr(begin, at - begin)).empty() || c == ',')) {
      if (!element(begin, at)) return;
      begin = at + 1;
    }
    if (ends && c == ']') return;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    ++at;
  }
}

}  // namespace

bool has_spaces(std::string_view json) {
  // Most lists contain no such byte, not even in strings: the compiler vectorizes this loop.
  unsigned char lowest = 0xFF;
  for (const char c : json) lowest = std::min(lowest, static_cast<unsigned char>(c));
  if (lowest > ' ') return false;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      at = string_end(json, at);
    } else if (is_space(json[at++])) {
      return true;
    }
  }
  return false;
}

void append_compact(std::string& out, std::string_view json) {
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const std::size_t end = string_end(json, at);
      out.append(json.substr(at, end - at));
      at = end;
      continue;
    }
    if (!is_space(json[at])) out += json[at];
    ++at;
  }
}

std::vector<std::string_view> elements_of(std::string_view list, std::size_t most) {
  list = trim(list);
  std::vector<std::string_view> elements;
  for_each(list, [&](std::size_t begin, std::size_t end) {
    elements.push_back(trim(list.substr(begin, end - begin)));
    return elements.size() < most;
  });
  return elements;
}

std::string cut_list(std::string_view list, std::size_t limit) {
  list = trim(list);
  std::size_t retained = 0;  // end of the last element that fits
  for_each(list, [&](std::size_t, std::size_t end) {
    if (end + 1 > limit) return false;
    retained = end;
    return true;
  });
  std::string cut(list.substr(0, retained));
  if (cut.empty()) cut = "[";
  return cut += ']';
}

}  // namespace orrery::trace::json
