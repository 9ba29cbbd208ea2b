// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/unescape.h"

#include <cstdint>

namespace orrery::trace::json {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The code unit of "\uXXXX" at `at`; -1 if there is none.
int code_unit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int unit = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Decodes one \u escape, or a pair of them; returns the number of bytes read.
std::size_t unescape_unit(std::string_view text, std::size_t at, std::string& out) {
  const int unit = code_unit(text, at);
  if (unit < 0) {
    out += '\\';
    return 1;
  }
  const bool high = unit >= 0xD800 && unit < 0xDC00;
  const int low = high ? code_unit(text, at + 6) : -1;
  if (low >= 0xDC00 && low < 0xE000) {
    append_utf8(0x10000u + (static_cast<std::uint32_t>(unit - 0xD800) << 10) +
                    static_cast<std::uint32_t>(low - 0xDC00),
                out);
    return 12;
  }
  const bool surrogate = unit >= 0xD800 && unit < 0xE000;
  append_utf8(surrogate ? 0xFFFDu : static_cast<std::uint32_t>(unit), out);
  return 6;
}

}  // namespace

void unescape(std::string_view content, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < content.size();) {
    if (content[i] != '\\' || i + 1 == content.size()) {
      out += content[i++];
      continue;
    }
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter = kLetters.find(content[i + 1]);
    if (letter != std::string_view::npos) {
      out += kMeanings[letter];
      i += 2;
    } else {
      i += unescape_unit(content, i, out);
    }
  }
}

}  // namespace orrery::trace::json
