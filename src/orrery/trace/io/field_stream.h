// SPDX-License-Identifier: Apache-2.0
//
// Reads nested protobuf messages of any size from a stream.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <protozero/types.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/core/error.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace {

/// A field at the reading position. After the tag of a length-delimited field, the position is at
/// its content: the caller reads its fields, views it or skips it.
struct Field {
  std::uint32_t number = 0;
  protozero::pbf_wire_type type = protozero::pbf_wire_type::unknown;
  std::uint64_t value = 0;  ///< of a varint
  std::uint64_t end = 0;    ///< position after the content of a length-delimited field

  [[nodiscard]] bool is_message(std::uint32_t of) const {
    return number == of && type == protozero::pbf_wire_type::length_delimited;
  }
  [[nodiscard]] bool is_varint(std::uint32_t of) const {
    return number == of && type == protozero::pbf_wire_type::varint;
  }
};

/// Memory: one block, or the largest viewed field. All functions return Errc: input_corrupt,
/// input_truncated, input_read, limit_exceeded (a viewed field).
class FieldStream {
 public:
  static constexpr std::uint64_t kToEndOfFile = std::numeric_limits<std::uint64_t>::max();

  FieldStream(ByteSource& source, std::string where) : window_(source), where_(std::move(where)) {}

  /// The next field of the message that ends at `end`; nothing at its end.
  Result<std::optional<Field>> next(std::uint64_t end);
  /// Moves to the end of a field.
  Result<void> skip(const Field& field);
  /// The content of a field, which is consumed; valid until the next call of any function.
  Result<std::string_view> view(const Field& field);

  /// Up to `count` of the bytes at the position, fewer at the end of the file; consumes nothing.
  /// Valid until the next call of any function.
  Result<std::string_view> peek(std::size_t count);

  [[nodiscard]] std::uint64_t offset() const { return window_.offset() + taken_; }
  /// "step.xplane.pb:byte 17".
  [[nodiscard]] std::string place() const;

 private:
  void release();

  Window window_;
  std::string where_;
  std::uint64_t taken_ = 0;  // bytes of the last view, which remain in the window
};

}  // namespace orrery::trace
