// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery {

/// SHA-256 of bytes that arrive in pieces. Source: FIPS 180-4.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  /// 64 hexadecimal digits: the hash of all bytes added.
  [[nodiscard]] std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> open_{};
  std::uint64_t length_ = 0;  // bytes
};

/// The hash of a text.
[[nodiscard]] std::string sha256_of(std::string_view text);

/// The hash of a regular file, as `sha256sum` prints it. Errc: input_not_found, input_read.
[[nodiscard]] Result<std::string> sha256_of_file(const std::string& path);

}  // namespace orrery
