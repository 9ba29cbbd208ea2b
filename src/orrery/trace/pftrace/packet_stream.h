// SPDX-License-Identifier: Apache-2.0
//
// Splits a Perfetto file into packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace::pftrace {

class PacketStream {
 public:
  PacketStream(ByteSource& source, std::string where, Findings& findings)
      : window_(source), where_(std::move(where)), findings_(findings) {}

  /// The next packet's message, valid until the next call; nothing at the end. An incomplete packet
  /// at the end is dropped (truncated_tail_dropped). Errc: input_corrupt (no packets), input_read,
  /// limit_exceeded.
  Result<std::optional<std::string_view>> next();
  /// Position of the packet in the file.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  Result<std::optional<std::uint64_t>> varint();
  Result<std::optional<std::string_view>> end_truncated();
  [[nodiscard]] std::string place() const;

  Window window_;
  std::string where_;
  Findings& findings_;
  std::uint64_t offset_ = 0;
  std::size_t taken_ = 0;  // bytes of the last returned packet
  bool ended_ = false;
};

}  // namespace orrery::trace::pftrace
