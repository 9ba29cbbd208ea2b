// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace orrery::trace::operators {
namespace {

using graph::Format;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 50;
constexpr int kMaxLevels = 8;

bool begins_number(char c) { return (c >= '0' && c <= '9') || c == '-'; }

/// Format of the type of one tensor.
Format format_of_tensor(std::string_view word) {
  const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
  // Not the type of a tensor, or a name that contains the name of another format.
  for (const std::string_view other : {"Scalar", "omplex", "Float4", "qint", "quint", "short"})
    if (has(other)) return Format::unsaid;
  constexpr std::array<std::pair<std::string_view, Format>, 13> kTypes = {{
      {"BFloat16", Format::bf16},
      {"Half", Format::fp16},
      {"Float8", Format::fp8},
      {"float", Format::fp32},
      {"double", Format::fp64},
      {"long", Format::int64},
      {"int64", Format::int64},
      {"char", Format::int8},
      {"bool", Format::int8},
      {"int", Format::int32},
      {"Float", Format::fp32},
      {"Double", Format::fp64},
      {"Byte", Format::int8},
  }};
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) { return has(type.first); });
  return found == kTypes.end() ? Format::unsaid : found->second;
}

/// Entry `wanted` of a list without its quotes; empty if there is none. JSON and Python use
/// different quotes.
std::string_view entry_of(std::string_view list, std::size_t wanted) {
  if (list.empty() || list.front() != '[') return {};
  std::size_t entry = 0, first = 1;
  int depth = 1;
  char quote = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    if (entry++ == wanted) {
      std::string_view found = list.substr(first, i - first);
      while (!found.empty() && found.front() == ' ') found.remove_prefix(1);
      while (!found.empty() && found.back() == ' ') found.remove_suffix(1);
      const bool quoted = found.size() >= 2 && (found.front() == '"' || found.front() == '\'');
      return quoted ? found.substr(1, found.size() - 2) : found;
    }
    if (depth == 0) return {};
    first = i + 1;
  }
  return {};
}

/// Removes and returns one integer, true or false at the front of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
  for (const auto& [word, value] : {std::pair<std::string_view, std::int64_t>{"true", 1},
                                    {"True", 1},
                                    {"false", 0},
                                    {"False", 0}}) {
    if (text.substr(0, word.size()) != word) continue;
    text.remove_prefix(word.size());
    return value;
  }
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.empty() && text.front() != ',' && text.front() != ']' && text.front() != ' ')
    return std::nullopt;  // 0.5, 1e-5
  return value;
}

}  // namespace

std::int64_t count_of(std::span<const std::int64_t> shape) {
  if (shape.empty()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size <= 0 || size > kMaxElements / count) return 0;
    count *= size;
  }
  return count;
}

Format format_of_type(std::string_view type) {
  const std::size_t open = type.find("List[");
  if (open == std::string_view::npos) return format_of_tensor(type);
  std::optional<Format> all;
  type = type.substr(open + 5);
  while (!type.empty()) {
    const std::string_view word = type.substr(0, type.find(','));
    type.remove_prefix(std::min(word.size() + 1, type.size()));
    const Format format = format_of_tensor(word);
    if (all && *all != format) return Format::unsaid;
    all = format;
  }
  return all.value_or(Format::unsaid);
}

std::optional<Arguments> Arguments::read(const ArgumentTexts& texts) {
  Arguments out;
  out.values_ = texts.values;
  int depth = 0;
  const char* at = texts.shapes.data();
  const char* const end = at + texts.shapes.size();
  while (at != end) {
    const char c = *at;
    if (c == '[') {
      if (++depth > kMaxLevels) return std::nullopt;
      if (depth == 2) out.arguments_.emplace_back().shapes.emplace_back();
      if (depth == 3) {
        Argument& list = out.arguments_.back();
        if (std::exchange(list.is_list, true)) {
          list.shapes.emplace_back();
        } else if (!list.shapes.back().empty()) {
          return std::nullopt;
        }
      }
    } else if (c == ']') {
      if (--depth < 0) return std::nullopt;
    } else if (begins_number(c)) {
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(at, end, value);
      if (error != std::errc() || depth < 2) return std::nullopt;
      const bool is_size = (depth == 3) == out.arguments_.back().is_list && depth <= 3;
      if (is_size) out.arguments_.back().shapes.back().push_back(value);
      at = stop;
      continue;
    } else if (c != ',' && c != ' ') {
      return std::nullopt;
    }
    ++at;
  }
  if (depth != 0) return std::nullopt;
  out.read_formats(texts.types);
  return out;
}

void Arguments::read_formats(std::string_view types) {
  for (Argument& argument : arguments_) {
    const std::size_t open = types.find_first_of("\"'");
    if (open == std::string_view::npos) return;
    const std::size_t close = types.find(types[open], open + 1);
    if (close == std::string_view::npos) return;
    argument.format = format_of_type(types.substr(open + 1, close - open - 1));
    types.remove_prefix(close + 1);
  }
}

const TensorShape& Arguments::shape(std::size_t i) const {
  static const TensorShape kNone;
  return i < arguments_.size() && !arguments_[i].is_list ? arguments_[i].shapes.front() : kNone;
}

Format Arguments::format(std::size_t i) const {
  return i < arguments_.size() ? arguments_[i].format : Format::unsaid;
}

std::int64_t Arguments::elements(std::size_t i) const {
  if (i >= arguments_.size()) return 0;
  std::int64_t sum = 0;
  for (const TensorShape& shape : arguments_[i].shapes) {
    const std::int64_t count = count_of(shape);
    if (count > kMaxElements - sum) return 0;
    sum += count;
  }
  return sum;
}

std::int64_t Arguments::bytes(std::size_t i) const {
  return elements(i) * graph::bits_of(format(i)) / 8;
}

std::vector<std::int64_t> Arguments::numbers(std::size_t i) const {
  std::string_view text = entry_of(values_, i);
  const bool list = !text.empty() && text.front() == '[';
  if (list) text.remove_prefix(1);
  std::vector<std::int64_t> numbers;
  while (!text.empty() && text.front() != ']') {
    if (text.front() == ',' || text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    const auto number = take_number(text);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

bool Arguments::is_set(std::size_t i) const {
  const std::vector<std::int64_t> value = numbers(i);
  return value.size() == 1 && value.front() != 0;
}

}  // namespace orrery::trace::operators
