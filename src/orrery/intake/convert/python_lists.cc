// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/python_lists.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "orrery/profile/comm.h"
#include "orrery/profile/tensors.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/json/unescape.h"

namespace orrery::intake {
namespace {

using nlohmann::json;

void append_quoted(std::string& out, std::string_view text) {
  const char quote =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"'
                                                                                            : '\'';
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += quote;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += '\\';
      out += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += quote;
}

bool is_plain(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '\'' || byte < 0x20 || byte == 0x7F) return false;
  }
  return true;
}

bool is_word(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Adds a × b to `sum`; false on overflow.
bool add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

/// Number of elements for `dims`, or -1 if that is not a list of integers.
std::int64_t elements(const json& dims) {
  std::int64_t count = 1;
  for (const json& extent : dims) {
    if (!extent.is_number_integer()) return -1;
    const auto size = extent.get<std::int64_t>();
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return -1;
  }
  return count;
}

}  // namespace

void append_python(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = trace::json::closing_quote(text, at + 1);
      const std::string_view inner = text.substr(at + 1, end - at - 1);
      if (is_plain(inner)) {
        out += '\'';
        out += inner;
        out += '\'';
      } else {
        std::string plain;
        trace::json::unescape(inner, plain);
        append_quoted(out, plain);
      }
      at = end;
    } else if (trace::json::is_space(c)) {
      continue;
    } else if (c == ',' || c == ':') {
      out += c;
      out += ' ';
    } else if (is_word(c) && !(at > 0 && is_digit(text[at - 1]))) {  // excludes 1e-05
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      out += word == "true" ? "True" : word == "false" ? "False" : word == "null" ? "None" : word;
      at = end - 1;
    } else {
      out += c;
    }
  }
}

const std::string& PythonTexts::of(StringId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= place_.size()) place_.resize(std::max(strings_.size(), index + 1), 0);
  if (place_[index] == 0) {
    append_python(texts_.emplace_back(), strings_.view(id));
    place_[index] = static_cast<std::uint32_t>(texts_.size());
  }
  return texts_[place_[index] - 1];
}

std::int64_t bytes_of_values(std::string_view values, std::string_view types,
                             std::size_t argument) {
  profile::Tensors tensors(values, types);
  std::int64_t sum = 0;
  bool has_tensor = false;
  for (profile::Tensor tensor; tensors.next(tensor);) {
    if (argument != kAllArguments && tensors.argument() != argument) continue;
    has_tensor = true;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (tensor.elements > kMost || tensor.width > kMost ||
        !add_product(sum, static_cast<std::int64_t>(tensor.elements),
                     static_cast<std::int64_t>(tensor.width)))
      return -1;
  }
  return has_tensor ? sum : -1;
}

std::int64_t bytes_of_dims(std::string_view dims, std::string_view types, std::size_t argument) {
  const json shapes = json::parse(dims, nullptr, false);
  const json names = json::parse(types, nullptr, false);
  if (!shapes.is_array() || !names.is_array() || shapes.size() != names.size()) return -1;
  std::int64_t sum = 0;
  bool has_tensor = false;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (argument != kAllArguments && i != argument) continue;
    if (!shapes[i].is_array() || !names[i].is_string()) return -1;
    const std::string& type = names[i].get_ref<const std::string&>();
    if (type.empty() || type.find("Scalar") != std::string::npos) continue;
    const std::int32_t width = profile::element_bytes(type);
    const bool nested = !shapes[i].empty() && shapes[i][0].is_array();
    if (width == 0 && !nested && shapes[i].empty() && type.find("Tensor") == std::string::npos)
      continue;  // a word that is not a tensor
    if (width == 0) return -1;
    bool fits = true;
    if (nested) {
      for (const json& shape : shapes[i]) fits = fits && add_product(sum, elements(shape), width);
    } else {
      fits = add_product(sum, elements(shapes[i]), width);
    }
    if (!fits) return -1;
    has_tensor = true;
  }
  return has_tensor ? sum : -1;
}

std::vector<std::int64_t> number_list(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  std::vector<std::int64_t> out;
  if (!list.is_array()) return out;
  for (const json& value : list) {
    if (!value.is_number_integer()) return {};
    out.push_back(value.get<std::int64_t>());
  }
  return out;
}

}  // namespace orrery::intake
