// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/interner.h"

#include <fmt/format.h>

#include <cstring>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/json/unescape.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {
namespace {

/// A fast hash; the cache compares the strings.
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

}  // namespace

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

Interner::Interner(StringPool& pool, std::string where, Findings& findings)
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
  const std::string_view inside = unquoted(raw);
  if (inside.empty() || std::memchr(inside.data(), '\\', inside.size()) == nullptr)
    return text(inside);
  json::unescape(inside, scratch_);
  return text(scratch_);
}

StringId Interner::json(std::string_view raw) {
  if (!raw.empty() && raw.front() == '"') return string(raw);
  if (raw.empty() || std::memchr(raw.data(), '\n', raw.size()) == nullptr) return text(raw);
  on_one_line(raw, scratch_);
  return text(scratch_);
}

}  // namespace orrery::trace::kineto
