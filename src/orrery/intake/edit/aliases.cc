// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/edit/aliases.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace orrery::intake {
namespace {

struct State {
  std::uint64_t a, b, c, d;

  void round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
};

/// Up to eight bytes as a little-endian number.
std::uint64_t word(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

std::uint64_t siphash(std::uint64_t key0, std::uint64_t key1, std::string_view text) {
  // The constants spell "somepseudorandomlygeneratedbytes" (§2 of the paper).
  State state{key0 ^ 0x736f6d6570736575u, key1 ^ 0x646f72616e646f6du, key0 ^ 0x6c7967656e657261u,
              key1 ^ 0x7465646279746573u};
  const auto take = [&](std::uint64_t m) {
    state.d ^= m;
    state.round();
    state.round();
    state.a ^= m;
  };
  const std::uint64_t length = std::uint64_t{text.size() & 0xff} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) take(word(text.substr(0, 8)));
  take(word(text) | length);
  state.c ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

Aliases::Aliases(std::string prefix, std::string_view salt)
    : prefix_(std::move(prefix)), salted_(!salt.empty()) {
  key0_ = siphash(0, 0, salt);
  key1_ = siphash(0, 1, salt);
}

const std::string& Aliases::of(std::string_view name) {
  if (name.empty()) return none_;
  const auto known = aliases_.find(name);
  if (known != aliases_.end()) return known->second;
  std::string alias = salted_ ? fmt::format("{}{:016x}", prefix_, siphash(key0_, key1_, name))
                              : fmt::format("{}{}", prefix_, aliases_.size());
  return aliases_.emplace(std::string(name), std::move(alias)).first->second;
}

}  // namespace orrery::intake
