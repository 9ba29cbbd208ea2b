// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace orrery::intake {

/// SipHash-2-4 (Aumasson and Bernstein, INDOCRYPT 2012) of `text` under a 128-bit key.
[[nodiscard]] std::uint64_t siphash(std::uint64_t key0, std::uint64_t key1, std::string_view text);

/// Replaces names by aliases. Without a salt, aliases are numbered by first use, which reveals
/// nothing about the names. With a salt they are keyed hashes, equal in every trace with that salt;
/// they are as secret as the salt.
class Aliases {
 public:
  Aliases(std::string prefix, std::string_view salt);

  /// The alias of `name`; "" for "". O(log names).
  [[nodiscard]] const std::string& of(std::string_view name);
  [[nodiscard]] std::size_t size() const { return aliases_.size(); }

 private:
  std::string prefix_;
  bool salted_;
  std::uint64_t key0_ = 0, key1_ = 0;
  std::string none_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

}  // namespace orrery::intake
