// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/interner.h"

#include <fmt/format.h>

#include <cstring>

#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {
namespace {

/// Quick, and good enough for a cache that compares what it finds.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = text.size() * kOdd;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, left);
  hash = (hash ^ word) * kOdd;
  return hash ^ hash >> 32;
}

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

/// One \u escape, or a pair of them; returns how many bytes it took.
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

void on_one_line(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = json::string_end(text, at);
      out += text.substr(at, end - at);
      at = end;
      continue;
    }
    if (static_cast<unsigned char>(c) > ' ') out += c;
    if (c == ',' || c == ':') out += ' ';
    ++at;
  }
}

Interner::Interner(StringPool& pool, Findings& findings, std::string where)
    : pool_(pool),
      findings_(findings),
      where_(std::move(where)),
      slots_(std::make_unique<std::array<Slot, kSlots>>()) {}

std::string_view Interner::cut(std::string_view text) {
  findings_.add(FindingCode::string_cut,
                fmt::format("{}: \"{}…\" has {} bytes", where_, beginning(text, 40), text.size()));
  return beginning(text, limits::kEventNameBytes);
}

StringId Interner::text(std::string_view text) {
  if (text.empty()) return StringId::empty;
  if (text.size() > limits::kEventNameBytes) text = cut(text);
  const std::uint64_t hash = hash_of(text);
  Slot& slot = (*slots_)[hash % kSlots];
  if (slot.hash == hash && pool_.view(slot.id) == text) return slot.id;
  slot = {hash, pool_.intern(text)};
  return slot.id;
}

StringId Interner::string(std::string_view raw) {
  const std::string_view inside = content(raw);
  if (inside.empty() || std::memchr(inside.data(), '\\', inside.size()) == nullptr)
    return text(inside);
  unescape(inside, scratch_);
  return text(scratch_);
}

StringId Interner::json(std::string_view raw) {
  if (!raw.empty() && raw.front() == '"') return string(raw);
  if (raw.empty() || std::memchr(raw.data(), '\n', raw.size()) == nullptr) return text(raw);
  on_one_line(raw, scratch_);
  return text(scratch_);
}

}  // namespace orrery::trace::kineto
