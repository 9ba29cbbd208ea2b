// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace orrery {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned char byte_of(char c) { return static_cast<unsigned char>(c); }
bool is_tail(char c) { return (byte_of(c) & 0xC0) == 0x80; }
bool is_control(char c) { return byte_of(c) < 0x20 || c == 0x7F; }

/// Calls `ascii` for each ASCII character and `wide` with the bytes of each other character; `wide`
/// gets an empty text for an invalid byte.
template <class Ascii, class Wide>
void each_character(std::string_view text, Ascii&& ascii, Wide&& wide) {
  for (std::size_t at = 0; at < text.size();) {
    if (byte_of(text[at]) < 0x80) {
      ascii(text[at++]);
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    wide(text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
}

std::string_view or_replaced(std::string_view character) {
  return character.empty() ? kReplacement : character;
}

/// C1 controls are U+0080 … U+009F: C2 80 … C2 9F.
bool is_c1(std::string_view character) {
  return character.size() == 2 && character[0] == '\xC2' && byte_of(character[1]) < 0xA0;
}

/// The XML entity for `c`; empty if it needs none.
std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

void append_json_character(std::string& out, char c, JsonBreaks breaks) {
  const char letter = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\0';
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (letter != '\0' && breaks == JsonBreaks::letters) {
    out += '\\';
    out += letter;
  } else if (is_control(c)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += c;
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return byte_of(text[i]); };
  const auto tail = [&](std::size_t i) { return i < text.size() && is_tail(text[i]); };
  if (text.empty()) return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
    if (lead == 0xED && byte(1) >= 0xA0) return 0;  // surrogate
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

bool is_utf8(std::string_view text, std::size_t& bad) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      bad = at;
      return false;
    }
    at += length;
  }
  return true;
}

std::string_view beginning(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && bytes - end < 3 && is_tail(text[end])) --end;
  // Too many continuation bytes: there is no valid character to preserve.
  return text.substr(0, is_tail(text[end]) ? bytes : end);
}

std::string truncate(std::string_view text, std::size_t bytes) {
  std::string retained(beginning(text, bytes));
  if (retained.size() < text.size()) retained += kEllipsis;
  return retained;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  each_character(
      text, [&](char c) { clean += is_control(c) ? '?' : c; },
      [&](std::string_view character) {
        clean += character.empty() || is_c1(character) ? std::string_view("?") : character;
      });
  return clean;
}

std::string printable(std::string_view text, std::size_t bytes) {
  return printable(truncate(text, bytes));
}

std::string printable_lines(std::string_view text) {
  std::string clean;
  for (;;) {
    const std::size_t end = text.find('\n');
    clean += printable(text.substr(0, end));
    if (end == std::string_view::npos) return clean;
    clean += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string in_quotes(std::string_view text, std::size_t bytes) {
  const std::string_view retained = beginning(text, bytes);
  return fmt::format("\"{}{}\"", printable(retained), retained.size() < text.size() ? "..." : "");
}

void append_json_text(std::string& out, std::string_view text, JsonBreaks breaks) {
  const auto plain = [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; };
  out += '"';
  // Fast path: most names need no change.
  const auto first =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
  out += text.substr(0, first);
  each_character(
      text.substr(first), [&](char c) { append_json_character(out, c, breaks); },
      [&](std::string_view character) { out += or_replaced(character); });
  out += '"';
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

void append_xml_text(std::string& out, std::string_view text, std::string_view quotes) {
  const auto ascii = [&](char c) {
    const bool quote = c == '"' || c == '\'';
    const std::string_view escape =
        quote && quotes.find(c) == std::string_view::npos ? std::string_view() : entity(c);
    if (!escape.empty()) {
      out += escape;
    } else if (is_control(c) && c != '\n' && c != '\t') {
      out += kReplacement;
    } else {
      out += c;
    }
  };
  each_character(text, ascii, [&](std::string_view character) {
    const bool none = character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
    out += none ? kReplacement : or_replaced(character);
  });
}

std::string xml_text(std::string_view text) {
  std::string out;
  append_xml_text(out, text, "\"");
  return out;
}

void append_dot_text(std::string& out, std::string_view text) {
  const auto ascii = [&](char c) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\0') {
      out += kReplacement;
    } else {
      out += is_control(c) ? ' ' : c;
    }
  };
  out += '"';
  each_character(text, ascii, [&](std::string_view character) { out += or_replaced(character); });
  out += '"';
}

std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t comma = list.find(',');
    found.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return found;
    list.remove_prefix(comma + 1);
  }
}

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._+:,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace orrery
