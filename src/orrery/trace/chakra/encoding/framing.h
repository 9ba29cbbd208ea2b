// SPDX-License-Identifier: Apache-2.0
//
// Chakra's framing: a varint length before every message, no magic number, no trailer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace::chakra {

/// The bytes of one message, without its length.
struct Record {
  std::span<const std::byte> bytes;  ///< valid until the next call
  std::uint64_t offset = 0;          ///< position of its length
  std::size_t prefix =
      1;  ///< bytes of the length (1 unless the record is longer or its length is not minimal)
};

/// Splits a window into records. An incomplete record at the end is an error; with repair it is
/// dropped and counted.
class RecordStream {
 public:
  RecordStream(Window& window, std::string where, graph::Repair repair, Findings& findings)
      : window_(window), where_(std::move(where)), repair_(repair), findings_(findings) {}

  /// The next record, or nothing at the end. Errc: input_truncated, input_corrupt, limit_exceeded,
  /// input_read.
  Result<std::optional<Record>> next();

 private:
  Result<std::optional<Record>> next_slowly();
  Result<std::optional<Record>> end_damaged(FindingCode code, Error error);

  Window& window_;
  std::string where_;
  graph::Repair repair_;
  Findings& findings_;
  bool ended_ = false;
  std::size_t taken_ = 0;  // length of the last returned record, which is still in the window
};

inline Result<std::optional<Record>> RecordStream::next() {
  window_.consume(taken_);
  taken_ = 0;
  // Fast path: a length of one or two bytes, and the complete record in memory.
  const std::byte* data = window_.data();
  const std::size_t size = window_.size();
  if (size >= 2 && !ended_) {
    std::size_t length = std::to_integer<std::size_t>(data[0]);
    std::size_t prefix = 1;
    if (length >= 0x80) {
      const auto second = std::to_integer<std::size_t>(data[1]);
      if (second >= 0x80) return next_slowly();
      length = (length & 0x7F) | second << 7;
      prefix = 2;
    }
    if (size - prefix >= length) {
      taken_ = prefix + length;
      return Record{{data + prefix, length}, window_.offset(), prefix};
    }
  }
  return next_slowly();
}

}  // namespace orrery::trace::chakra
