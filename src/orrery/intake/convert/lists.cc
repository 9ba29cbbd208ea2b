// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/lists.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "orrery/profile/comm.h"
#include "orrery/profile/tensors.h"

namespace orrery::intake {
namespace {

using nlohmann::json;

/// The value of four hexadecimal digits at `at`, or -1.
int hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  unsigned value = 0;
  const char* begin = text.data() + at;
  const auto [stop, error] = std::from_chars(begin, begin + 4, value, 16);
  return error == std::errc{} && stop == begin + 4 ? static_cast<int>(value) : -1;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// What \uXXXX at `at` (of the 'u') stands for; moves `at` to its last character.
std::uint32_t unicode_escape(std::string_view text, std::size_t& at) {
  const int high = hex4(text, at + 1);
  if (high < 0) return 'u';
  at += 4;
  if (high < 0xD800 || high > 0xDFFF) return static_cast<std::uint32_t>(high);
  if (high < 0xDC00 && text.substr(at + 1, 2) == "\\u") {
    const int low = hex4(text, at + 3);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      at += 6;
      return 0x10000u + ((static_cast<std::uint32_t>(high) - 0xD800u) << 10) +
             (static_cast<std::uint32_t>(low) - 0xDC00u);
    }
  }
  return 0xFFFD;  // half of a pair stands for nothing
}

/// Where the string that begins at `begin` (behind its quote) ends.
std::size_t string_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    switch (text[++at]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u':
        append_utf8(out, unicode_escape(text, at));
        break;
      default:
        out += text[at];
        break;
    }
  }
  return out;
}

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

/// Adds a × b to `sum`, or says that it does not fit.
bool add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

/// Elements of dimensions, or -1 for what is no list of whole numbers.
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
      const std::size_t end = string_end(text, at + 1);
      const std::string_view inner = text.substr(at + 1, end - at - 1);
      if (is_plain(inner)) {
        out += '\'';
        out += inner;
        out += '\'';
      } else {
        append_quoted(out, unescaped(inner));
      }
      at = end;
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      continue;
    } else if (c == ',' || c == ':') {
      out += c;
      out += ' ';
    } else if (is_word(c) && !(at > 0 && is_digit(text[at - 1]))) {  // not 1e-05
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
    append_python(made_.emplace_back(), strings_.view(id));
    place_[index] = static_cast<std::uint32_t>(made_.size());
  }
  return made_[place_[index] - 1];
}

std::int64_t bytes_of_values(std::string_view values, std::string_view types,
                             std::size_t argument) {
  profile::Tensors tensors(values, types);
  std::int64_t sum = 0;
  bool any = false;
  for (profile::Tensor tensor; tensors.next(tensor);) {
    if (argument != kEveryArgument && tensors.argument() != argument) continue;
    any = true;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (tensor.elements > kMost || tensor.width > kMost ||
        !add_product(sum, static_cast<std::int64_t>(tensor.elements),
                     static_cast<std::int64_t>(tensor.width)))
      return -1;
  }
  return any ? sum : -1;
}

std::int64_t bytes_of_dims(std::string_view dims, std::string_view types, std::size_t argument) {
  const json shapes = json::parse(dims, nullptr, false);
  const json names = json::parse(types, nullptr, false);
  if (!shapes.is_array() || !names.is_array() || shapes.size() != names.size()) return -1;
  std::int64_t sum = 0;
  bool any = false;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (argument != kEveryArgument && i != argument) continue;
    if (!shapes[i].is_array() || !names[i].is_string()) return -1;
    const std::string& type = names[i].get_ref<const std::string&>();
    if (type.empty() || type.find("Scalar") != std::string::npos) continue;
    const std::int32_t width = profile::element_bytes(type);
    const bool nested = !shapes[i].empty() && shapes[i][0].is_array();
    if (width == 0 && !nested && shapes[i].empty() && type.find("Tensor") == std::string::npos)
      continue;  // a word that names no tensor
    if (width == 0) return -1;
    bool fits = true;
    if (nested) {
      for (const json& shape : shapes[i]) fits = fits && add_product(sum, elements(shape), width);
    } else {
      fits = add_product(sum, elements(shapes[i]), width);
    }
    if (!fits) return -1;
    any = true;
  }
  return any ? sum : -1;
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
