// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/json_text.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "orrery/trace/io/json_space.h"
#include "orrery/trace/json/decimal.h"

namespace orrery::trace::pytorch {
namespace {

using json::is_space;

/// The place after the string that begins at `at` (a quote), or the end.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

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
      at = skip_string(list, at);
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

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool has_spaces(std::string_view json) {
  // Most lists have none at all, not even in strings: a loop over whole registers.
  unsigned char lowest = 0xFF;
  for (const char c : json) lowest = std::min(lowest, static_cast<unsigned char>(c));
  if (lowest > ' ') return false;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      at = skip_string(json, at);
    } else if (is_space(json[at++])) {
      return true;
    }
  }
  return false;
}

void append_compact(std::string& out, std::string_view json) {
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const std::size_t end = skip_string(json, at);
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
  std::size_t kept = 0;  // the end of the last element that fits
  for_each(list, [&](std::size_t, std::size_t end) {
    if (end + 1 > limit) return false;
    kept = end;
    return true;
  });
  std::string cut(list.substr(0, kept));
  if (cut.empty()) cut = "[";
  return cut += ']';
}

std::optional<std::int64_t> integer(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  return json::fixed_point(text, 0);
}

std::string string_value(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return {};
  if (text.find('\\') == std::string_view::npos)
    return std::string(text.substr(1, text.size() - 2));
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  return parsed.is_string() ? parsed.get<std::string>() : std::string{};
}

}  // namespace orrery::trace::pytorch
