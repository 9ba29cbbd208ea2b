// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace orrery {
namespace {

// FIPS 180-4, 4.2.2: fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::block(const unsigned char* bytes) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t b = 0; b < 4; ++b) w[i] = w[i] << 8 | bytes[4 * i + b];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], e = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(e, 17) ^ std::rotr(e, 19) ^ e >> 10);
  }
  std::array<std::uint32_t, 8> s = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const std::uint32_t one = s[7] +
                              (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                              chosen + kRoundConstants[i] + w[i];
    const std::uint32_t two =
        (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
    s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t held = length_ % 64;
    const std::size_t taken = std::min(64 - held, bytes.size());
    std::memcpy(open_.data() + held, bytes.data(), taken);
    length_ += taken;
    bytes = bytes.subspan(taken);
    if (length_ % 64 == 0) block(open_.data());
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = length_ * 8;
  constexpr std::array<std::byte, 64> kEnd = {std::byte{0x80}};
  add(std::span(kEnd).first((119 - length_ % 64) % 64 + 1));
  std::array<std::byte, 8> size{};
  for (std::size_t i = 0; i < 8; ++i) size[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(size);
  std::string text;
  for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256_of(std::string_view text) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(text.data(), text.size())));
  return hash.hex();
}

namespace {

Error cannot_read(const std::string& path, int code) {
  const bool missing = code == ENOENT || code == ENOTDIR;
  return {missing ? Errc::input_not_found : Errc::input_read, path,
          "cannot read this file: " + std::generic_category().message(code), ""};
}

/// The hash of an open file, or the errno of the failure.
tl::expected<std::string, int> sha256_of_open(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return tl::unexpected(errno);
  if (!S_ISREG(info.st_mode)) return tl::unexpected(S_ISDIR(info.st_mode) ? EISDIR : EINVAL);
  Sha256 hash;
  std::vector<std::byte> buffer(std::size_t{1} << 16);
  while (true) {
    const ::ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(errno);
    if (got == 0) return hash.hex();
    hash.add(std::span(buffer).first(static_cast<std::size_t>(got)));
  }
}

}  // namespace

Result<std::string> sha256_of_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return tl::unexpected(cannot_read(path, errno));
  auto hash = sha256_of_open(descriptor);
  ::close(descriptor);
  if (!hash) return tl::unexpected(cannot_read(path, hash.error()));
  return *std::move(hash);
}

}  // namespace orrery
