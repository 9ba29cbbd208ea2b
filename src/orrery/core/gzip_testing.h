// SPDX-License-Identifier: Apache-2.0
//
// Compressed test input, for tests that link zlib.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace orrery::core_testing {

/// `bytes` as one gzip member.
inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Compresses `head` followed by `count` times `piece`. It compresses the piece only once, so that
/// a test can build huge input in little time and memory.
inline std::string gzip_repeated(std::string_view head, std::string_view piece, std::size_t count) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  const auto packed = [&](std::string_view bytes, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, flush);
    out.resize(out.size() - stream.avail_out);
    return out;
  };
  const auto sum_of = [](std::string_view bytes) {
    return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  };
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  out += packed(head, Z_FULL_FLUSH);
  // After a full flush, compressed data does not refer to earlier data: the piece can be repeated.
  const std::string again = packed(piece, Z_FULL_FLUSH);
  const uLong sum_of_piece = sum_of(piece);
  uLong sum = sum_of(head);
  for (std::size_t i = 0; i < count; ++i) {
    out += again;
    sum = crc32_combine(sum, sum_of_piece, static_cast<z_off_t>(piece.size()));
  }
  out += packed({}, Z_FINISH);
  deflateEnd(&stream);
  const std::size_t size = head.size() + count * piece.size();
  for (int i = 0; i < 4; ++i) out += static_cast<char>(sum >> (8 * i) & 0xFF);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(size >> (8 * i) & 0xFF);
  return out;
}

}  // namespace orrery::core_testing
